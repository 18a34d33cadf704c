/**
 * Live card payments on the provider's page: starts, restarts and queries card attempts. Card
 * numbers never reach this server, and nothing that the payer's browser reports is trusted.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { insert, update, type Work } from '../../core/inside.ts'
import { type Ctx, railTime } from '../../core/outside.ts'
import { later } from '../../lib/clock.ts'
import { Refusal } from '../../lib/errors.ts'
import type { Id } from '../../lib/ids.ts'
import { type InboundApplier, keepReference } from '../../platform/inbound/inbound.ts'
import { schedule } from '../../platform/jobs/timers.ts'
import { checkoutOf, isServed, railsFor } from '../../rails/accounts/choice.ts'
import type { CheckoutOrder, CheckoutRail, CheckoutState } from '../../rails/ports/rail.ts'
import { admitAttempt, queryAfterMs, retryBookingAfterMs } from './attempts.ts'
import { payerOf } from './payer.ts'
import { checkoutUrl, lock, queryTimer, save } from './record.ts'
import { applyReport, failAttempt, setTimer } from './redirect-steps.ts'
import type { CardAttemptRow, PaymentRow } from './sql.ts'
import * as statements from './sql.ts'

/** Starts of one attempt. After these it fails, and the payer may try again. */
const mostStarts = 3
/** How long a payer's request waits for a page. A timer goes on afterwards. */
const payerWaitMs = 5_000
/** Interval at which a request checks whether another one has started the page. */
const pollMs = 150
/** Shortest time between two queries that returning payers cause. */
const returnQueryMs = 2_000

/** Whether the payer can still be redirected to the provider's page of an attempt. */
export const hasOpenPage = (
  { scope }: Pick<Work, 'scope'>,
  { status, ends_at }: CardAttemptRow,
): boolean => status === 'away' && ends_at !== null && ends_at > scope.now

/**
 * Starts a page at the provider, unless the payment has one. Idempotent by `attemptId`. The latest
 * attempt then has the page's URL.
 * @throws {Refusal} `payment_not_pending`, `payment_processing`, `method_not_available`,
 * `too_many_attempts`, `amount_too_large`, `rail_not_configured`, and the codes of the payment's
 * collection. Nothing was started.
 */
export async function startRedirect(ctx: Ctx, paymentId: Id, attemptId: Id): Promise<void> {
  const payment = (await ctx.row(statements.selectById, [paymentId])) as PaymentRow
  const rails = railsFor(ctx, 'card', payment.currency)
  const previous = await ctx.row(statements.selectActiveAttempt, [paymentId])
  const isReplaceable =
    previous?.status === 'away' && !hasOpenPage(ctx, previous) && (await isUnpaid(ctx, previous))
  const start = await startOf(rails[0] as CheckoutRail, { id: attemptId, starts: 1 })
  const attempt = await ctx.write((work) => insertAttempt(work, paymentId, start, isReplaceable))
  if (attempt !== null) await startPage(ctx, attempt, rails)
  else await waitForPage(ctx, paymentId)
}

/** Queries the provider about an attempt whose page has ended. */
async function isUnpaid(ctx: Ctx, attempt: CardAttemptRow): Promise<boolean> {
  const { state } = await queryAttempt(ctx, attempt, { isNotified: true })
  return state === 'open' || state === 'declined' || state === 'not_found'
}

/** Waits while another request, such as a second click, starts a page for the same payment. */
async function waitForPage(ctx: Ctx, paymentId: Id): Promise<void> {
  for (let waitedMs = 0; waitedMs < payerWaitMs; waitedMs += pollMs) {
    const active = await ctx.row(statements.selectActiveAttempt, [paymentId])
    if (active?.status !== 'processing') return
    await sleep(pollMs)
  }
}

/** One start of an attempt at a rail. The provider knows it by `reference`. */
type Start = { id: Id; rail: string; starts: number; reference: string }

const startOf = async (
  rail: CheckoutRail,
  { id, starts }: { id: Id; starts: number },
): Promise<Start> => ({
  id,
  rail: rail.name,
  starts,
  reference: await rail.referenceOf({ id, starts }),
})

/**
 * Records an attempt before its rail is called.
 * @param isReplaceable the page of the previous attempt has ended, and no payer paid there
 * @returns null when it exists, or another attempt is active
 */
async function insertAttempt(
  work: Work,
  paymentId: Id,
  start: Start,
  isReplaceable: boolean,
): Promise<CardAttemptRow | null> {
  const { now } = work.scope
  const { id, rail, starts } = start
  const payment = await lock(work, paymentId)
  if (await work.row(statements.selectAttempt, [id])) return null
  const previous = await work.row(statements.selectActiveAttempt, [paymentId])
  if (previous !== null) {
    const isOver = previous.status === 'away' && !hasOpenPage(work, previous)
    if (!isReplaceable || !isOver || previous.confirming) return null
    await failAttempt(work, previous, 'not_completed')
  }
  const amount = await admitAttempt(work, payment)
  await setTimer(work, { id, payment_id: paymentId }, later(now, queryAfterMs))
  const attempt = { id, payment_id: paymentId, rail, amount, brand: null, last4: null, starts }
  const at = { status: 'processing', created_at: now, updated_at: now } as const
  const row = await insert(work, statements.attempts, { ...attempt, ...at }, 'do nothing')
  if (row !== null) await keepReference(work, { kind: 'checkout', subject: id, ...start })
  return row
}

/**
 * Starts an attempt's page at its rail. Retries while the payer waits: a page whose URL never
 * arrived cannot have been paid on.
 */
async function startPage(
  ctx: Ctx,
  attempt: CardAttemptRow,
  rails: CheckoutRail[],
  deadline = performance.now() + payerWaitMs,
): Promise<void> {
  const answer = await callRail(ctx, attempt, (rail, order) => rail.start(order))
  const state = checkPageHost(ctx, attempt, answer)
  await applyState(ctx, attempt, state)
  const isRefused = state.state === 'not_found'
  const isLost = state.state === 'unknown' || state.state === 'quarantined'
  if (!isRefused && !(isLost && performance.now() < deadline)) return
  const restarted = await restartAttempt(ctx, attempt, rails, isRefused)
  if (restarted !== null) await startPage(ctx, restarted, rails, deadline)
}

/**
 * Commits the next start of an attempt, before its rail is called. With no start left, the attempt
 * fails.
 * @param isRefused the attempt's rail certainly accepted nothing: the next one is called
 * @returns null when there is nothing to start
 */
async function restartAttempt(
  ctx: Ctx,
  { id, payment_id, starts, rail }: CardAttemptRow,
  rails: CheckoutRail[],
  isRefused: boolean,
): Promise<CardAttemptRow | null> {
  const place = rails.findIndex(({ name }) => name === rail)
  const next = rails[isRefused ? place + 1 : place]
  const used = starts ?? 0
  const start = next && used < mostStarts ? await startOf(next, { id, starts: used + 1 }) : null
  return ctx.write(async (work) => {
    const payment = await lock(work, payment_id)
    const attempt = await work.row(statements.lockAttempt, [id])
    if (attempt?.status !== 'processing' || attempt.starts !== starts) return null
    if (start === null) {
      await failAttempt(work, attempt, 'processing_error')
      await save(work, payment, { failure_reason: 'processing_error' })
      return null
    }
    await keepReference(work, { kind: 'checkout', subject: id, ...start })
    const { now } = work.scope
    await setTimer(work, { id, payment_id }, later(now, queryAfterMs))
    const restart = { rail: start.rail, starts: start.starts, updated_at: now }
    return update(work, statements.attempts, id, restart)
  })
}

/** Quarantines a page that is not at one of the rail's own hosts over https. */
function checkPageHost(ctx: Ctx, { rail }: CardAttemptRow, answer: CheckoutState): CheckoutState {
  if (answer.state !== 'open' || answer.page === null) return answer
  const { hosts } = checkoutOf(ctx, rail)
  const url = URL.canParse(answer.page.url) ? new URL(answer.page.url) : null
  const isTrusted =
    url?.protocol === 'https:' &&
    hosts.includes(url.host) &&
    url.username === '' &&
    url.password === ''
  return isTrusted
    ? answer
    : { state: 'quarantined', sentence: 'a page at a host that is not the provider’s' }
}

/** Queries the provider when the payer returns, unless it was queried just now. */
export async function queryAfterReturn(ctx: Ctx, paymentId: Id): Promise<void> {
  const { now } = ctx.scope
  const window = [paymentId, now, later(now, -returnQueryMs)]
  const [claimed] = await ctx.rows(statements.claimQuery, window)
  const attempt = claimed && (await ctx.row(statements.selectAttempt, [claimed.id]))
  if (attempt) await queryAttempt(ctx, attempt)
}

/** Runs an attempt's timer: queries the provider, or restarts an attempt that has no page yet. */
export async function resumeRedirect(ctx: Ctx, attempt: CardAttemptRow): Promise<void> {
  if (attempt.status !== 'processing') {
    await queryAttempt(ctx, attempt)
    return
  }
  // A restart in the meantime has set a timer of its own.
  if (ctx.scope.now.getTime() - attempt.updated_at.getTime() < queryAfterMs) return
  const { currency } = (await ctx.row(statements.selectById, [attempt.payment_id])) as PaymentRow
  // The configuration may have changed since the attempt started.
  const rails = isServed(ctx, 'card', currency) ? railsFor(ctx, 'card', currency) : []
  const restarted = await restartAttempt(ctx, attempt, rails, false)
  if (restarted !== null) await startPage(ctx, restarted, rails)
}

/** Handles a provider's webhook about a payment: queries the attempt, as its timer does. */
export const checkoutApplier: InboundApplier = {
  async apply(ctx, subject, { reference }) {
    const attempt = await ctx.row(statements.selectAttempt, [subject])
    if (attempt === null || attempt.starts === null) return 'nothing_to_do'
    const starts = await findStart(ctx, attempt, reference)
    const { state } = await queryAttempt(ctx, { ...attempt, starts }, { isNotified: true })
    if (state === 'quarantined') return 'quarantined'
    if (state === 'unknown') return 'again'
    const after = await ctx.row(statements.selectAttempt, [subject])
    return after?.status === attempt.status ? 'nothing_to_do' : 'applied'
  },
}

/** Returns which start a provider's reference names: the last when it is none of the others. */
async function findStart(
  ctx: Ctx,
  { id, rail, starts }: CardAttemptRow,
  reference: string | null,
): Promise<number> {
  for (let start = 1; start < (starts ?? 1); start++)
    if ((await checkoutOf(ctx, rail).referenceOf({ id, starts: start })) === reference) return start
  return starts ?? 1
}

/** Queries the provider about one start of an attempt, and applies the state. */
async function queryAttempt(
  ctx: Ctx,
  attempt: CardAttemptRow,
  { isNotified = false }: { isNotified?: boolean } = {},
): Promise<CheckoutState> {
  const state = await callRail(ctx, attempt, (rail, order) => rail.ask(order))
  await applyState(ctx, attempt, state, isNotified)
  return state
}

/** Calls an attempt's rail. An exception means `unknown`: the rail may have accepted the order. */
async function callRail(
  ctx: Ctx,
  attempt: CardAttemptRow,
  call: (rail: CheckoutRail, order: CheckoutOrder) => Promise<CheckoutState>,
): Promise<CheckoutState> {
  const payment = (await ctx.row(statements.selectById, [attempt.payment_id])) as PaymentRow
  try {
    return await call(checkoutOf(ctx, attempt.rail), await orderOf(ctx, payment, attempt))
  } catch (error) {
    ctx.log.error({ err: error, attempt: attempt.id }, 'the rail of a payment could not be reached')
    return { state: 'unknown' }
  }
}

async function orderOf(
  ctx: Ctx,
  payment: PaymentRow,
  attempt: CardAttemptRow,
): Promise<CheckoutOrder> {
  const returnUrl = `${checkoutUrl(ctx, payment.slug)}/back`
  return {
    id: attempt.id,
    starts: attempt.starts ?? 1,
    businessId: ctx.scope.businessId,
    method: 'card',
    amount: attempt.amount,
    currency: payment.currency,
    description: payment.description,
    ...(await payerOf(ctx, payment)),
    returnUrl,
    cancelUrl: returnUrl,
    expiresAt: attempt.ends_at ?? payment.expires_at,
    at: await railTime(ctx, attempt.rail),
    providerReference: attempt.provider_reference,
  }
}

/**
 * Applies a state that the rail reports. Idempotent: a repeat is a no-op. Where the wallet cannot
 * hold a payment, a timer retries the booking until it can.
 * @param asked the attempt, with the start that the state is about
 */
async function applyState(
  ctx: Ctx,
  asked: CardAttemptRow,
  state: CheckoutState,
  isNotified = false,
): Promise<void> {
  const at = await railTime(ctx, asked.rail)
  const reference =
    state.state === 'paid'
      ? await checkoutOf(ctx, asked.rail).referenceOf({ id: asked.id, starts: asked.starts ?? 1 })
      : null
  try {
    await ctx.write((work) => applyReport(work, asked, { state, isNotified, at, reference }))
  } catch (error) {
    if (!(error instanceof Refusal) || state.state !== 'paid') throw error
    ctx.log.error({ err: error, attempt: asked.id }, 'a card payment could not be booked yet')
    const timer = queryTimer(asked.payment_id, asked.id, later(at, retryBookingAfterMs))
    await ctx.write((work) => schedule(work, timer))
  }
}
