/**
 * What the rest of this room shares: the record as the API gives it, how one is found and locked, and how one is changed.
 */
import { type Ctx, type PaymentListener, reader } from '../../core/context.ts'
import type { Tx } from '../../db/db.ts'
import { later } from '../../lib/clock.ts'
import { refuse } from '../../lib/errors.ts'
import type { Id } from '../../lib/ids.ts'
import type { Static } from '../../lib/schema.ts'
import { nextState } from '../../lib/states.ts'
import { type EventType, emit } from '../../platform/events/events.ts'
import { schedule } from '../../platform/jobs/timers.ts'
import { endAccountOfPayment } from '../virtual-accounts/virtual-accounts.ts'
import type { PaymentRecord } from './schema.ts'
import { giveUpChallenges, lockById, type PaymentRow, selectById, updatePayment } from './sql.ts'
import { type PaymentStatus, type PaymentTrigger, paymentStates } from './states.ts'

export type Payment = Static<typeof PaymentRecord>

export const expireTask = 'payments.expire'
export const askChargeTask = 'payments.ask_charge'

/** The record as the API gives it. */
export function toPayment(ctx: Ctx, row: PaymentRow): Payment {
  const { slug, amount_counted, amount_refunding: _refunding, begun: _begun, ...shown } = row
  const { customer_id, transaction_id, collection_id, invoice_id, ...rest } = shown
  return {
    ...rest,
    customer: customer_id,
    transaction: transaction_id,
    collection: collection_id,
    invoice: invoice_id,
    net: amount_counted - row.fee,
    checkout_url: checkoutUrl(ctx, slug),
  }
}

/** Where a hosted page is. */
export function checkoutUrl(ctx: Pick<Ctx, 'origin'>, slug: string): string {
  return `${ctx.origin.url}/pay/${slug}`
}

/** @throws {Refusal} `not_found` */
export async function find(ctx: Ctx, id: string): Promise<PaymentRow> {
  const row = await reader(ctx).row(selectById, [ctx.scope.businessId, ctx.scope.livemode, id])
  return row ?? refuse('not_found', `There is no payment '${id}'.`)
}

/**
 * Locks a payment in the caller's transaction. It is the first row that anything about a payment locks: before its account,
 * its tries, its collection and the ledger.
 * @throws {Refusal} `not_found`
 */
export async function lock(ctx: Ctx, id: string): Promise<PaymentRow> {
  const row = await (ctx.tx as Tx).row(lockById, [ctx.scope.businessId, ctx.scope.livemode, id])
  return row ?? refuse('not_found', `There is no payment '${id}'.`)
}

/** Stores what can change of a payment that the caller has locked. */
export async function save(ctx: Ctx, row: PaymentRow): Promise<PaymentRow> {
  const { businessId, livemode, now } = ctx.scope
  const saved = await (ctx.tx as Tx).row(updatePayment, [
    businessId,
    livemode,
    row.id,
    row.status,
    row.method,
    row.amount_received,
    row.amount_counted,
    row.variance,
    row.transaction_id,
    row.fee,
    row.amount_refunded,
    row.amount_refunding,
    row.attempts,
    row.failure_reason,
    row.paid_at,
    row.begun,
    row.amount_confirming,
    now,
  ])
  if (!saved) throw new Error(`payment ${row.id} has vanished`)
  return saved
}

const events: Record<Exclude<PaymentStatus, 'pending'>, EventType> = {
  completed: 'payment.completed',
  failed: 'payment.failed',
  expired: 'payment.expired',
  canceled: 'payment.canceled',
}

/**
 * The one way a payment changes its state: the table allows it, its account ends with it, the event tells, and the room it stems
 * from hears. The caller has locked the row; what else it changed is saved with it.
 * @throws {Error} when the table does not allow it; callers look at the status first and refuse in their own words
 */
export async function transition(ctx: Ctx, payment: PaymentRow, trigger: PaymentTrigger): Promise<PaymentRow> {
  const status = nextState(paymentStates, payment.status, trigger)
  if (status === null || status === 'pending')
    throw new Error(`payment ${payment.id} is ${payment.status} and takes no '${trigger}'`)
  const saved = await save(ctx, { ...payment, status })
  await endAccountOfPayment(ctx, saved.id, status === 'expired' ? 'expired' : 'closed')
  const { businessId, livemode, now } = ctx.scope
  const unanswered = await (ctx.tx as Tx).rows(giveUpChallenges, [businessId, livemode, saved.id, now])
  for (const attempt of unanswered) await askLate(ctx, saved.id, attempt.id)
  await emit(ctx.tx as Tx, ctx, events[status], toPayment(ctx, saved))
  await tell(ctx, 'ended', saved)
  return saved
}

/** When a try that was given up is asked about again: a bank may have taken its time. */
const lateAsksMs = [10 * 60_000, 86_400_000]

/** Asks about a try that was given up again, later: what turns out to have been charged is booked. */
export async function askLate(ctx: Ctx, payment: Id, attempt: Id): Promise<void> {
  for (const ms of lateAsksMs)
    await schedule(ctx.tx as Tx, ctx.scope, askTimer(payment, attempt, later(ctx.scope.now, ms)))
}

/** The timer that asks about a card try. */
export const askTimer = (payment: Id, attempt: Id, dueAt: Date) => ({
  task: askChargeTask,
  subject: attempt,
  dueAt,
  payload: { payment_id: payment, attempt_id: attempt },
})

/**
 * Marks that the payer begins to pay. The collection it stems from may have no place left.
 * @throws {Refusal} what a listener refuses with
 */
export async function begin(ctx: Ctx, payment: PaymentRow): Promise<PaymentRow> {
  if (payment.begun) return payment
  await tell(ctx, 'starting', payment)
  return save(ctx, { ...payment, begun: true })
}

/** Tells the rooms above, if the payment stems from any. */
export async function tell(
  ctx: Ctx,
  what: keyof PaymentListener,
  payment: PaymentRow,
  amount: bigint = 0n,
): Promise<void> {
  if (payment.collection_id === null && payment.invoice_id === null) return
  for (const listener of ctx.listeners.payments) await listener[what]?.(ctx, payment, amount)
}

/** Whether it can still be paid: pending, and its time is not over. */
export function isOpen(ctx: Ctx, payment: { status: PaymentStatus; expires_at: Date }): boolean {
  return payment.status === 'pending' && payment.expires_at > ctx.scope.now
}
