/** A rail whose answers are a script: the sandbox's place in a server, for what no sandbox does. */
import assert from 'node:assert/strict'
import { queryRefund as askRefund, refundTasks } from '../../src/collecting/refunds/settlement.ts'
import type { Task } from '../../src/core/module.ts'
import { outside, scopeOf } from '../../src/core/outside.ts'
import { later } from '../../src/lib/clock.ts'
import type { Id } from '../../src/lib/ids.ts'
import { ask as askPayout, payoutTasks } from '../../src/paying-out/payouts/settlement.ts'
import type { OrderState, PayoutOrder } from '../../src/rails/ports/rail.ts'
import type { TestServer } from './harness.ts'

/** What the rail answers: a state, a failure of the call, or what decides by the order. */
export type Line = OrderState | Error | ((order: PayoutOrder) => Promise<OrderState>)

export const processing: OrderState = {
  state: 'processing',
  providerReference: 'ref-1',
  askAgainInMs: 60_000,
}
export const completed: OrderState = {
  state: 'completed',
  providerReference: 'ref-1',
  txHash: null,
}
export const notFound: OrderState = { state: 'not_found' }
export const rejected: OrderState = { state: 'failed', reason: 'rejected', providerReference: null }
export const returned: OrderState = {
  state: 'returned',
  reason: 'invalid_account',
  providerReference: 'ref-1',
}
export const tooLow: OrderState = {
  state: 'refused_now',
  obstacle: 'balance_too_low',
  askAgainInMs: 40_000,
}
export const timeOut = new Error('no answer in time')

export const minuteMs = 60_000

/**
 * Takes the place of the sandbox's bank. An order may be on its way for ten minutes, as with the
 * providers of real ones.
 */
export function scriptRail(server: TestServer) {
  const rail = server.app.rails.test.sandbox.ports.payout
  const script: { send: Line[]; ask: Line[] } = { send: [], ask: [] }
  const heard: { verb: 'send' | 'ask'; order: PayoutOrder }[] = []
  const answering = (verb: 'send' | 'ask') => async (order: PayoutOrder) => {
    heard.push({ verb, order })
    const line = script[verb].shift()
    assert.ok(line, `the rail has no answer left to '${verb}'`)
    if (line instanceof Error) throw line
    return typeof line === 'function' ? line(order) : line
  }
  rail.send = answering('send')
  rail.ask = answering('ask')
  rail.orderLifeMs = 10 * minuteMs
  const started = scopeOf(server.app, server.businessId, false)

  const ctxAt = async (afterMs: number) => {
    const scope = await scopeOf(server.app, server.businessId, false)
    return outside(server.app, { ...scope, now: later((await started).now, afterMs) })
  }
  /** Runs a job of a payout or refund, so long after the script began. */
  const run = async (task: Task | undefined, payload: object, afterMs: number): Promise<void> => {
    await (task as Task)(
      await ctxAt(afterMs),
      payload as Record<string, unknown>,
      new AbortController().signal,
    )
  }
  return {
    rail,
    script,
    /** What the rail was asked since it was looked at last. */
    heard: () => heard.splice(0).map(({ verb }) => verb),
    orders: () => heard.splice(0).map(({ order }) => order),
    submit: (id: string, afterMs = 0) =>
      run(payoutTasks['payouts.submit'], { payout_id: id }, afterMs),
    ask: (id: string, afterMs = 0) => run(payoutTasks['payouts.ask'], { payout_id: id }, afterMs),
    /** Somebody says that there is something to ask about. */
    notify: async (id: string, afterMs = 0) => askPayout(await ctxAt(afterMs), id as Id, true),
    notifyRefund: async (id: string, afterMs = 0) =>
      askRefund(await ctxAt(afterMs), id as Id, true),
    refund: (id: string, afterMs = 0) =>
      run(refundTasks['refunds.settle'], { refund_id: id }, afterMs),
    /**
     * When what waits for a record is due, in milliseconds since the script began (in the
     * business's time), by task.
     */
    async waits(id: string): Promise<[task: string, afterMs: number][]> {
      const rows = await server.app.db.query<{ task: string; due_at: Date | null }>(
        'select task, due_at from timers where subject = $1 order by due_at',
        [id],
      )
      const start = (await started).now.getTime()
      return rows.map(({ task, due_at }) => [task, due_at === null ? 0 : due_at.getTime() - start])
    },
    /** What waits for a record is left alone. */
    async forgetTimers(id: string): Promise<void> {
      await server.app.db.query('delete from timers where subject = $1', [id])
    },
  }
}
