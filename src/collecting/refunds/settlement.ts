/**
 * The other half of a refund's life: asking the rail, and learning how it ended. The rail is asked before it is sent anything:
 * an order that it knows is never sent again under another name, and one that it never took is sent under the same id.
 */
import { outgoing } from '../../books/ledger/exchange.ts'
import { type Posting, post } from '../../books/ledger/ledger.ts'
import { endTransaction } from '../../books/transactions/transactions.ts'
import { release } from '../../books/wallets/wallets.ts'
import { update, type Work } from '../../core/inside.ts'
import { type Ctx, railTime } from '../../core/outside.ts'
import type { Task } from '../../core/room.ts'
import { later } from '../../lib/clock.ts'
import type { Id } from '../../lib/ids.ts'
import { toRailDestination } from '../../paying-out/destinations/destinations.ts'
import { emit } from '../../platform/events/events.ts'
import { schedule } from '../../platform/jobs/timers.ts'
import { askOrSend, nextStep } from '../../rails/order.ts'
import type { OrderState, PayoutOrder } from '../../rails/rail.ts'
import * as payments from '../payments/payments.ts'
import { refundEvents } from './events.ts'
import { askTask, find, type Refund, toRefund } from './record.ts'
import { refuse } from './refusals.ts'
import { lockRefund, type RefundRow, refunds, selectRefund } from './sql.ts'
import { refundStates } from './states.ts'

/** Asks the rail how a refund stands, and sends it when the rail does not have it. */
async function ask(ctx: Ctx, id: Id): Promise<void> {
  const refund = await ctx.row(selectRefund, [id])
  if (refund?.status !== 'initiated') return
  const said = await askOrSend(ctx, refund, orderOf(ctx, refund))
  const since = await railTime(ctx, refund.rail)
  await ctx.write((work) => applyOrderState(work, refund, said, since))
}

/**
 * Applies what the rail says. Idempotent: a repeat is a no-op.
 * @param since the time that the rail's waits count from
 */
async function applyOrderState(
  work: Work,
  { id, payment_id }: Pick<RefundRow, 'id' | 'payment_id'>,
  said: OrderState,
  since: Date,
): Promise<RefundRow> {
  const payment = await payments.lock(work, payment_id)
  const row = (await work.row(lockRefund, [id])) as RefundRow
  const step = nextStep(refundStates, row, said)
  if (!step) return row
  if (!('trigger' in step)) {
    const dueAt = step.askInMs === null ? null : later(since, step.askInMs)
    if (dueAt) await schedule(work, { task: askTask, subject: id, dueAt, payload: { refund_id: id } })
    return row
  }
  const completed = step.to === 'completed'
  await payments.recordRefund(work, payment, { refunding: -row.amount, refunded: completed ? row.amount : 0n })
  const ended = await update(work, refunds, id, {
    ...step.traces,
    status: step.to,
    failure_reason: step.reason,
    updated_at: work.scope.now,
  })
  await post(work, completed ? sentPostings(row) : releasePostings(row))
  if (!completed && payment.invoice_id !== null) await work.strategies.refunds.failed(work, row)
  await endTransaction(work, row.transaction_id, completed ? 'completed' : 'failed')
  await emit(work, refundEvents, completed ? 'refund.completed' : 'refund.failed', toRefund(ended))
  return ended
}

function releasePostings({ id: subject, transaction_id: transaction, amount, currency }: RefundRow): Posting[] {
  return [release({ amount, currency, kind: 'refund_release', subject, transaction })]
}

function sentPostings(refund: RefundRow): Posting[] {
  return outgoing({
    rail: refund.rail,
    railAmount: { amount: refund.destination_amount, currency: refund.destination_currency },
    ledgerAmount: { amount: refund.amount, currency: refund.currency },
    account: { purpose: 'wallet_pending', currency: refund.currency },
    kind: 'refund_sent',
    exchange: 'refund_exchange',
    subject: refund.id,
    transaction: refund.transaction_id,
  })
}

/**
 * Has the sandbox decide how a test refund ends; then it is asked, as any rail.
 * @throws {Refusal} `not_found`, `refund_already_final`, `refund_not_simulated`
 */
export async function prepareEnd(ctx: Ctx, id: string, outcome: 'completed' | 'failed') {
  const refund = await find(ctx, id)
  const rail = ctx.rails.test.payouts
  if (refund.rail !== rail.name)
    refuse('refund_not_simulated', 'The refund moves on a real test network, which decides.')
  if (refund.status !== 'initiated') refuseEnded(refund)
  const order = orderOf(ctx, refund)
  await rail.decide(order, outcome, outcome === 'failed' ? 'rejected' : null)
  const said = await rail.ask(order)
  // It had settled otherwise before it was decided: that stands.
  if (said.state !== outcome)
    refuseEnded(await ctx.write((work) => applyOrderState(work, refund, said, work.scope.now)))
  return { refund, outcome, said }
}

/**
 * Ends a test refund as the sandbox has decided.
 * @throws {Refusal} `refund_already_final` when it has ended otherwise meanwhile
 */
export async function end(
  work: Work,
  { refund, outcome, said }: Awaited<ReturnType<typeof prepareEnd>>,
): Promise<Refund> {
  const row = await applyOrderState(work, refund, said, work.scope.now)
  if (row.status !== outcome) refuseEnded(row)
  return toRefund(row)
}

function refuseEnded({ status }: RefundRow): never {
  refuse('refund_already_final', `The refund is ${status} already.`)
}

function orderOf({ scope }: Pick<Ctx, 'scope'>, refund: RefundRow): PayoutOrder {
  const { destination } = refund
  return {
    id: refund.id,
    // A refund cannot be canceled, so none is recalled.
    attempt: 1,
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
  [askTask]: (ctx, payload) => ask(ctx, payload.refund_id as Id),
}
