/**
 * The other half of a refund's life: asking the rail, and learning how it ended. The rail is asked before it is sent anything:
 * an order that it knows is never sent again under another name, and one that it never took is sent under the same id.
 */

import { outgoing } from '../../books/ledger/crossing.ts'
import { type Posting, post } from '../../books/ledger/ledger.ts'
import { endTransaction } from '../../books/transactions/transactions.ts'
import { release } from '../../books/wallets/wallets.ts'
import { askAgainAt, type Ctx, inTransaction, railOfOrder } from '../../core/context.ts'
import type { Tx } from '../../db/db.ts'
import { refuse } from '../../lib/errors.ts'
import type { Id } from '../../lib/ids.ts'
import { nextState } from '../../lib/states.ts'
import { toRailDestination } from '../../paying-out/destinations/destinations.ts'
import { type EventType, emit } from '../../platform/events/events.ts'
import type { Task } from '../../platform/jobs/jobs.ts'
import { schedule } from '../../platform/jobs/timers.ts'
import type { OrderState, PayoutOrder } from '../../rails/rail.ts'
import { lock, noteRefund } from '../payments/payments.ts'
import { find, type Refund, settleTask, toRefund } from './record.ts'
import { lockRefund, type RefundRow, selectRefund, updateState } from './sql.ts'
import { type RefundTrigger, refundStates } from './states.ts'

/** How long to wait before asking about an order after the rail itself could not be reached. */
const askAfterErrorMs = 5_000

/** How long a refund that its rail cannot take waits before it is offered again. */
const offerAgainMs = 15_000

/** Asks the rail how a refund stands, and sends it when the rail does not have it. */
async function settle(ctx: Ctx, id: Id): Promise<void> {
  const refund = await ctx.db.row(selectRefund, [ctx.scope.businessId, ctx.scope.livemode, id])
  if (refund?.status !== 'initiated') return
  const order = orderOf(ctx, refund)
  let state: OrderState
  try {
    const rail = railOfOrder(ctx, refund as { rail: string; destination: { chain?: string } })
    state = await rail.ask(order)
    if (state.state === 'not_found') {
      const obstacle = (await rail.obstacle?.(order)) ?? null
      if (obstacle !== null) ctx.log.warn({ refund: id, obstacle }, 'a refund waits for its rail')
      state = obstacle === null ? await rail.send(order) : { state: 'unknown', askAgainInMs: offerAgainMs }
    }
  } catch (error) {
    // A rail that throws has not said that nothing happened.
    ctx.log.error({ err: error, refund: id }, 'the rail could not be reached')
    state = { state: 'unknown', askAgainInMs: askAfterErrorMs }
  }
  await apply(ctx, refund, state)
}

/** Applies what the rail says. Told twice, the second time does nothing. */
function apply(ctx: Ctx, { id, payment_id }: RefundRow, state: OrderState): Promise<RefundRow> {
  const { businessId, livemode } = ctx.scope
  return inTransaction(ctx, async (tx) => {
    const inside: Ctx = { ...ctx, tx }
    const payment = await lock(inside, payment_id)
    const row = (await tx.row(lockRefund, [businessId, livemode, id])) as RefundRow
    if (row.status !== 'initiated') return row
    switch (state.state) {
      case 'completed': {
        await noteRefund(inside, payment, { refunding: -row.amount, refunded: row.amount })
        return transition(inside, row, 'complete', {
          providerReference: state.providerReference,
          txHash: state.txHash,
        })
      }
      case 'failed': {
        await noteRefund(inside, payment, { refunding: -row.amount, refunded: 0n })
        return transition(inside, row, 'fail', {
          failureReason: state.reason,
          providerReference: state.providerReference,
        })
      }
      case 'processing':
      case 'unknown':
        if (state.askAgainInMs !== null)
          await schedule(tx, ctx.scope, {
            task: settleTask,
            subject: id,
            dueAt: await askAgainAt(inside, row, state.askAgainInMs),
            payload: { refund_id: id },
          })
        return row
      case 'not_found':
        throw new Error(`the rail answered 'not_found' to an order it was just sent: refund ${id}`)
    }
  })
}

type Patch = { failureReason?: string; providerReference: string | null; txHash?: string | null }

/** The one way a refund changes its state: the ledger moves, the transaction follows, the event tells. */
async function transition(ctx: Ctx, refund: RefundRow, trigger: RefundTrigger, patch: Patch): Promise<RefundRow> {
  const { scope } = ctx
  const tx = ctx.tx as Tx
  const status = nextState(refundStates, refund.status, trigger)
  if (status === null || status === 'initiated')
    throw new Error(`refund ${refund.id} is ${refund.status} and takes no '${trigger}'`)
  const updated = await tx.row(updateState, [
    scope.businessId,
    scope.livemode,
    refund.id,
    status,
    patch.failureReason ?? null,
    patch.providerReference,
    patch.txHash ?? null,
    scope.now,
  ])
  if (!updated) throw new Error(`refund ${refund.id} has vanished`)
  await post(tx, scope, status === 'completed' ? send(refund) : giveBack(refund))
  if (status === 'failed') for (const listener of ctx.listeners.refunds) await listener.failed?.(ctx, refund)
  await endTransaction(ctx, refund.transaction_id, status)
  const event: EventType = `refund.${status}`
  await emit(tx, ctx, event, toRefund(updated))
  return updated
}

function giveBack({ id: subject, transaction_id: transaction, amount, currency }: RefundRow): Posting[] {
  return [release({ amount, currency, kind: 'refund_release', subject, transaction })]
}

function send(refund: RefundRow): Posting[] {
  return outgoing({
    rail: refund.rail,
    outside: { amount: refund.destination_amount, currency: refund.destination_currency },
    inside: { amount: refund.amount, currency: refund.currency },
    account: { purpose: 'wallet_pending', currency: refund.currency },
    kind: 'refund_sent',
    exchange: 'refund_exchange',
    subject: refund.id,
    transaction: refund.transaction_id,
  })
}

/**
 * Ends a test refund as told. Of two that are told at once, the first ends it.
 * @throws {Refusal} `not_found`, `refund_already_final`
 */
export async function simulate(ctx: Ctx, id: string, outcome: 'completed' | 'failed'): Promise<Refund> {
  const { businessId, livemode } = ctx.scope
  const found = await find(ctx, id)
  const rail = ctx.rails.test.payouts
  if (found.rail !== rail.name)
    refuse('payout_not_simulated', 'The refund moves on a real test network, which decides.')
  const row = await inTransaction(ctx, async (tx) => {
    const inside: Ctx = { ...ctx, tx }
    await lock(inside, found.payment_id)
    const refund = (await tx.row(lockRefund, [businessId, livemode, found.id])) as RefundRow
    if (refund.status !== 'initiated') refuse('refund_already_final', `The refund is ${refund.status} already.`)
    const order = orderOf(ctx, refund)
    await rail.decide(order, outcome, outcome === 'failed' ? 'rejected' : null)
    return apply(inside, refund, await rail.ask(order))
  })
  return toRefund(row)
}

function orderOf({ scope }: Ctx, refund: RefundRow): PayoutOrder {
  const { destination } = refund
  return {
    id: refund.id,
    businessId: scope.businessId,
    amount: refund.destination_amount,
    currency: refund.destination_currency,
    destination:
      'charge' in destination ? { type: 'card', charge: destination.charge } : toRailDestination(destination),
    at: scope.now,
  }
}

/** The jobs of this room. */
export const refundTasks: Record<string, Task> = {
  [settleTask]: (ctx, payload) => settle(ctx, payload.refund_id as Id),
}
