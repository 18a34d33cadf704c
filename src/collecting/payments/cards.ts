/**
 * Paying by a card that is typed on our page, which only test pages take. An attempt is committed
 * before the rail is asked, and what the rail says is applied in a transaction of its own: an
 * answer that never comes is asked about later, under the same id. Of the card, only brand and last
 * four digits are kept.
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
  askAfterMs,
  askChallengeMs,
  bookAgainMs,
  scheduleNextAsk,
  transitionAttempt,
} from './attempts.ts'
import { receive } from './receive.ts'
import { askTimer, isOpen, lock, save, scheduleLateAsks, transition } from './record.ts'
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
 * Whether the rail may be given this card: a test page takes test cards only. @throws {Refusal}
 * `rail_not_configured`
 */
export const takesCard = (ctx: Ctx, { number }: Card): boolean =>
  cardRail(ctx).numbers?.test(number) ?? true

/**
 * Charges a card for what is due. The same `attemptId` charges once; while an attempt is active,
 * another is not started. The outcome is to be read from the payment afterwards.
 * @throws {Refusal} `payment_not_pending`, `payment_processing`, `method_not_available`,
 * `too_many_attempts`,
 * `amount_too_large` when the wallet could not take it, `rail_not_configured`, and what the
 * collection it belongs to
 *   refuses with: nothing was charged
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
  await settleCharge(
    ctx,
    attempt,
    await askRail(ctx, attempt, async (order) => rail.charge(order, card)),
  )
}

/** Records an attempt. @returns null when it was made before, or another is active */
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
  await schedule(work, askTimer(paymentId, attemptId, later(now, askAfterMs)))
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
 * Gives the rail the payer's answer to a challenge.
 * @throws {Refusal} `payment_not_pending` when the payment has ended; nothing was charged
 */
export async function answerChallenge(ctx: Ctx, paymentId: Id, approved: boolean): Promise<void> {
  const rail = cardRail(ctx)
  const attempt = await ctx.write(async (work) => {
    const payment = await lock(work, paymentId)
    const active = await work.row(statements.selectActiveAttempt, [paymentId])
    if (active?.status !== 'challenge') return null
    if (!isOpen(work, payment)) refuse('payment_not_pending', 'The payment has ended.')
    await schedule(work, askTimer(paymentId, active.id, later(work.scope.now, askAfterMs)))
    return transitionAttempt(work, active, 'answer')
  })
  if (!attempt) return
  await settleCharge(
    ctx,
    attempt,
    await askRail(ctx, attempt, (order) => rail.confirm(order, approved)),
  )
}

/** Asks the rail about an attempt whose answer was lost. */
export async function askCharge(ctx: Ctx, attempt: CardAttemptRow): Promise<void> {
  if (attempt.status === 'succeeded') return
  await settleCharge(ctx, attempt, await askRail(ctx, attempt, (order) => cardRail(ctx).ask(order)))
}

/** A rail that throws has not said that nothing happened. */
async function askRail(
  ctx: Ctx,
  attempt: CardAttemptRow,
  ask: (order: ChargeOrder) => Promise<ChargeState>,
): Promise<ChargeState> {
  const { businessId, now } = ctx.scope
  const payment = (await ctx.row(statements.selectById, [attempt.payment_id])) as PaymentRow
  try {
    const order = {
      id: attempt.id,
      businessId,
      amount: attempt.amount,
      currency: payment.currency,
      at: now,
    }
    return await ask(order)
  } catch (error) {
    ctx.log.error({ err: error, attempt: attempt.id }, 'the card rail could not be reached')
    return { state: 'unknown', askAgainInMs: 5_000 }
  }
}

/**
 * Applies what the rail says of an attempt. Idempotent: a repeat is a no-op. A charge that shows
 * after the attempt was given up is booked all the same.
 */
async function settleCharge(ctx: Ctx, attempt: CardAttemptRow, state: ChargeState): Promise<void> {
  try {
    await ctx.write((work) => applyChargeState(work, attempt, state))
  } catch (error) {
    // The card is charged, and the wallet cannot take it: a timer asks again for as long as it
    // takes.
    if (!(error instanceof Refusal) || state.state !== 'succeeded') throw error
    ctx.log.error({ err: error, attempt: attempt.id }, 'a charged card could not be booked yet')
    const timer = askTimer(attempt.payment_id, attempt.id, later(ctx.scope.now, bookAgainMs))
    await ctx.write((work) => schedule(work, timer))
  }
}

async function applyChargeState(
  work: Work,
  { id, payment_id }: CardAttemptRow,
  state: ChargeState,
): Promise<void> {
  const { now } = work.scope
  const payment = await lock(work, payment_id)
  const attempt = (await work.row(statements.lockAttempt, [id])) as CardAttemptRow
  const charged = state.state === 'succeeded'
  if (attempt.status === 'succeeded') return
  if (attempt.status === 'failed' && !charged) {
    if (state.state === 'unknown') await scheduleNextAsk(work, attempt)
    return
  }
  switch (state.state) {
    case 'succeeded': {
      const booked = await receive(work, payment, {
        transaction: newId(now),
        method: 'card',
        amount: attempt.amount,
        rail: attempt.rail,
        source: { brand: attempt.brand as string, last4: attempt.last4 as string },
        // The API's name for a card attempt: merchants have stored it.
        related: { card_try: id },
      })
      const { providerReference } = state
      await transitionAttempt(work, attempt, 'succeed', {
        transaction_id: booked.id,
        provider_reference: providerReference,
      })
      return
    }
    case 'declined': {
      const { reason, providerReference } = state
      await transitionAttempt(work, attempt, 'fail', {
        failure_reason: reason,
        provider_reference: providerReference,
      })
      // An invoice is still owed, whatever became of a card; and what is being confirmed is on its
      // way.
      const ends = state.final && payment.invoice_id === null && payment.amount_confirming === 0n
      if (ends && payment.status === 'pending')
        await transition(work, payment, 'fail', { failure_reason: reason })
      else await save(work, payment, { failure_reason: reason })
      return
    }
    case 'challenge':
      // The page asks for no answer any more, but the payer's bank may still be given one.
      if (payment.status !== 'pending') {
        await transitionAttempt(work, attempt, 'fail', { failure_reason: 'not_completed' })
        return scheduleLateAsks(work, payment_id, id)
      }
      if (attempt.status === 'processing') await transitionAttempt(work, attempt, 'challenge')
      if (isOpen(work, payment)) {
        const age = now.getTime() - attempt.created_at.getTime()
        await schedule(work, askTimer(payment_id, id, later(now, Math.max(askChallengeMs, age))))
      }
      return
    case 'unknown':
      await schedule(work, askTimer(payment_id, id, later(now, state.askAgainInMs)))
      return
    case 'not_found': {
      // The charge may still be on its way: only when the rail cannot take it any more has nothing
      // happened.
      const waitMs =
        attempt.created_at.getTime() + work.terms.test.sandbox.cards.chargeLifeMs - now.getTime()
      if (waitMs > 0) return schedule(work, askTimer(payment_id, id, later(now, waitMs)))
      await transitionAttempt(work, attempt, 'fail', { failure_reason: 'processing_error' })
      await scheduleLateAsks(work, payment_id, id)
      await save(work, payment, { failure_reason: 'processing_error' })
    }
  }
}
