/**
 * What happens to a card attempt when its provider reports a state: a table of steps by the
 * attempt's status and the reported state, all inside one transaction.
 */
import { recordReceipt } from '../../books/receipts/receipts.ts'
import { update, type Work } from '../../core/inside.ts'
import { later } from '../../lib/clock.ts'
import { newId } from '../../lib/ids.ts'
import { keepProviderId } from '../../platform/inbound/inbound.ts'
import {
  type IncidentKind,
  openOwnIncident,
  stuckAfterMs,
} from '../../platform/incidents/incidents.ts'
import { schedule, unschedule } from '../../platform/jobs/timers.ts'
import { askAgainAfter } from '../../rails/http/backoff.ts'
import type { CheckoutState } from '../../rails/ports/rail.ts'
import { scheduleNextQuery, transitionAttempt } from './attempts.ts'
import { lockToReceive, receive } from './receive.ts'
import { lock, queryAttemptTask, queryTimer, save, scheduleLateQueries } from './record.ts'
import type { CardAttemptRow, PaymentRow } from './sql.ts'
import * as statements from './sql.ts'
import type { AttemptStatus } from './states.ts'

/** How long after its page's end an attempt is queried once more. */
const pageGraceMs = 3_600_000

/** What a rail reports of an attempt. */
type CheckoutReport<State extends CheckoutState = CheckoutState> = {
  state: State
  /** A webhook or another request caused the query: the attempt keeps the timer that it has. */
  isNotified: boolean
  /** The rail's time. */
  at: Date
  /** The provider's reference of the start that was paid; null unless the state is `paid`. */
  reference: string | null
}

type StateName = CheckoutState['state']
type Subject = { payment: PaymentRow; attempt: CardAttemptRow }
type Step<Name extends StateName = StateName> = (
  work: Work,
  subject: Subject,
  report: CheckoutReport<Extract<CheckoutState, { state: Name }>>,
) => Promise<unknown>

/** A status and reported state without a step here change nothing. */
const steps: Record<AttemptStatus, { readonly [Name in StateName]?: Step<Name> }> = {
  // Other states: there is no page yet. The request or its timer starts the attempt again.
  processing: { paid: bookPaid, open: redirect, ended: failStart },
  away: {
    paid: bookPaid,
    open: keepWaiting,
    confirming: keepWaiting,
    declined: keepWaiting,
    unknown: keepWaiting,
    quarantined: keepWaiting,
    not_found: keepWaiting,
    ended: fail,
    reversed: fail,
  },
  // These states do not rule out that it was paid.
  failed: {
    paid: bookPaid,
    confirming: queryLater,
    unknown: queryLater,
    quarantined: queryLater,
  },
  succeeded: { paid: reportSecondPayment, reversed: reportReversal },
  // Only a card that is typed on our own page is challenged.
  challenge: {},
}

/**
 * Applies what the rail reports of an attempt. Idempotent: a repeat is a no-op.
 * @param asked the attempt, with the start that the report is about
 * @throws {Refusal} `amount_too_large` when the wallet cannot hold what was paid
 */
export async function applyReport(
  work: Work,
  asked: CardAttemptRow,
  report: CheckoutReport,
): Promise<void> {
  const { state } = report
  // Booking a payment locks the ledger, so the payment's origin is locked before.
  const lockPayment = state.state === 'paid' ? lockToReceive : lock
  const payment = await lockPayment(work, asked.payment_id)
  const attempt = (await work.row(statements.lockAttempt, [asked.id])) as CardAttemptRow
  const subject = { payment, attempt }
  const hasSucceeded = attempt.status === 'succeeded'
  if (state.state === 'quarantined' && !hasSucceeded && !report.isNotified)
    await openIncident(work, subject, report, 'quarantined', state.sentence)
  // A report on an earlier start counts only if it says paid, or the attempt has succeeded.
  const isStale = attempt.starts !== asked.starts
  if (isStale && !hasSucceeded && state.state !== 'paid') return
  const step = steps[attempt.status][state.state] as Step | undefined
  await step?.(work, subject, report)
}

type Paid = Extract<CheckoutState, { state: 'paid' }>

/** Books the payment, unless its amount or its provider reference needs a person. */
async function bookPaid(
  work: Work,
  subject: Subject,
  report: CheckoutReport<Paid>,
): Promise<unknown> {
  const { payment, attempt } = subject
  const { paid, source, channel, providerReference } = report.state
  const transaction = newId(work.scope.now)
  const objection =
    paid.amount !== attempt.amount || paid.currency !== payment.currency
      ? 'another amount or currency was paid'
      : (await recordCharge(work, subject, report.state, transaction))
        ? null
        : `paid as ${providerReference}, which another record has booked`
  if (objection !== null) {
    await openIncident(work, subject, report, 'quarantined', objection)
    return scheduleQuery(work, attempt, report.at)
  }
  const { rail, amount } = attempt
  // The API's name for a card attempt: merchants have stored it.
  const related = { card_try: attempt.id }
  await receive(work, payment, { transaction, method: 'card', amount, rail, source, related })
  await keepProviderId(work, {
    rail,
    kind: 'checkout',
    providerId: providerReference,
    reference: report.reference as string,
  })
  return transitionAttempt(work, attempt, 'succeed', {
    transaction_id: transaction,
    provider_reference: providerReference,
    channel,
    confirming: false,
    brand: source?.brand ?? null,
    last4: source?.last4 ?? null,
  })
}

/** @returns false if another record has booked the same charge of the provider */
function recordCharge(
  work: Work,
  { payment, attempt }: Subject,
  { providerReference, fee, availableAt }: Paid,
  transaction: string,
): Promise<boolean> {
  return recordReceipt(work, {
    kind: 'charge',
    rail: attempt.rail,
    providerId: providerReference,
    subject: attempt.id,
    transaction,
    amount: attempt.amount,
    currency: payment.currency,
    fee,
    availableAt,
  })
}

/** Redirects the payer to the page that the provider has opened. */
async function redirect(
  work: Work,
  { attempt }: Subject,
  { state: { page }, at }: CheckoutReport<Extract<CheckoutState, { state: 'open' }>>,
): Promise<void> {
  if (page === null) return
  const away = await transitionAttempt(work, attempt, 'redirect', {
    url: page.url,
    ends_at: page.endsAt,
    provider_reference: page.providerReference,
  })
  await scheduleQuery(work, away, at)
}

type Over = Extract<CheckoutState, { state: 'ended' | 'reversed' }>

/** Fails an attempt whose page never opened. */
async function failStart(
  work: Work,
  { payment, attempt }: Subject,
  { state }: CheckoutReport<Extract<CheckoutState, { state: 'ended' }>>,
): Promise<void> {
  await failAttempt(work, attempt, state.reason)
  // The provider may have refused the payer's address: the next payer is asked for it again.
  await save(work, payment, { failure_reason: state.reason, payer_email: null })
}

async function fail(
  work: Work,
  { payment, attempt }: Subject,
  { state }: CheckoutReport<Over>,
): Promise<void> {
  const reason = state.state === 'ended' ? state.reason : 'not_completed'
  await failAttempt(work, attempt, reason)
  await save(work, payment, { failure_reason: reason })
}

/** Records the progress of an attempt whose page may still be paid, and queries it again later. */
async function keepWaiting(work: Work, subject: Subject, report: CheckoutReport): Promise<void> {
  const { payment, attempt } = subject
  const { state, at, isNotified } = report
  const isUnclear = state.state === 'unknown' || state.state === 'quarantined'
  const confirming = state.state === 'confirming' || (attempt.confirming && isUnclear)
  const failure =
    state.state === 'declined'
      ? state.reason
      : state.state === 'unknown'
        ? attempt.failure_reason
        : null
  if (confirming !== attempt.confirming || failure !== attempt.failure_reason) {
    await update(work, statements.attempts, attempt.id, { confirming, failure_reason: failure })
    if (failure !== null) await save(work, payment, { failure_reason: failure })
  }
  if (at.getTime() - attempt.created_at.getTime() >= stuckAfterMs)
    await openIncident(work, subject, report, 'stuck', 'the provider has not said how it ended')
  if (!isNotified) await scheduleQuery(work, attempt, at)
}

/** Queries a failed attempt again: it may turn out to have been paid. */
async function queryLater(work: Work, { attempt }: Subject): Promise<void> {
  await scheduleNextQuery(work, attempt)
}

/** Reports a second charge for one attempt. */
async function reportSecondPayment(
  work: Work,
  subject: Subject,
  report: CheckoutReport<Paid>,
): Promise<void> {
  const { providerReference } = report.state
  if (providerReference === subject.attempt.provider_reference) return
  const what = `paid once more, as ${providerReference}`
  await openIncident(work, subject, report, 'quarantined', what)
}

/** Reports a reversal at the provider, unless refunds of ours explain all of it. */
async function reportReversal(
  work: Work,
  subject: Subject,
  report: CheckoutReport<Over>,
): Promise<void> {
  const { payment, attempt } = subject
  const refunded = await work.strategies.reversals.sentBack(work, payment.id, attempt.id)
  if (refunded >= attempt.amount) return
  const what = 'the money was given back at the provider'
  await openIncident(work, subject, report, 'reversed', what)
}

function openIncident(
  work: Work,
  { payment, attempt }: Subject,
  { at }: CheckoutReport,
  kind: IncidentKind,
  what: string,
): Promise<unknown> {
  const { id: subject, rail } = attempt
  return openOwnIncident(work, { rail, kind, subject, at, detail: { payment: payment.id, what } })
}

/**
 * Schedules the next query of an attempt: in ever longer steps since its payer left or returned
 * last, and once after its page has ended.
 */
async function scheduleQuery(work: Work, attempt: CardAttemptRow, at: Date): Promise<void> {
  const activeAt = attempt.asked_at ?? attempt.updated_at
  const stepMs = askAgainAfter(at.getTime() - activeAt.getTime())
  const graceMs =
    attempt.ends_at === null ? 0 : attempt.ends_at.getTime() + pageGraceMs - at.getTime()
  await setTimer(work, attempt, later(at, graceMs > 0 ? Math.min(stepMs, graceMs) : stepMs))
}

/** Sets the one timer of an attempt. */
export async function setTimer(
  work: Work,
  { id, payment_id }: Pick<CardAttemptRow, 'id' | 'payment_id'>,
  dueAt: Date,
): Promise<void> {
  await unschedule(work.tx, work.scope.businessId, queryAttemptTask, [id])
  await schedule(work, queryTimer(payment_id, id, dueAt))
}

/** Ends an attempt without money. A payment that shows up later is still booked. */
export async function failAttempt(
  work: Work,
  attempt: CardAttemptRow,
  reason: string,
): Promise<void> {
  await transitionAttempt(work, attempt, 'fail', { failure_reason: reason, confirming: false })
  await unschedule(work.tx, work.scope.businessId, queryAttemptTask, [attempt.id])
  await scheduleLateQueries(work, attempt.payment_id, attempt.id)
}
