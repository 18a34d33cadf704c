/**
 * What the other files of this module share: the record as the API gives it, how one is found and
 * locked, and how one is changed.
 */
import type { Facts } from '../../core/app.ts'
import { update, type View, type Work } from '../../core/inside.ts'
import { later } from '../../lib/clock.ts'
import type { Id } from '../../lib/ids.ts'
import type { Static } from '../../lib/schema.ts'
import { nextState } from '../../lib/states.ts'
import { emit } from '../../platform/events/events.ts'
import { schedule } from '../../platform/jobs/timers.ts'
import { endAccountOfPayment } from '../virtual-accounts/virtual-accounts.ts'
import { paymentEvents } from './events.ts'
import { originOf } from './origins.ts'
import { refuse } from './refusals.ts'
import type { PaymentRecord } from './schema.ts'
import {
  giveUpChallenges,
  lockById,
  type PaymentChanges,
  type PaymentRow,
  payments,
  selectById,
} from './sql.ts'
import { type PaymentStatus, type PaymentTrigger, paymentStates } from './states.ts'

export type Payment = Static<typeof PaymentRecord>

export const expireTask = 'payments.expire'
export const queryAttemptTask = 'payments.ask_charge'

/** The record as the API gives it. */
export function toPayment(facts: Pick<Facts, 'origin'>, row: PaymentRow): Payment {
  const {
    slug,
    amount_counted,
    amount_refunding: _refunding,
    begun: _started,
    ended_at: _ended,
    payer_email,
    language: _language,
    ...stored
  } = row
  const { customer_id, transaction_id, collection_id, invoice_id, ...shown } = stored
  return {
    ...shown,
    email: row.email ?? payer_email,
    customer: customer_id,
    transaction: transaction_id,
    collection: collection_id,
    invoice: invoice_id,
    net: amount_counted - row.fee,
    checkout_url: checkoutUrl(facts, slug),
  }
}

/** Where a hosted page is. */
export function checkoutUrl({ origin }: Pick<Facts, 'origin'>, slug: string): string {
  return `${origin.url}/pay/${slug}`
}

/** @throws {Refusal} `not_found` */
export async function find(view: View, id: string): Promise<PaymentRow> {
  const row = await view.row(selectById, [id])
  return row ?? refuse('not_found', `There is no payment '${id}'.`)
}

/**
 * Locks a payment. It is the first row that anything about a payment locks: before its account, its
 * attempts, its collection and the ledger.
 * @throws {Refusal} `not_found`
 */
export async function lock(work: Work, id: string): Promise<PaymentRow> {
  const row = await work.row(lockById, [id])
  return row ?? refuse('not_found', `There is no payment '${id}'.`)
}

/** Changes a payment that the caller has locked. Its status changes by `transition` only. */
export function save(work: Work, { id }: PaymentRow, changes: PaymentChanges): Promise<PaymentRow> {
  return update(work, payments, id, { ...changes, updated_at: work.scope.now })
}

/**
 * The one way a payment changes its state: the table allows it, its account ends with it, the event
 * is emitted, and the strategy of what it belongs to runs. The caller has locked the row.
 * @param changes what else changes with it
 * @throws {Error} when the table does not allow it; callers look at the status first and refuse in
 * their own words
 */
export async function transition(
  work: Work,
  payment: PaymentRow,
  trigger: PaymentTrigger,
  changes: PaymentChanges = {},
): Promise<PaymentRow> {
  const { now } = work.scope
  const status = nextState(paymentStates, payment.status, trigger)
  if (status === null || status === 'pending')
    throw new Error(`payment ${payment.id} is ${payment.status} and takes no '${trigger}'`)
  const saved = await update(work, payments, payment.id, {
    ...changes,
    status,
    ended_at: now,
    updated_at: now,
  })
  await endAccountOfPayment(work, saved.id, status === 'expired' ? 'expired' : 'closed')
  const unanswered = await work.rows(giveUpChallenges, [saved.id, now])
  for (const attempt of unanswered) await scheduleLateQueries(work, saved.id, attempt.id)
  await emit(work, paymentEvents, `payment.${status}`, toPayment(work, saved))
  const origin = originOf(work, saved)
  await origin?.strategy.ended?.(work, origin.id, saved)
  return saved
}

/** When an attempt that was given up is asked about again: a bank may have taken its time. */
const lateQueriesAfterMs = [10 * 60_000, 86_400_000]

/**
 * Asks again, later, about an attempt that was given up: what turns out to have been charged is
 * booked.
 */
export async function scheduleLateQueries(work: Work, payment: Id, attempt: Id): Promise<void> {
  for (const ms of lateQueriesAfterMs)
    await schedule(work, queryTimer(payment, attempt, later(work.scope.now, ms)))
}

/** The timer that asks about a card attempt. */
export const queryTimer = (payment: Id, attempt: Id, dueAt: Date) => ({
  task: queryAttemptTask,
  subject: attempt,
  dueAt,
  payload: { payment_id: payment, attempt_id: attempt },
})

/**
 * Marks that the payer starts to pay. The collection it belongs to may have no place left.
 * @throws {Refusal} what its origin refuses with
 */
export async function markStarted(work: Work, payment: PaymentRow): Promise<PaymentRow> {
  if (payment.begun) return payment
  const origin = originOf(work, payment)
  await origin?.strategy.starting?.(work, origin.id, payment)
  return save(work, payment, { begun: true })
}

/** Whether it can still be paid: pending, and its time is not over. */
export function isOpen(
  { scope }: View,
  payment: { status: PaymentStatus; expires_at: Date },
): boolean {
  return payment.status === 'pending' && payment.expires_at > scope.now
}
