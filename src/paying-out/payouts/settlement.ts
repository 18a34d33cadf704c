/**
 * The other half of a payout's life: asking the rail, and learning how it ended.
 *
 * A rail is only ever called outside a database transaction, after the state that says so is committed. An answer that
 * never came is asked about; the order is sent again only when the rail says that it never took it, under the same id.
 */
import { update, type Work } from '../../core/inside.ts'
import { type Ctx, railTime, scopeOf } from '../../core/outside.ts'
import type { Task } from '../../core/room.ts'
import { later } from '../../lib/clock.ts'
import type { Id } from '../../lib/ids.ts'
import { isFinal } from '../../lib/states.ts'
import { schedule } from '../../platform/jobs/timers.ts'
import { nextStep, obstacleTo, offerAgainMs, recallOrAsk, send } from '../../rails/order.ts'
import type { FailureReason, OrderState, PayoutOrder } from '../../rails/rail.ts'
import { toRailDestination } from '../destinations/destinations.ts'
import { askTask, expireQuoteTask, find, type Payout, submitTask, toPayout } from './record.ts'
import { refuse } from './refusals.ts'
import { expireQuote, lockById, type PayoutRow, payouts, selectById } from './sql.ts'
import { type PayoutTrigger, payoutStates } from './states.ts'
import { transition } from './transition.ts'

/**
 * Submits a pending payout to the rail. One that the rail cannot take now stays pending, and can be canceled, until it can. Run again
 * after a crash, it asks instead: the rail may have the order.
 */
async function submit(ctx: Ctx, id: Id): Promise<void> {
  const waiting = await ctx.row(selectById, [id])
  if (waiting?.status !== 'pending') return ask(ctx, id)
  if ((await obstacleTo(ctx, waiting, orderOf(ctx, waiting))) !== null) {
    const { now } = await scopeOf(ctx, ctx.scope.businessId, ctx.scope.livemode)
    return ctx.write((work) => schedule(work, timer(submitTask, id, later(now, offerAgainMs))))
  }
  const payout = await ctx.write(async (work) => {
    const row = await work.row(lockById, [id])
    return row?.status === 'pending' ? transition(work, row, 'submit') : null
  })
  if (payout === null) return ask(ctx, id)
  await applyAnswer(ctx, payout, await send(ctx, payout, orderOf(ctx, payout)))
}

/** Asks the rail how a processing payout stands. One that the rail cannot take on any more is pending again. */
async function ask(ctx: Ctx, id: Id): Promise<void> {
  const payout = await ctx.row(selectById, [id])
  if (payout?.status !== 'processing') return
  await applyAnswer(ctx, payout, await recallOrAsk(ctx, payout, orderOf(ctx, payout)))
}

async function applyAnswer(ctx: Ctx, { id, rail }: PayoutRow, said: OrderState): Promise<void> {
  const since = await railTime(ctx, rail)
  await ctx.write((work) => applyOrderState(work, id, said, since))
}

/**
 * Applies what the rail says. Idempotent: a repeat is a no-op.
 * @param since the time that the rail's waits count from
 */
async function applyOrderState(work: Work, id: Id, said: OrderState, since: Date): Promise<PayoutRow | null> {
  const row = await work.row(lockById, [id])
  // A recall of one submission says nothing of a later one, which the rail may have taken on.
  if (row && said.state === 'recalled' && said.attempt !== row.submissions) return row
  const step = row && nextStep(payoutStates, row, said)
  if (!step) return row
  const { traces } = step
  if ('trigger' in step && step.trigger === 'hold')
    await schedule(work, timer(submitTask, id, later(since, offerAgainMs)))
  if ('trigger' in step)
    return transition(work, row, step.trigger as PayoutTrigger, { ...traces, failure_reason: step.reason })
  if (step.askInMs !== null) await schedule(work, timer(askTask, id, later(since, step.askInMs)))
  // What the rail sent is shown as soon as it is known; a transaction that replaces another has another hash.
  if (traces.tx_hash === row.tx_hash) return row
  return update(work, payouts, id, { ...traces, updated_at: work.scope.now })
}

/**
 * Has the sandbox decide how a test payout ends: the payout is committed as sent, then the sandbox decides, and is asked as any rail.
 * @throws {Refusal} `not_found`, `payout_already_final`, `payout_not_simulated`
 */
export async function prepareEnd(
  ctx: Ctx,
  reference: string,
  outcome: 'completed' | 'failed',
  reason: FailureReason | null,
) {
  const { id, rail: name, destination } = await find(ctx, reference)
  const rail = ctx.rails.test.payouts
  if (name !== rail.name)
    refuse('payout_not_simulated', `The payout moves on '${destination.chain}'; the chain decides how it ends.`)
  const order = await ctx.write(async (work) => {
    const row = (await work.row(lockById, [id])) as PayoutRow
    if (isFinal(payoutStates, row.status)) refuseEnded(row)
    return orderOf(work, row.status === 'pending' ? await transition(work, row, 'submit') : row)
  })
  await rail.decide(order, outcome, reason)
  const said = await rail.ask(order)
  if (said.state !== outcome) {
    // It had settled otherwise before it was decided: that stands.
    const row = await ctx.write((work) => applyOrderState(work, id, said, work.scope.now))
    refuseEnded(row as PayoutRow)
  }
  return { id, outcome, said }
}

/**
 * Ends a test payout as the sandbox has decided.
 * @throws {Refusal} `payout_already_final` when it has ended otherwise meanwhile
 */
export async function end(work: Work, { id, outcome, said }: Awaited<ReturnType<typeof prepareEnd>>): Promise<Payout> {
  const row = (await applyOrderState(work, id, said, work.scope.now)) as PayoutRow
  if (isFinal(payoutStates, row.status) && row.status !== outcome) refuseEnded(row)
  return toPayout(row)
}

function refuseEnded({ status }: PayoutRow): never {
  refuse('payout_already_final', `The payout is ${status} already.`)
}

const timer = (task: string, id: Id, dueAt: Date) => ({ task, subject: id, dueAt, payload: { payout_id: id } })

function orderOf({ scope }: Pick<Ctx, 'scope'>, payout: PayoutRow): PayoutOrder {
  return {
    id: payout.id,
    attempt: payout.submissions,
    businessId: scope.businessId,
    amount: payout.destination_amount,
    currency: payout.destination_currency,
    destination: toRailDestination(payout.destination),
    at: scope.now,
  }
}

const payoutTask =
  (run: (ctx: Ctx, id: Id) => Promise<void>): Task =>
  (ctx, payload) =>
    run(ctx, payload.payout_id as Id)

/** The jobs of this room. */
export const payoutTasks: Record<string, Task> = {
  [submitTask]: payoutTask(submit),
  [askTask]: payoutTask(ask),
  [expireQuoteTask]: async (ctx, payload) => {
    await ctx.rows(expireQuote, [payload.quote_id, ctx.scope.now])
  },
}
