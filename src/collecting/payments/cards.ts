/**
 * Test payments by a card that is typed on our own page. An attempt is committed before the rail is
 * called, so that a lost answer can be queried. Only the card's brand and last four digits are
 * kept.
 */

import { insert, type Work } from '../../core/inside.ts'
import type { Ctx } from '../../core/outside.ts'
import { later } from '../../lib/clock.ts'
import { Refusal } from '../../lib/errors.ts'
import { type Id, newId } from '../../lib/ids.ts'
import { schedule } from '../../platform/jobs/timers.ts'
import { cardRail } from '../../rails/accounts/choice.ts'
import type { Card, ChargeOrder, ChargeState } from '../../rails/ports/cards.ts'
import {
  admitAttempt,
  queryAfterMs,
  queryChallengeAfterMs,
  retryBookingAfterMs,
  scheduleNextQuery,
  transitionAttempt,
} from './attempts.ts'
import { receive } from './receive.ts'
import { isOpen, lock, queryTimer, save, scheduleLateQueries, transition } from './record.ts'
import { refuse } from './refusals.ts'
import type { CardAttemptRow, PaymentRow } from './sql.ts'
import * as statements from './sql.ts'

const brands: [RegExp, string][] = [
  [/^4/, 'visa'],
  [/^(5[1-5]|2(22[1-9]|2[3-9]|[3-6]|7[01]|720))/, 'mastercard'],
  [/^(506[01]|507[89]|6500)/, 'verve'],
  [/^3[47]/, 'amex'],
]

/**
 * Whether the rail accepts this card: a test page takes test cards only. @throws {Refusal}
 * `rail_not_configured`
 */
export const takesCard = (ctx: Ctx, { number }: Card): boolean =>
  cardRail(ctx).numbers?.test(number) ?? true

/**
 * Charges a card for the amount due, unless another attempt is active. Idempotent by `attemptId`.
 * The payment then has the outcome.
 * @throws {Refusal} `payment_not_pending`, `payment_processing`, `method_not_available`,
 * `too_many_attempts`, `amount_too_large`, `rail_not_configured`, and the codes of the payment's
 * collection. Nothing was charged.
 */
export async function chargeCard(
  ctx: Ctx,
  paymentId: Id,
  attemptId: Id,
  card: Card,
): Promise<void> {
  const rail = cardRail(ctx)
  const attempt = await ctx.write((work) => startAttempt(work, paymentId, attemptId, card))
  if (!attempt) return
  await settleCharge(ctx, attempt, async (order) => rail.charge(order, card))
}

/** Records an attempt. @returns null when it exists, or another attempt is active */
async function startAttempt(
  work: Work,
  paymentId: Id,
  attemptId: Id,
  card: Card,
): Promise<CardAttemptRow | null> {
  const { now } = work.scope
  const payment = await lock(work, paymentId)
  if (await work.row(statements.selectAttempt, [attemptId])) return null
  if (await work.row(statements.selectActiveAttempt, [paymentId])) return null
  const amount = await admitAttempt(work, payment)
  await schedule(work, queryTimer(paymentId, attemptId, later(now, queryAfterMs)))
  const attempt = {
    id: attemptId,
    payment_id: paymentId,
    status: 'processing',
    rail: work.terms.test.sandbox.cards.name,
    amount,
    brand: brands.find(([pattern]) => pattern.test(card.number))?.[1] ?? 'card',
    last4: card.number.slice(-4),
    created_at: now,
    updated_at: now,
  } as const
  return insert(work, statements.attempts, attempt, 'do nothing')
}

/**
 * Sends the payer's answer to a challenge to the rail.
 * @throws {Refusal} `payment_not_pending` when the payment has ended. Nothing was charged.
 */
export async function answerChallenge(ctx: Ctx, paymentId: Id, approved: boolean): Promise<void> {
  const rail = cardRail(ctx)
  const attempt = await ctx.write(async (work) => {
    const payment = await lock(work, paymentId)
    const active = await work.row(statements.selectActiveAttempt, [paymentId])
    if (active?.status !== 'challenge') return null
    if (!isOpen(work, payment)) refuse('payment_not_pending', 'The payment has ended.')
    await schedule(work, queryTimer(paymentId, active.id, later(work.scope.now, queryAfterMs)))
    return transitionAttempt(work, active, 'answer')
  })
  if (!attempt) return
  await settleCharge(ctx, attempt, (order) => rail.confirm(order, approved))
}

/** Queries the rail about an attempt whose answer was lost. */
export async function queryCharge(ctx: Ctx, attempt: CardAttemptRow): Promise<void> {
  if (attempt.status === 'succeeded') return
  await settleCharge(ctx, attempt, (order) => cardRail(ctx).ask(order))
}

/** Calls the card rail. An exception means `unknown`: the card may have been charged. */
async function callRail(
  ctx: Ctx,
  { id, payment_id, amount }: CardAttemptRow,
  call: (order: ChargeOrder) => Promise<ChargeState>,
): Promise<ChargeState> {
  const { businessId, now } = ctx.scope
  const { currency } = (await ctx.row(statements.selectById, [payment_id])) as PaymentRow
  try {
    return await call({ id, businessId, amount, currency, at: now })
  } catch (error) {
    ctx.log.error({ err: error, attempt: id }, 'the card rail could not be reached')
    return { state: 'unknown', askAgainInMs: 5_000 }
  }
}

/**
 * Calls the card rail and applies the state that it reports. Idempotent: a repeat is a no-op. Where
 * the wallet cannot hold a charge, a timer retries the booking until it can.
 */
async function settleCharge(
  ctx: Ctx,
  attempt: CardAttemptRow,
  call: (order: ChargeOrder) => Promise<ChargeState>,
): Promise<void> {
  const state = await callRail(ctx, attempt, call)
  try {
    await ctx.write((work) => applyChargeState(work, attempt, state))
  } catch (error) {
    if (!(error instanceof Refusal) || state.state !== 'succeeded') throw error
    ctx.log.error({ err: error, attempt: attempt.id }, 'a charged card could not be booked yet')
    const dueAt = later(ctx.scope.now, retryBookingAfterMs)
    await ctx.write((work) => schedule(work, queryTimer(attempt.payment_id, attempt.id, dueAt)))
  }
}

type Subject = { payment: PaymentRow; attempt: CardAttemptRow }
type StateName = ChargeState['state']
type Step<Name extends StateName = StateName> = (
  work: Work,
  subject: Subject,
  state: Extract<ChargeState, { state: Name }>,
) => Promise<unknown>

/** What follows from a state, while the attempt is active. */
const steps: { readonly [Name in StateName]: Step<Name> } = {
  succeeded: bookCharge,
  declined: declineAttempt,
  challenge: challengePayer,
  unknown: (work, { attempt }, { askAgainInMs }) => scheduleQuery(work, attempt, askAgainInMs),
  not_found: failLostCharge,
}

async function applyChargeState(
  work: Work,
  { id, payment_id }: CardAttemptRow,
  state: ChargeState,
): Promise<void> {
  const payment = await lock(work, payment_id)
  const attempt = (await work.row(statements.lockAttempt, [id])) as CardAttemptRow
  if (attempt.status === 'succeeded') return
  // An attempt that has failed may still turn out to have charged the card.
  if (attempt.status === 'failed' && state.state !== 'succeeded') {
    if (state.state === 'unknown') await scheduleNextQuery(work, attempt)
    return
  }
  await (steps[state.state] as Step)(work, { payment, attempt }, state)
}

const scheduleQuery = (
  work: Work,
  { id, payment_id }: CardAttemptRow,
  inMs: number,
): Promise<void> => schedule(work, queryTimer(payment_id, id, later(work.scope.now, inMs)))

const ageOf = ({ created_at }: CardAttemptRow, { scope }: Work): number =>
  scope.now.getTime() - created_at.getTime()

async function bookCharge(
  work: Work,
  { payment, attempt }: Subject,
  { providerReference }: Extract<ChargeState, { state: 'succeeded' }>,
): Promise<void> {
  const booked = await receive(work, payment, {
    transaction: newId(work.scope.now),
    method: 'card',
    amount: attempt.amount,
    rail: attempt.rail,
    source: { brand: attempt.brand as string, last4: attempt.last4 as string },
    // The API's name for a card attempt: merchants have stored it.
    related: { card_try: attempt.id },
  })
  await transitionAttempt(work, attempt, 'succeed', {
    transaction_id: booked.id,
    provider_reference: providerReference,
  })
}

async function declineAttempt(
  work: Work,
  { payment, attempt }: Subject,
  { reason, providerReference, final }: Extract<ChargeState, { state: 'declined' }>,
): Promise<void> {
  await transitionAttempt(work, attempt, 'fail', {
    failure_reason: reason,
    provider_reference: providerReference,
  })
  // An invoice stays due, and money that is being confirmed can still pay for the rest.
  const failsPayment = final && payment.invoice_id === null && payment.amount_confirming === 0n
  if (failsPayment && payment.status === 'pending')
    await transition(work, payment, 'fail', { failure_reason: reason })
  else await save(work, payment, { failure_reason: reason })
}

async function challengePayer(work: Work, { payment, attempt }: Subject): Promise<void> {
  // The page shows no challenge once the payment has ended, but the bank may still get an answer.
  if (payment.status !== 'pending') {
    await transitionAttempt(work, attempt, 'fail', { failure_reason: 'not_completed' })
    return scheduleLateQueries(work, payment.id, attempt.id)
  }
  if (attempt.status === 'processing') await transitionAttempt(work, attempt, 'challenge')
  if (isOpen(work, payment))
    await scheduleQuery(work, attempt, Math.max(queryChallengeAfterMs, ageOf(attempt, work)))
}

/** Fails an attempt that the rail does not know, once the charge cannot arrive there any more. */
async function failLostCharge(work: Work, { payment, attempt }: Subject): Promise<void> {
  const waitMs = work.terms.test.sandbox.cards.chargeLifeMs - ageOf(attempt, work)
  if (waitMs > 0) return scheduleQuery(work, attempt, waitMs)
  await transitionAttempt(work, attempt, 'fail', { failure_reason: 'processing_error' })
  await scheduleLateQueries(work, payment.id, attempt.id)
  await save(work, payment, { failure_reason: 'processing_error' })
}
