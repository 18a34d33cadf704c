/**
 * The other half of a payout's life: asking the rail, and learning how it ended.
 *
 * A real rail is only ever called outside a database transaction, after the state that says so is committed. An answer that
 * never came is asked about; the order is sent again only when the rail says that it never took it, under the same id.
 */
import { askAgainAt, type Ctx, inTransaction, railOfOrder, scopeOf } from '../../core/context.ts'
import { type Tx, transaction } from '../../db/db.ts'
import { later } from '../../lib/clock.ts'
import { refuse } from '../../lib/errors.ts'
import type { Id } from '../../lib/ids.ts'
import { isFinal } from '../../lib/states.ts'
import type { Task } from '../../platform/jobs/jobs.ts'
import { schedule } from '../../platform/jobs/timers.ts'
import type { FailureReason, OrderState, PayoutOrder } from '../../rails/rail.ts'
import { toRailDestination } from '../destinations/destinations.ts'
import { askTask, expireQuoteTask, find, type Payout, submitTask, toPayout } from './record.ts'
import { expireQuote, lockById, type PayoutRow, selectById, updateState } from './sql.ts'
import { payoutStates } from './states.ts'
import { transition } from './transition.ts'

/** How long to wait before asking about an order after the rail itself could not be reached. */
const askAfterErrorMs = 5_000

/** How long a payout that its rail cannot take waits before it is offered again. */
const offerAgainMs = 15_000

/**
 * Hands a pending payout to the rail. One that the rail cannot take now stays pending, and can be canceled, until it can. Run again
 * after a crash, it asks instead: the rail may have the order.
 */
async function submit(ctx: Ctx, id: Id): Promise<void> {
  const { businessId, livemode } = ctx.scope
  const waiting = await ctx.db.row(selectById, [businessId, livemode, id])
  const obstacle = waiting?.status === 'pending' ? await obstacleOf(ctx, waiting) : null
  if (obstacle !== null) {
    ctx.log.warn({ payout: id, obstacle }, 'a payout waits for its rail')
    const dueAt = later((await scopeOf(ctx, businessId, livemode)).now, offerAgainMs)
    const again = { task: submitTask, subject: id, dueAt, payload: { payout_id: id } }
    return transaction(ctx.db, (tx) => schedule(tx, ctx.scope, again))
  }
  const payout = await transaction(ctx.db, async (tx) => {
    const row = await tx.row(lockById, [ctx.scope.businessId, ctx.scope.livemode, id])
    return row?.status === 'pending' ? transition({ ...ctx, tx }, row, 'submit') : null
  })
  if (payout === null) return ask(ctx, id)
  await settle(ctx, id, await answerOf(ctx, 'send', payout))
}

/** Why a payout cannot be handed to its rail now, or null when it can. */
async function obstacleOf(ctx: Ctx, payout: PayoutRow): Promise<string | null> {
  try {
    return (await railOfOrder(ctx, payout).obstacle?.(orderOf(ctx, payout))) ?? null
  } catch (error) {
    return (error as Error).message
  }
}

/** Asks the rail how a processing payout stands. */
async function ask(ctx: Ctx, id: Id): Promise<void> {
  const payout = await ctx.db.row(selectById, [ctx.scope.businessId, ctx.scope.livemode, id])
  if (payout?.status !== 'processing') return
  let state = await answerOf(ctx, 'ask', payout)
  if (state.state === 'not_found') state = await answerOf(ctx, 'send', payout)
  await settle(ctx, id, state)
}

/** A rail that throws has not said that nothing happened. */
async function answerOf(ctx: Ctx, verb: 'send' | 'ask', payout: PayoutRow): Promise<OrderState> {
  try {
    return await railOfOrder(ctx, payout)[verb](orderOf(ctx, payout))
  } catch (error) {
    ctx.log.error({ err: error, payout: payout.id, verb }, 'the rail could not be reached')
    return { state: 'unknown', askAgainInMs: askAfterErrorMs }
  }
}

/** Applies what the rail says. Told twice, the second time does nothing. */
function settle(ctx: Ctx, id: Id, state: OrderState): Promise<PayoutRow | null> {
  const { businessId, livemode } = ctx.scope
  return inTransaction(ctx, async (tx) => {
    const row = await tx.row(lockById, [businessId, livemode, id])
    if (row?.status !== 'processing') return row
    const inside: Ctx = { ...ctx, tx }
    switch (state.state) {
      case 'completed':
        return transition(inside, row, 'complete', { providerReference: state.providerReference, txHash: state.txHash })
      case 'failed':
        return transition(inside, row, 'fail', {
          failureReason: state.reason,
          providerReference: state.providerReference,
        })
      case 'processing':
      case 'unknown': {
        const sent = state.state === 'processing' ? state : null
        const known = sent && (sent.txHash ?? null) !== null && sent.txHash !== row.tx_hash
        if (state.askAgainInMs !== null)
          await schedule(tx, ctx.scope, {
            task: askTask,
            subject: id,
            dueAt: await askAgainAt(inside, row, state.askAgainInMs),
            payload: { payout_id: id },
          })
        return known ? noteSent(inside, row, sent) : row
      }
      case 'not_found':
        throw new Error(`the rail answered 'not_found' to an order it was just sent: payout ${id}`)
    }
  })
}

/** Shows what the rail sent, as soon as it is known; a transaction that replaces another has another hash. */
function noteSent(
  ctx: Ctx,
  row: PayoutRow,
  { providerReference, txHash }: { providerReference: string | null; txHash?: string | null },
): Promise<PayoutRow | null> {
  const { businessId, livemode, now } = ctx.scope
  return (ctx.tx as Tx).row(updateState, [
    ...[businessId, livemode, row.id, row.status, null],
    providerReference,
    txHash ?? null,
    now,
  ])
}

/**
 * Ends a test payout as told.
 * @throws {Refusal} `not_found`, `payout_already_final`, `payout_not_simulated`
 */
export async function simulate(
  ctx: Ctx,
  reference: string,
  outcome: 'completed' | 'failed',
  reason: FailureReason | null,
): Promise<Payout> {
  const { businessId, livemode } = ctx.scope
  const found = await find(ctx, reference)
  const rail = ctx.rails.test.payouts
  if (found.rail !== rail.name)
    refuse('payout_not_simulated', `The payout moves on '${found.destination.chain}'; the chain decides how it ends.`)
  const row = await inTransaction(ctx, async (tx) => {
    const inside: Ctx = { ...ctx, tx }
    let row = (await tx.row(lockById, [businessId, livemode, found.id])) as PayoutRow
    if (isFinal(payoutStates, row.status)) refuse('payout_already_final', `The payout is ${row.status} already.`)
    if (row.status === 'pending') row = await transition(inside, row, 'submit')
    const order = orderOf(ctx, row)
    await rail.decide(order, outcome, reason)
    return (await settle(inside, row.id, await rail.ask(order))) as PayoutRow
  })
  return toPayout(row)
}

function orderOf({ scope }: Ctx, payout: PayoutRow): PayoutOrder {
  return {
    id: payout.id,
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
    await ctx.db.rows(expireQuote, [ctx.scope.businessId, ctx.scope.livemode, payload.quote_id, ctx.scope.now])
  },
}
