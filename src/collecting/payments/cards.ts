/**
 * Paying by card. A try is written down and committed before the rail is asked, and the rail is asked outside of any
 * transaction (the sandbox alone is also asked within one, by `simulate` with an Idempotency-Key): an answer that never comes is
 * asked about later, under the same id. Of the card, only brand and last four digits are kept.
 */

import { listWallets } from '../../books/wallets/wallets.ts'
import { type Ctx, inTransaction, railOf, reader } from '../../core/context.ts'
import type { Tx } from '../../db/db.ts'
import { later } from '../../lib/clock.ts'
import { Refusal, refuse } from '../../lib/errors.ts'
import { type Id, newId } from '../../lib/ids.ts'
import { maxAmount } from '../../lib/money.ts'
import { nextState } from '../../lib/states.ts'
import { schedule } from '../../platform/jobs/timers.ts'
import type { Card, ChargeOrder, ChargeState } from '../../rails/rail.ts'
import { askedOf, isCovered, receive } from './receive.ts'
import { askLate, askTimer, begin, isOpen, lock, save, transition } from './record.ts'
import {
  type AttemptRow,
  countTriesSince,
  insertAttempt,
  lockAttempt,
  type PaymentRow,
  selectAttempt,
  selectById,
  selectLatestAttempt,
  selectOpenAttempt,
  updateAttempt,
} from './sql.ts'
import { type AttemptTrigger, attemptStates } from './states.ts'

/** When a try whose answer was not heard is asked about, at the latest: after the charge itself was given up. */
const askAfterMs = 30_000
/** How soon a challenge is asked about that the payer's bank may have ended without us; then in ever longer steps. */
const askChallengeMs = 60_000
/** How long until a charge that could not be booked is asked about again. */
const bookAgainMs = 5 * 60_000
/** Tries a payment takes: enough for a payer, too few for someone who tests stolen cards. */
const maxAttempts = 20
const dayMs = 86_400_000
/** How long after it was given up a try is asked about, when the rail cannot be reached. */
const longestLateMs = 30 * dayMs

const brands: [RegExp, string][] = [
  [/^4/, 'visa'],
  [/^(5[1-5]|2(22[1-9]|2[3-9]|[3-6]|7[01]|720))/, 'mastercard'],
  [/^(506[01]|507[89]|6500)/, 'verve'],
  [/^3[47]/, 'amex'],
]

/**
 * Charges a card for what is due. The same `attemptId` charges once; while a try is open, another is not begun.
 * The outcome is to be read from the payment afterwards.
 * @throws {Refusal} `payment_not_pending`, `payment_processing`, `method_not_available`, `too_many_attempts`,
 *   `amount_too_large` when the wallet could not take it, `rail_not_configured`, and what the collection it stems from refuses
 *   with: nothing was charged
 */
export async function chargeCard(ctx: Ctx, paymentId: Id, attemptId: Id, card: Card): Promise<void> {
  const { businessId, livemode, now } = ctx.scope
  const rail = railOf(ctx, 'cards')
  const attempt = await inTransaction(ctx, async (tx) => {
    const inside: Ctx = { ...ctx, tx }
    let payment = await lock(inside, paymentId)
    if (await tx.row(selectAttempt, [businessId, livemode, attemptId])) return null
    if (await tx.row(selectOpenAttempt, [businessId, livemode, paymentId])) return null
    if (!isOpen(ctx, payment)) refuse('payment_not_pending', 'The payment has ended.')
    if (isCovered(ctx, payment, 'card')) refuse('payment_processing', 'A transfer for the payment is being confirmed.')
    if (!payment.methods.includes('card')) refuse('method_not_available', 'The payment cannot be paid by card.')
    if (!(await takesCards(inside, payment)))
      refuse('too_many_attempts', `The payment has been tried ${maxAttempts} times; ask for a new one.`)
    const amount = askedOf(ctx, payment, 'card')
    // Once it is charged, it is too late to find that the wallet cannot take it.
    const [wallet] = await listWallets(inside, payment.currency)
    if ((wallet?.available ?? 0n) + amount > maxAmount)
      refuse('amount_too_large', `The ${payment.currency} wallet cannot hold so much more; pay some of it out first.`)
    payment = await begin(inside, payment)
    await save(inside, { ...payment, attempts: payment.attempts + 1 })
    await schedule(tx, ctx.scope, askTimer(paymentId, attemptId, later(now, askAfterMs)))
    return tx.row(insertAttempt, [
      businessId,
      livemode,
      attemptId,
      paymentId,
      rail.name,
      amount,
      brands.find(([pattern]) => pattern.test(card.number))?.[1] ?? 'card',
      card.number.slice(-4),
      now,
    ])
  })
  if (!attempt) return
  await settle(ctx, attempt, await heard(ctx, attempt, async (order) => rail.charge(order, card)))
}

/**
 * Gives the rail the payer's answer to a challenge.
 * @throws {Refusal} `payment_not_pending` when the payment has ended; nothing was charged
 */
export async function answerChallenge(ctx: Ctx, paymentId: Id, approved: boolean): Promise<void> {
  const rail = railOf(ctx, 'cards')
  const attempt = await inTransaction(ctx, async (tx) => {
    const inside: Ctx = { ...ctx, tx }
    const payment = await lock(inside, paymentId)
    const open = await tx.row(selectOpenAttempt, [ctx.scope.businessId, ctx.scope.livemode, paymentId])
    if (open?.status !== 'challenge') return null
    if (!isOpen(ctx, payment)) refuse('payment_not_pending', 'The payment has ended.')
    await schedule(tx, ctx.scope, askTimer(paymentId, open.id, later(ctx.scope.now, askAfterMs)))
    return change(inside, open, 'answer')
  })
  if (!attempt) return
  await settle(ctx, attempt, await heard(ctx, attempt, (order) => rail.confirm(order, approved)))
}

/** Asks the rail about a try whose answer was not heard. */
export async function askCharge(ctx: Ctx, paymentId: Id, attemptId: Id): Promise<void> {
  const { businessId, livemode } = ctx.scope
  const attempt = await ctx.db.row(selectAttempt, [businessId, livemode, attemptId])
  if (attempt?.payment_id !== paymentId || attempt.status === 'succeeded') return
  await settle(ctx, attempt, await heard(ctx, attempt, (order) => railOf(ctx, 'cards').ask(order)))
}

/** Whether a payment has tries left: it has so many in all, and an invoice's, which lives long, so many a day. */
export async function takesCards(ctx: Ctx, payment: PaymentRow): Promise<boolean> {
  if (payment.attempts < maxAttempts || payment.invoice_id === null) return payment.attempts < maxAttempts
  const { businessId, livemode, now } = ctx.scope
  const row = await reader(ctx).row(countTriesSince, [businessId, livemode, payment.id, later(now, -dayMs)])
  return Number(row?.count ?? 0n) < maxAttempts
}

/** The latest try of a payment, or null. */
export function latestAttempt(ctx: Ctx, paymentId: Id): Promise<AttemptRow | null> {
  return reader(ctx).row(selectLatestAttempt, [ctx.scope.businessId, ctx.scope.livemode, paymentId])
}

/** A rail that throws has not said that nothing happened. */
async function heard(
  ctx: Ctx,
  attempt: AttemptRow,
  ask: (order: ChargeOrder) => Promise<ChargeState>,
): Promise<ChargeState> {
  const { businessId, livemode, now } = ctx.scope
  const payment = (await reader(ctx).row(selectById, [businessId, livemode, attempt.payment_id])) as PaymentRow
  try {
    const order = { id: attempt.id, businessId, amount: attempt.amount, currency: payment.currency, at: now }
    return await ask(order)
  } catch (error) {
    ctx.log.error({ err: error, attempt: attempt.id }, 'the card rail could not be reached')
    return { state: 'unknown', askAgainInMs: 5_000 }
  }
}

/**
 * Applies what the rail says of a try. Told twice, the second time does nothing; a charge that shows after the try was given up
 * is booked all the same.
 */
async function settle(ctx: Ctx, attempt: AttemptRow, state: ChargeState): Promise<void> {
  try {
    await apply(ctx, attempt, state)
  } catch (error) {
    // The card is charged, and the wallet cannot take it: a timer asks again for as long as it takes.
    if (!(error instanceof Refusal) || state.state !== 'succeeded' || ctx.tx) throw error
    ctx.log.error({ err: error, attempt: attempt.id }, 'a charged card could not be booked yet')
    const timer = askTimer(attempt.payment_id, attempt.id, later(ctx.scope.now, bookAgainMs))
    await inTransaction(ctx, (tx) => schedule(tx, ctx.scope, timer))
  }
}

function apply(ctx: Ctx, { id, payment_id }: AttemptRow, state: ChargeState): Promise<void> {
  const { businessId, livemode, now } = ctx.scope
  return inTransaction(ctx, async (tx) => {
    const inside: Ctx = { ...ctx, tx }
    const payment = await lock(inside, payment_id)
    const attempt = (await tx.row(lockAttempt, [businessId, livemode, id])) as AttemptRow
    const charged = state.state === 'succeeded'
    if (attempt.status === 'succeeded') return
    if (attempt.status === 'failed' && !charged) {
      if (state.state === 'unknown') await askLater(inside, attempt)
      return
    }
    switch (state.state) {
      case 'succeeded': {
        const booked = await receive(inside, payment, {
          transaction: newId(now),
          method: 'card',
          amount: attempt.amount,
          rail: attempt.rail,
          source: { brand: attempt.brand, last4: attempt.last4 },
          related: { card_try: id },
        })
        const { providerReference } = state
        await change(inside, attempt, 'succeed', { transaction: booked.id, providerReference })
        return
      }
      case 'declined': {
        await change(inside, attempt, 'fail', {
          failureReason: state.reason,
          providerReference: state.providerReference,
        })
        const failed = { ...payment, failure_reason: state.reason }
        // An invoice is still owed, whatever became of a card; and what is being confirmed is on its way.
        const ends = state.final && payment.invoice_id === null && payment.amount_confirming === 0n
        if (ends && payment.status === 'pending') await transition(inside, failed, 'fail')
        else await save(inside, failed)
        return
      }
      case 'challenge':
        // The page asks for no answer any more, but the payer's bank may still be given one.
        if (payment.status !== 'pending') {
          await change(inside, attempt, 'fail', { failureReason: 'not_completed' })
          return askLate(inside, payment_id, id)
        }
        if (attempt.status === 'processing') await change(inside, attempt, 'challenge')
        if (isOpen(ctx, payment)) {
          const age = now.getTime() - attempt.created_at.getTime()
          await schedule(tx, ctx.scope, askTimer(payment_id, id, later(now, Math.max(askChallengeMs, age))))
        }
        return
      case 'unknown':
        await schedule(tx, ctx.scope, askTimer(payment_id, id, later(now, state.askAgainInMs)))
        return
      case 'not_found': {
        // The charge may still be on its way: only when the rail cannot take it any more has nothing happened.
        const waitMs = attempt.created_at.getTime() + railOf(ctx, 'cards').chargeLifeMs - now.getTime()
        if (waitMs > 0) return schedule(tx, ctx.scope, askTimer(payment_id, id, later(now, waitMs)))
        await change(inside, attempt, 'fail', { failureReason: 'processing_error' })
        await askLate(inside, payment_id, id)
        await save(inside, { ...payment, failure_reason: 'processing_error' })
      }
    }
  })
}

/** Asks again about a try that was given up, of which the rail could not say whether it was charged: in ever longer steps. */
async function askLater(ctx: Ctx, { id, payment_id, updated_at: givenUpAt }: AttemptRow): Promise<void> {
  const { now } = ctx.scope
  const age = now.getTime() - givenUpAt.getTime()
  if (age > longestLateMs) return
  await schedule(ctx.tx as Tx, ctx.scope, askTimer(payment_id, id, later(now, Math.max(askChallengeMs, age))))
}

type Patch = { failureReason?: string; providerReference?: string | null; transaction?: Id }

/** The one way a try changes its state. @throws {Error} when the table does not allow it */
async function change(ctx: Ctx, attempt: AttemptRow, trigger: AttemptTrigger, patch: Patch = {}): Promise<AttemptRow> {
  const { businessId, livemode, now } = ctx.scope
  const status = nextState(attemptStates, attempt.status, trigger)
  if (status === null || !ctx.tx) throw new Error(`card try ${attempt.id} is ${attempt.status}: no '${trigger}'`)
  const row = await ctx.tx.row(updateAttempt, [
    businessId,
    livemode,
    attempt.id,
    status,
    patch.failureReason ?? null,
    patch.providerReference ?? null,
    patch.transaction ?? null,
    now,
  ])
  return row as AttemptRow
}
