/**
 * Card attempts, whether the card is typed on our page or at a provider: their limits, their
 * states, and the queries after they have failed.
 */
import { walletIn } from '../../books/wallets/wallets.ts'
import { update, type View, type Work } from '../../core/inside.ts'
import { later } from '../../lib/clock.ts'
import type { Id } from '../../lib/ids.ts'
import { maxAmount } from '../../lib/money.ts'
import { nextState } from '../../lib/states.ts'
import { schedule } from '../../platform/jobs/timers.ts'
import { amountToRequest, isCovered } from './receive.ts'
import { isOpen, markStarted, queryTimer, save } from './record.ts'
import { refuse } from './refusals.ts'
import type { CardAttemptRow, PaymentRow } from './sql.ts'
import * as statements from './sql.ts'
import { type AttemptTrigger, attemptStates } from './states.ts'

/** Delay before an attempt without an answer is queried: longer than the call's own timeout. */
export const queryAfterMs = 30_000
/** Delay before the first query of a challenge: the bank may end it without us. It then grows. */
export const queryChallengeAfterMs = 60_000
/** Delay before a charge that the wallet could not hold is booked again. */
export const retryBookingAfterMs = 5 * 60_000
/** Attempts per payment: enough for a payer, too few to test stolen cards. */
const maxAttempts = 20
const dayMs = 86_400_000
/** How long a failed attempt is queried while the rail cannot be reached. */
const lateQueriesForMs = 30 * dayMs

/**
 * Admits an attempt. The caller has locked the payment, which has no other active attempt.
 * @returns the amount to charge, in minor units
 * @throws {Refusal} `payment_not_pending`, `payment_processing`, `method_not_available`,
 * `too_many_attempts`, `amount_too_large`, and the codes of the payment's collection
 */
export async function admitAttempt(work: Work, payment: PaymentRow): Promise<bigint> {
  if (!isOpen(work, payment)) refuse('payment_not_pending', 'The payment has ended.')
  if (isCovered(work, payment, 'card'))
    refuse('payment_processing', 'A transfer for the payment is being confirmed.')
  if (!payment.methods.includes('card'))
    refuse('method_not_available', 'The payment cannot be paid by card.')
  if (!(await hasAttemptsLeft(work, payment)))
    refuse(
      'too_many_attempts',
      `The payment has been tried ${maxAttempts} times; ask for a new payment.`,
    )
  const amount = amountToRequest(work, payment, 'card')
  // Checked now: once the card is charged, it is too late.
  const { available } = await walletIn(work, payment.currency)
  if (available + amount > maxAmount)
    refuse(
      'amount_too_large',
      `The ${payment.currency} wallet cannot hold this amount; pay out some of the balance first.`,
    )
  await markStarted(work, payment)
  await save(work, payment, { attempts: payment.attempts + 1 })
  return amount
}

/** Whether a payment has attempts left: in all, or per day where it belongs to an invoice. */
export async function hasAttemptsLeft(view: View, payment: PaymentRow): Promise<boolean> {
  if (payment.attempts < maxAttempts || payment.invoice_id === null)
    return payment.attempts < maxAttempts
  const row = await view.row(statements.countAttemptsSince, [
    payment.id,
    later(view.scope.now, -dayMs),
  ])
  return Number(row?.count ?? 0n) < maxAttempts
}

/** Returns a card attempt by its id. @throws {Error} when there is none */
export async function attemptOf(view: View, id: string): Promise<CardAttemptRow> {
  const attempt = await view.row(statements.selectAttempt, [id])
  if (!attempt) throw new Error(`there is no card attempt ${id}`)
  return attempt
}

/** Returns the latest attempt of a payment, or null. */
export function latestAttempt(view: View, paymentId: Id): Promise<CardAttemptRow | null> {
  return view.row(statements.selectLatestAttempt, [paymentId])
}

/**
 * Schedules the next query of a failed attempt that may have been charged, in ever longer steps.
 */
export async function scheduleNextQuery(
  work: Work,
  { id, payment_id, updated_at: failedAt }: CardAttemptRow,
): Promise<void> {
  const { now } = work.scope
  const age = now.getTime() - failedAt.getTime()
  if (age > lateQueriesForMs) return
  await schedule(work, queryTimer(payment_id, id, later(now, Math.max(queryChallengeAfterMs, age))))
}

/** Columns that change with an attempt's state. */
type AttemptChanges = Partial<
  Pick<
    CardAttemptRow,
    | 'failure_reason'
    | 'provider_reference'
    | 'transaction_id'
    | 'brand'
    | 'last4'
    | 'url'
    | 'ends_at'
    | 'channel'
    | 'confirming'
  >
>

/** The one way an attempt changes its state. @throws {Error} when the table does not allow it */
export async function transitionAttempt(
  work: Work,
  attempt: CardAttemptRow,
  trigger: AttemptTrigger,
  changes: AttemptChanges = {},
): Promise<CardAttemptRow> {
  const status = nextState(attemptStates, attempt.status, trigger)
  if (status === null)
    throw new Error(`card attempt ${attempt.id} is ${attempt.status}: no '${trigger}'`)
  return update(work, statements.attempts, attempt.id, {
    failure_reason: null,
    ...changes,
    status,
    updated_at: work.scope.now,
  })
}
