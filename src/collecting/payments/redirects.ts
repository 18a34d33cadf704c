/**
 * Paying by card on the page of a provider: how live cards are paid. No number of a card comes to
 * this server. An attempt is committed with a timer before the rail is begun with, and what the
 * rail says, when it is asked, is applied in a transaction of its own: by the timer, by a webhook
 * and by the payer's return alike. What a browser brings along is not believed.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { recordReceipt } from '../../books/receipts/receipts.ts'
import { insert, update, type Work } from '../../core/inside.ts'
import { type Ctx, railTime } from '../../core/outside.ts'
import { later } from '../../lib/clock.ts'
import { Refusal } from '../../lib/errors.ts'
import { type Id, newId } from '../../lib/ids.ts'
import {
  type InboundApplier,
  keepProviderId,
  keepReference,
} from '../../platform/inbound/inbound.ts'
import { type IncidentKind, openOwnIncident } from '../../platform/incidents/incidents.ts'
import { schedule, unschedule } from '../../platform/jobs/timers.ts'
import { checkoutOf, isServed, railsFor } from '../../rails/accounts/choice.ts'
import { askAgainAfter } from '../../rails/http/backoff.ts'
import type { CheckoutOrder, CheckoutRail, CheckoutState } from '../../rails/ports/rail.ts'
import {
  admitAttempt,
  askAfterMs,
  bookAgainMs,
  scheduleNextAsk,
  transitionAttempt,
} from './attempts.ts'
import { payerOf } from './payer.ts'
import { lockToReceive, receive } from './receive.ts'
import { askChargeTask, askTimer, checkoutUrl, lock, save, scheduleLateAsks } from './record.ts'
import type { CardAttemptRow, PaymentRow } from './sql.ts'
import * as statements from './sql.ts'

/**
 * How often an attempt is begun whose page nobody has seen: after that it is given up, and the
 * payer may try again.
 */
const mostStarts = 3
/** How long a payer waits for the provider's page to be begun anew, before a timer does it. */
const patienceMs = 5_000
/** How often it is looked whether somebody else has begun it. */
const lookMs = 150
/** How often a provider is asked about a payment because its payer came back. */
const returnsMs = 2_000
/** After so long without an end a person is told. */
const stuckMs = 72 * 3_600_000
/** How long after its end a page is asked about once more. */
const pageGraceMs = 3_600_000

/** Whether the payer is still sent to the page of an attempt. */
export const isAway = (
  { scope }: Pick<Work, 'scope'>,
  { status, ends_at }: CardAttemptRow,
): boolean => status === 'away' && ends_at !== null && ends_at > scope.now

/**
 * Has a payer leave for the provider's page: begins it there, or does nothing while there is one
 * already. The same `attemptId` begins once. Where to is to be read from the latest attempt
 * afterwards.
 * @throws {Refusal} `payment_not_pending`, `payment_processing`, `method_not_available`,
 * `too_many_attempts`, `amount_too_large`,
 *   `rail_not_configured`, and what the collection it belongs to refuses with: nothing was begun
 */
export async function leave(ctx: Ctx, paymentId: Id, attemptId: Id): Promise<void> {
  const payment = (await ctx.row(statements.selectById, [paymentId])) as PaymentRow
  const rails = railsFor(ctx, 'card', payment.currency)
  const before = await ctx.row(statements.selectActiveAttempt, [paymentId])
  // Its page is over: before there is another, nobody may have paid on it.
  const over =
    before?.status === 'away' && !isAway(ctx, before)
      ? (await ask(ctx, before, { notified: true })).state
      : null
  const isUnpaid = over === 'open' || over === 'declined' || over === 'not_found'
  const start = await startOf(rails[0] as CheckoutRail, { id: attemptId, starts: 1 })
  const attempt = await ctx.write((work) => startAttempt(work, paymentId, start, isUnpaid))
  if (attempt !== null) await begin(ctx, attempt, rails)
  else await begun(ctx, paymentId)
}

/**
 * Waits a moment for what somebody else begins for the same payment: another tab, or a second
 * click.
 */
async function begun(ctx: Ctx, paymentId: Id): Promise<void> {
  for (let waited = 0; waited < patienceMs; waited += lookMs) {
    const active = await ctx.row(statements.selectActiveAttempt, [paymentId])
    if (active?.status !== 'processing') return
    await sleep(lookMs)
  }
}

/** A start, with the reference that the provider will know it by. */
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

/** Records an attempt. @returns null when it was made before, or another is active */
async function startAttempt(
  work: Work,
  paymentId: Id,
  start: Start,
  isUnpaid: boolean,
): Promise<CardAttemptRow | null> {
  const { now } = work.scope
  const { id, rail, starts } = start
  const payment = await lock(work, paymentId)
  if (await work.row(statements.selectAttempt, [id])) return null
  const before = await work.row(statements.selectActiveAttempt, [paymentId])
  if (before !== null) {
    if (before.status !== 'away' || isAway(work, before) || before.confirming || !isUnpaid)
      return null
    await giveUp(work, before, 'not_completed')
  }
  const amount = await admitAttempt(work, payment)
  await setTimer(work, { id, payment_id: paymentId }, later(now, askAfterMs))
  const attempt = { id, payment_id: paymentId, rail, amount, brand: null, last4: null, starts }
  const at = { status: 'processing', created_at: now, updated_at: now } as const
  const row = await insert(work, statements.attempts, { ...attempt, ...at }, 'do nothing')
  if (row !== null) await keepReference(work, { kind: 'checkout', subject: id, ...start })
  return row
}

/**
 * Begins an attempt at its rail, and again where that is safe: nobody has seen a page before we
 * have its URL.
 */
async function begin(ctx: Ctx, attempt: CardAttemptRow, rails: CheckoutRail[]): Promise<void> {
  const since = performance.now()
  let at: CardAttemptRow | null = attempt
  while (at !== null) {
    const started: CardAttemptRow = at
    const said = checkedPage(
      ctx,
      started,
      await askRail(ctx, started, (rail, order) => rail.start(order)),
    )
    await settle(ctx, started, { said })
    const refused = said.state === 'not_found'
    const isPatient = performance.now() - since < patienceMs
    const isLost = said.state === 'unknown' || said.state === 'quarantined'
    at = refused || (isLost && isPatient) ? await restart(ctx, started, rails, refused) : null
  }
}

/**
 * Commits that an attempt is begun once more: at the next rail where this one has certainly taken
 * nothing. One that cannot be begun is over, and nobody can have paid.
 * @returns null when there is nothing to begin
 */
async function restart(
  ctx: Ctx,
  { id, payment_id, starts, rail }: CardAttemptRow,
  rails: CheckoutRail[],
  refused: boolean,
): Promise<CardAttemptRow | null> {
  const at = rails.findIndex((one) => one.name === rail)
  const next = refused ? rails[at + 1] : rails[at]
  const start =
    next && (starts ?? 0) < mostStarts
      ? await startOf(next, { id, starts: (starts ?? 0) + 1 })
      : null
  return ctx.write(async (work) => {
    const payment = await lock(work, payment_id)
    const attempt = await work.row(statements.lockAttempt, [id])
    if (attempt?.status !== 'processing' || attempt.starts !== starts) return null
    if (start === null) {
      await giveUp(work, attempt, 'processing_error')
      await save(work, payment, { failure_reason: 'processing_error' })
      return null
    }
    await keepReference(work, { kind: 'checkout', subject: id, ...start })
    const { now } = work.scope
    await setTimer(work, { id, payment_id }, later(now, askAfterMs))
    return update(work, statements.attempts, id, {
      rail: start.rail,
      starts: start.starts,
      updated_at: now,
    })
  })
}

/** A payer is sent to pages of the rail alone, and over https. */
function checkedPage(ctx: Ctx, { rail }: CardAttemptRow, said: CheckoutState): CheckoutState {
  if (said.state !== 'open' || said.page === null) return said
  const { hosts } = checkoutOf(ctx, rail)
  const url = URL.canParse(said.page.url) ? new URL(said.page.url) : null
  const isOurs =
    url?.protocol === 'https:' &&
    hosts.includes(url.host) &&
    url.username === '' &&
    url.password === ''
  return isOurs
    ? said
    : { state: 'quarantined', sentence: 'a page at a host that is not the provider’s' }
}

/** What takes cards now; nothing where the configuration has changed since. */
function configured(ctx: Ctx, { currency }: PaymentRow): CheckoutRail[] {
  return isServed(ctx, 'card', currency) ? railsFor(ctx, 'card', currency) : []
}

/**
 * The payer is back: the provider is asked, unless it was just now. Nothing that the browser says
 * is used.
 */
export async function comeBack(ctx: Ctx, paymentId: Id): Promise<void> {
  const { now } = ctx.scope
  const [claimed] = await ctx.rows(statements.claimAsk, [paymentId, now, later(now, -returnsMs)])
  const attempt = claimed && (await ctx.row(statements.selectAttempt, [claimed.id]))
  if (attempt) await ask(ctx, attempt)
}

/** What a timer does: it asks, or begins what has no page yet. */
export async function goOn(ctx: Ctx, attempt: CardAttemptRow): Promise<void> {
  if (attempt.status !== 'processing') {
    await ask(ctx, attempt)
    return
  }
  // It was begun anew meanwhile, and has another timer.
  if (ctx.scope.now.getTime() - attempt.updated_at.getTime() < askAfterMs) return
  const payment = (await ctx.row(statements.selectById, [attempt.payment_id])) as PaymentRow
  const rails = configured(ctx, payment)
  const again = await restart(ctx, attempt, rails, false)
  if (again !== null) await begin(ctx, again, rails)
}

/** What a provider's webhook about a payment does: it is asked about, as by its timer. */
export const checkoutApplier: InboundApplier = {
  async apply(ctx, subject, { reference }) {
    const attempt = await ctx.row(statements.selectAttempt, [subject])
    if (attempt === null || attempt.starts === null) return 'nothing_to_do'
    const said = await ask(ctx, attempt, {
      notified: true,
      starts: await startNamed(ctx, attempt, reference),
    })
    if (said.state === 'quarantined') return 'quarantined'
    if (said.state === 'unknown') return 'again'
    const after = await ctx.row(statements.selectAttempt, [subject])
    return after?.status === attempt.status ? 'nothing_to_do' : 'applied'
  },
}

/** Which start a reference is of: the last, where it is none of the others. */
async function startNamed(
  ctx: Ctx,
  { id, rail, starts }: CardAttemptRow,
  reference: string | null,
): Promise<number> {
  for (let start = 1; start < (starts ?? 1); start++)
    if ((await checkoutOf(ctx, rail).referenceOf({ id, starts: start })) === reference) return start
  return starts ?? 1
}

type Asked = { notified?: boolean; starts?: number }

async function ask(
  ctx: Ctx,
  attempt: CardAttemptRow,
  { notified = false, starts }: Asked = {},
): Promise<CheckoutState> {
  const asked = starts === undefined ? attempt : { ...attempt, starts }
  const said = await askRail(ctx, asked, (rail, order) => rail.ask(order))
  await settle(ctx, asked, { said, notified })
  return said
}

/** A rail that throws has not said that nothing happened. */
async function askRail(
  ctx: Ctx,
  attempt: CardAttemptRow,
  call: (rail: CheckoutRail, order: CheckoutOrder) => Promise<CheckoutState>,
): Promise<CheckoutState> {
  const payment = (await ctx.row(statements.selectById, [attempt.payment_id])) as PaymentRow
  try {
    const back = `${checkoutUrl(ctx, payment.slug)}/back`
    const order: CheckoutOrder = {
      id: attempt.id,
      starts: attempt.starts ?? 1,
      businessId: ctx.scope.businessId,
      method: 'card',
      amount: attempt.amount,
      currency: payment.currency,
      description: payment.description,
      ...(await payerOf(ctx, payment)),
      returnUrl: back,
      cancelUrl: back,
      expiresAt: attempt.ends_at ?? payment.expires_at,
      at: await railTime(ctx, attempt.rail),
      providerReference: attempt.provider_reference,
    }
    return await call(checkoutOf(ctx, attempt.rail), order)
  } catch (error) {
    ctx.log.error({ err: error, attempt: attempt.id }, 'the rail of a payment could not be reached')
    return { state: 'unknown' }
  }
}

type Answer = { said: CheckoutState; notified?: boolean }

/** Applies what the rail says of an attempt. Idempotent: a repeat is a no-op. */
async function settle(ctx: Ctx, asked: CardAttemptRow, answer: Answer): Promise<void> {
  const since = await railTime(ctx, asked.rail)
  const { said } = answer
  // Of what was paid under another start than the last, the provider's id is kept with that start.
  const reference =
    said.state === 'paid'
      ? await checkoutOf(ctx, asked.rail).referenceOf({ id: asked.id, starts: asked.starts ?? 1 })
      : null
  try {
    await ctx.write((work) => apply(work, asked, { ...answer, since, reference }))
  } catch (error) {
    // It is paid, and the wallet cannot take it: a timer asks again for as long as it takes.
    if (!(error instanceof Refusal) || said.state !== 'paid') throw error
    ctx.log.error(
      { err: error, attempt: asked.id },
      'what was paid at a provider could not be booked yet',
    )
    const timer = askTimer(asked.payment_id, asked.id, later(since, bookAgainMs))
    await ctx.write((work) => schedule(work, timer))
  }
}

async function apply(
  work: Work,
  asked: CardAttemptRow,
  { said, notified = false, since, reference }: Answer & { since: Date; reference: string | null },
): Promise<void> {
  // What comes is booked with what the provider keeps, in the ledger: what the payment belongs to
  // is locked before that.
  const payment = await (said.state === 'paid' ? lockToReceive : lock)(work, asked.payment_id)
  const attempt = (await work.row(statements.lockAttempt, [asked.id])) as CardAttemptRow
  const person = (kind: IncidentKind, what: string) =>
    openOwnIncident(work, {
      rail: attempt.rail,
      kind,
      subject: attempt.id,
      at: since,
      detail: { payment: payment.id, what },
    })
  if (attempt.status === 'succeeded') {
    // It says so too of what was given back from here.
    if (
      said.state === 'reversed' &&
      (await work.strategies.reversals.sentBack(work, payment.id, attempt.id)) < attempt.amount
    )
      await person('reversed', 'the money was given back at the provider')
    if (said.state === 'paid' && said.providerReference !== attempt.provider_reference)
      await person('quarantined', `paid once more, as ${said.providerReference}`)
    return
  }
  if (said.state === 'paid') {
    const { paid, source, channel, providerReference } = said
    if (paid.amount !== attempt.amount || paid.currency !== payment.currency) {
      await person('quarantined', 'another amount or currency was paid')
      return scheduleAsk(work, attempt, since)
    }
    const transaction = newId(work.scope.now)
    const { rail, amount } = attempt
    const { fee, availableAt } = said
    const moved = { rail, transaction, amount, fee, currency: payment.currency, availableAt }
    if (
      !(await recordReceipt(work, {
        kind: 'charge',
        providerId: providerReference,
        subject: attempt.id,
        ...moved,
      }))
    ) {
      await person('quarantined', `paid as ${providerReference}, which another record has booked`)
      return scheduleAsk(work, attempt, since)
    }
    const related = { card_try: attempt.id }
    await receive(work, payment, { transaction, method: 'card', amount, rail, source, related })
    await keepProviderId(work, {
      rail,
      kind: 'checkout',
      providerId: providerReference,
      reference: reference as string,
    })
    await transitionAttempt(work, attempt, 'succeed', {
      transaction_id: transaction,
      provider_reference: providerReference,
      channel,
      confirming: false,
      brand: source?.brand ?? null,
      last4: source?.last4 ?? null,
    })
    return
  }
  if (said.state === 'quarantined' && !notified) await person('quarantined', said.sentence)
  // What is said of one start says nothing of a later one.
  if (attempt.starts !== asked.starts) return
  if (attempt.status === 'failed') {
    // An answer that cannot be right has not said that nothing was paid.
    if (said.state === 'unknown' || said.state === 'confirming' || said.state === 'quarantined')
      await scheduleNextAsk(work, attempt)
    return
  }
  const { state } = said
  if (attempt.status === 'processing') {
    if (state === 'open' && said.page !== null) {
      const { url, endsAt, providerReference } = said.page
      const page = { url, ends_at: endsAt, provider_reference: providerReference }
      const away = await transitionAttempt(work, attempt, 'leave', page)
      await scheduleAsk(work, away, since)
    }
    if (state === 'ended') {
      await giveUp(work, attempt, said.reason)
      // It may be the address that the provider refuses: the next payer is asked for it again.
      await save(work, payment, { failure_reason: said.reason, payer_email: null })
    }
    // Anything else: it is begun again.
    return
  }
  if (state === 'ended' || state === 'reversed') {
    const reason = state === 'ended' ? said.reason : 'not_completed'
    await giveUp(work, attempt, reason)
    await save(work, payment, { failure_reason: reason })
    return
  }
  const confirming =
    state === 'confirming' ||
    (attempt.confirming && (state === 'unknown' || state === 'quarantined'))
  const failure =
    state === 'declined' ? said.reason : state === 'unknown' ? attempt.failure_reason : null
  if (confirming !== attempt.confirming || failure !== attempt.failure_reason) {
    await update(work, statements.attempts, attempt.id, { confirming, failure_reason: failure })
    if (failure !== null) await save(work, payment, { failure_reason: failure })
  }
  if (ageOf(attempt, since) >= stuckMs)
    await person('stuck', 'the provider has not said how it ended')
  // The payment has a timer already.
  if (!notified) await scheduleAsk(work, attempt, since)
}

const ageOf = ({ created_at }: CardAttemptRow, now: Date): number =>
  now.getTime() - created_at.getTime()

/**
 * Asks again about an attempt that is away: in ever longer steps since its payer left, or came back
 * last, and once its page is over for good.
 */
async function scheduleAsk(work: Work, attempt: CardAttemptRow, since: Date): Promise<void> {
  const again = askAgainAfter(since.getTime() - (attempt.asked_at ?? attempt.updated_at).getTime())
  const over =
    attempt.ends_at === null ? null : attempt.ends_at.getTime() + pageGraceMs - since.getTime()
  const ms = over !== null && over > 0 ? Math.min(again, over) : again
  await setTimer(work, attempt, later(since, ms))
}

/** Sets the one timer of an attempt. */
async function setTimer(
  work: Work,
  { id, payment_id }: Pick<CardAttemptRow, 'id' | 'payment_id'>,
  dueAt: Date,
) {
  await unschedule(work.tx, work.scope.businessId, askChargeTask, [id])
  await schedule(work, askTimer(payment_id, id, dueAt))
}

/** Ends an attempt without money; what turns out to have been paid is booked all the same. */
async function giveUp(work: Work, attempt: CardAttemptRow, reason: string): Promise<void> {
  await transitionAttempt(work, attempt, 'fail', { failure_reason: reason, confirming: false })
  await unschedule(work.tx, work.scope.businessId, askChargeTask, [attempt.id])
  await scheduleLateAsks(work, attempt.payment_id, attempt.id)
}
