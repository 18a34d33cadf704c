/**
 * What attempts to pay by card have in common, whether the card is typed on our page or at a
 * provider: when one may start, how it changes, and for how long one that was given up is asked
 * about.
 */
import { walletIn } from '../../books/wallets/wallets.ts'
import { update, type View, type Work } from '../../core/inside.ts'
import { later } from '../../lib/clock.ts'
import type { Id } from '../../lib/ids.ts'
import { maxAmount } from '../../lib/money.ts'
import { nextState } from '../../lib/states.ts'
import { schedule } from '../../platform/jobs/timers.ts'
import { askedOf, isCovered } from './receive.ts'
import { askTimer, isOpen, markStarted, save } from './record.ts'
import { refuse } from './refusals.ts'
import type { CardAttemptRow, PaymentRow } from './sql.ts'
import * as statements from './sql.ts'
import { type AttemptTrigger, attemptStates } from './states.ts'

/**
 * When an attempt whose answer was lost is asked about, at the latest: after the call itself has
 * timed out.
 */
export const askAfterMs = 30_000
/**
 * How soon a challenge is asked about that the payer's bank may have ended without us; then in ever
 * longer steps.
 */
export const askChallengeMs = 60_000
/** How long until a charge that could not be booked is asked about again. */
export const bookAgainMs = 5 * 60_000
/** Attempts a payment takes: enough for a payer, too few for someone who tests stolen cards. */
const maxAttempts = 20
const dayMs = 86_400_000
/** How long after it was given up an attempt is asked about, when the rail cannot be reached. */
const longestLateMs = 30 * dayMs

/**
 * Lets an attempt start of a payment that the caller has locked, and that has no other active.
 * @returns what is to be charged
 * @throws {Refusal} `payment_not_pending`, `payment_processing`, `method_not_available`,
 * `too_many_attempts`, `amount_too_large` when the
 *   wallet could not take it, and what the collection it belongs to refuses with
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
      `The payment has been tried ${maxAttempts} times; ask for a new one.`,
    )
  const amount = askedOf(work, payment, 'card')
  // Once it is charged, it is too late to find that the wallet cannot take it.
  const { available } = await walletIn(work, payment.currency)
  if (available + amount > maxAmount)
    refuse(
      'amount_too_large',
      `The ${payment.currency} wallet cannot hold so much more; pay some of it out first.`,
    )
  await markStarted(work, payment)
  await save(work, payment, { attempts: payment.attempts + 1 })
  return amount
}

/**
 * Whether a payment has attempts left: it has so many in all, and an invoice's, which lives long,
 * so many a day.
 */
export async function hasAttemptsLeft(view: View, payment: PaymentRow): Promise<boolean> {
  if (payment.attempts < maxAttempts || payment.invoice_id === null)
    return payment.attempts < maxAttempts
  const row = await view.row(statements.countAttemptsSince, [
    payment.id,
    later(view.scope.now, -dayMs),
  ])
  return Number(row?.count ?? 0n) < maxAttempts
}

/** A card attempt by its id. @throws {Error} when there is none */
export async function attemptOf(view: View, id: Id): Promise<CardAttemptRow> {
  const attempt = await view.row(statements.selectAttempt, [id])
  if (!attempt) throw new Error(`there is no card attempt ${id}`)
  return attempt
}

/** The latest attempt of a payment, or null. */
export function latestAttempt(view: View, paymentId: Id): Promise<CardAttemptRow | null> {
  return view.row(statements.selectLatestAttempt, [paymentId])
}

/**
 * The rail that took the money of an attempt: by it alone it goes back. @throws {Error} when there
 * is no such attempt
 */
export async function railOfAttempt(view: View, id: string): Promise<string> {
  const attempt = await view.row(statements.selectAttempt, [id])
  if (!attempt) throw new Error(`card attempt ${id} has vanished`)
  return attempt.rail
}

/**
 * Asks again about an attempt that was given up, of which the rail could not say whether it was
 * charged: in ever longer steps.
 */
export async function scheduleNextAsk(
  work: Work,
  { id, payment_id, updated_at: givenUpAt }: CardAttemptRow,
): Promise<void> {
  const { now } = work.scope
  const age = now.getTime() - givenUpAt.getTime()
  if (age > longestLateMs) return
  await schedule(work, askTimer(payment_id, id, later(now, Math.max(askChallengeMs, age))))
}

/** What changes of an attempt with its state. */
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
