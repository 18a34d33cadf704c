/** Finds, locks and changes payments: shared by the other files of this module. */
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

/** Converts a row to the API's record. */
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

/** Returns the URL of a hosted page. */
export function checkoutUrl({ origin }: Pick<Facts, 'origin'>, slug: string): string {
  return `${origin.url}/pay/${slug}`
}

/** @throws {Refusal} `not_found` */
export async function find(view: View, id: string): Promise<PaymentRow> {
  const row = await view.row(selectById, [id])
  return row ?? refuse('not_found', `There is no payment '${id}'.`)
}

/**
 * Locks a payment. Lock order: the payment, its account and attempts, its collection or invoice,
 * the ledger.
 * @throws {Refusal} `not_found`
 */
export async function lock(work: Work, id: string): Promise<PaymentRow> {
  const row = await work.row(lockById, [id])
  return row ?? refuse('not_found', `There is no payment '${id}'.`)
}

/** Changes a payment that the caller has locked. Only `transition` changes its status. */
export function save(work: Work, { id }: PaymentRow, changes: PaymentChanges): Promise<PaymentRow> {
  return update(work, payments, id, { ...changes, updated_at: work.scope.now })
}

/**
 * Ends a payment, which the caller has locked: the only way to change its status. Ends its account
 * and its challenges, emits the event, and calls its origin's strategy.
 * @param changes other columns that change with it
 * @throws {Error} when the state table does not allow it; callers check the status and refuse first
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

/** Delays of the queries after an attempt has failed: a bank may answer late. */
const lateQueriesAfterMs = [10 * 60_000, 86_400_000]

/** Schedules queries of a failed attempt. A charge that shows up is booked. */
export async function scheduleLateQueries(work: Work, payment: Id, attempt: Id): Promise<void> {
  for (const ms of lateQueriesAfterMs)
    await schedule(work, queryTimer(payment, attempt, later(work.scope.now, ms)))
}

/** Returns the timer that queries a card attempt. */
export const queryTimer = (payment: Id, attempt: Id, dueAt: Date) => ({
  task: queryAttemptTask,
  subject: attempt,
  dueAt,
  payload: { payment_id: payment, attempt_id: attempt },
})

/**
 * Marks that the payer starts to pay.
 * @throws {Refusal} the codes of its origin, such as a collection that is full
 */
export async function markStarted(work: Work, payment: PaymentRow): Promise<PaymentRow> {
  if (payment.begun) return payment
  const origin = originOf(work, payment)
  await origin?.strategy.starting?.(work, origin.id, payment)
  return save(work, payment, { begun: true })
}

/** Whether a payment can be paid: it is pending and has not expired. */
export function isOpen(
  { scope }: View,
  payment: { status: PaymentStatus; expires_at: Date },
): boolean {
  return payment.status === 'pending' && payment.expires_at > scope.now
}
