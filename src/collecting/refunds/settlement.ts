import { BookedBefore } from '../../books/receipts/receipts.ts'
import type { App } from '../../core/app.ts'
import { update, type Work } from '../../core/inside.ts'
import type { OpenOrder, Task } from '../../core/module.ts'
import { type Ctx, railTime } from '../../core/outside.ts'
import { later } from '../../lib/clock.ts'
import { Refusal } from '../../lib/errors.ts'
import type { Id } from '../../lib/ids.ts'
import { describeDestination, toRailDestination } from '../../platform/destinations/destinations.ts'
import {
  type Applied,
  type Approver,
  type InboundApplier,
  keepProviderId,
  keepReference,
  keepRefundNames,
} from '../../platform/inbound/inbound.ts'
import { openOwnIncident } from '../../platform/incidents/incidents.ts'
import { schedule } from '../../platform/jobs/timers.ts'
import { unknown } from '../../rails/http/answers.ts'
import {
  askOrSend,
  askRail,
  differenceFrom,
  findLost,
  isSameSending,
  learnedFrom,
  nextStep,
  referenceOf,
  waitsBy,
  whatCounts,
} from '../../rails/order.ts'
import type { Destination, OrderState, PayoutOrder } from '../../rails/ports/rail.ts'
import * as payments from '../payments/payments.ts'
import { askTask, find, payoutReference, type Refund, toRefund } from './record.ts'
import { refuse } from './refusals.ts'
import { holdForReview, screenRefund } from './review.ts'
import { chargeOf } from './sources.ts'
import { lockRefund, type RefundRow, refunds, selectNotified, selectOpen, selectRefund } from './sql.ts'
import { refundStates } from './states.ts'
import { transition } from './transition.ts'

/** How long until a refund that came back, and that the wallet could not take, is asked about again. */
const bookAgainMs = 5 * 60_000

/**
 * Asks the rail how a refund stands, and sends it when the rail does not have it; one that had completed may have come back.
 * @param notified somebody says that there is something to ask about: the timer that the refund has already is enough
 * @returns `again` when the rail gave no answer; who notified of one that had arrived must ask again, as it has no timer any more
 */
export async function ask(ctx: Ctx, id: Id, notified = false): Promise<Applied> {
  const refund = await ctx.row(selectRefund, [id])
  if (refund?.status !== 'initiated' && refund?.status !== 'completed') return 'nothing_to_do'
  // Its payout is asked about.
  if (refund.payout_id !== null) return 'nothing_to_do'
  const order = await orderOf(ctx, refund)
  if (refund.status === 'initiated' && refund.sent_at === null) {
    // What was sent since the backup that it was restored from is held for nobody any more.
    const lost = await findLost(ctx, refund, order, { first: refund.submissions, stays: true })
    if (lost === 'unknown') return applyAnswer(ctx, refund, { order, said: unknown, notified })
    if (lost === null && (refund.review !== null || (await holdIfListed(ctx, refund)))) return 'nothing_to_do'
  }
  const at = await railTime(ctx, refund.rail)
  const { said, sentAt } =
    refund.status === 'completed'
      ? { said: await askRail(ctx, refund, order), sentAt: refund.sent_at }
      : await askOrSend(ctx, refund, order, { at, markSent: () => markSent(ctx, refund, order, at) })
  return applyAnswer(ctx, { ...refund, sent_at: sentAt }, { order, said, notified })
}

/** Screens a refund that was not sent, and holds it where a list has whom it goes to. @throws {Error} when a list gives no answer */
async function holdIfListed(ctx: Ctx, refund: RefundRow): Promise<boolean> {
  const held = await screenRefund(ctx, refund)
  if (held !== null) await holdForReview(ctx, refund, held)
  return held !== null
}

type Answer = { order: PayoutOrder; said: OrderState; notified: boolean }

async function applyAnswer(ctx: Ctx, refund: RefundRow, { order, said, notified }: Answer): Promise<Applied> {
  const { id, rail, status } = refund
  const since = await railTime(ctx, rail)
  const learned = learnedFrom(said, refund)
  const reference = learned === null ? null : await referenceOf(ctx, refund, order)
  try {
    const row = await ctx.write(async (work) => {
      if (learned !== null && reference !== null) await keepNames(work, refund, reference, learned)
      return applyOrderState(work, refund, said, since, notified)
    })
    if (row.status !== status) return 'applied'
    return said.state === 'unknown' ? 'again' : 'nothing_to_do'
  } catch (error) {
    // It came back, and the wallet cannot take it: it is asked about again for as long as it takes.
    const before = error instanceof BookedBefore
    if (!before && !(error instanceof Refusal)) throw error
    ctx.log.error({ err: error, refund: id }, 'what a rail says of a refund could not be booked yet')
    await ctx.write(async (work) => {
      if (before) await reportBookedBefore(work, refund, error)
      await schedule(work, timer(id, later(since, bookAgainMs)))
    })
    return before ? 'quarantined' : 'nothing_to_do'
  }
}

/** A movement is one refund's: a person must find out which. */
const reportBookedBefore = (work: Work, { id, rail }: RefundRow, { message }: Error) =>
  openOwnIncident(work, { rail, kind: 'quarantined', subject: id, detail: { refund: id, found: message } })

/** Commits that a refund is sent now, and what its rail will know it by, unless somebody else has sent it meanwhile, or it has ended. */
async function markSent(ctx: Ctx, refund: RefundRow, order: PayoutOrder, at: Date): Promise<boolean> {
  const { id } = refund
  const reference = await referenceOf(ctx, refund, order)
  return ctx.write(async (work) => {
    const row = await work.row(lockRefund, [id])
    if (row?.status !== 'initiated' || row.review !== null || !isSameSending(refund, row)) return false
    if (reference !== null) await keepNames(work, refund, reference)
    await update(work, refunds, id, { sent_at: at, waits: null })
    return true
  })
}

/**
 * Applies what the rail says. Idempotent: a repeat is a no-op.
 * @param of the refund as it stood when that was said; without the time that it was sent where that does not matter
 * @param since the time that the rail's waits count from
 */
async function applyOrderState(
  work: Work,
  of: Pick<RefundRow, 'id' | 'payment_id' | 'submissions'> & Partial<Pick<RefundRow, 'sent_at'>>,
  answer: OrderState,
  since: Date,
  notified = false,
): Promise<RefundRow> {
  const { id } = of
  const payment = await payments.lock(work, of.payment_id)
  const row = (await work.row(lockRefund, [id])) as RefundRow
  const said = whatCounts(of, row, answer)
  const step = nextStep(refundStates, row, said, since.getTime() - (row.sent_at ?? row.created_at).getTime())
  if (!step) return row
  const waits = waitsBy(row.waits, said, work.scope.now)
  if (!('trigger' in step)) {
    if (!notified || said.state === 'refused_now') await schedule(work, timer(id, later(since, step.askInMs)))
    // What was certainly not taken may be sent again at once.
    if (said.state === 'refused_now')
      return update(work, refunds, id, { sent_at: null, submissions: row.submissions + 1, waits })
    const { provider_reference } = step.traces
    if (provider_reference === row.provider_reference && waits === row.waits) return row
    return update(work, refunds, id, { provider_reference, waits })
  }
  const { trigger, reason, traces } = step
  return transition(work, payment, row, trigger, { ...traces, failure_reason: reason, waits }, feeOf(said))
}

/** What the provider keeps for it, in minor units of what it sent, as far as it says. */
const feeOf = (said: OrderState): bigint | null => ('fee' in said ? said.fee : null) ?? null

/**
 * Has the sandbox decide how a test refund ends, or that it comes back; then it is asked, as any rail. A refund that has ended so already
 * stays as it is: whoever simulates by hand is slower than the sandbox.
 * @throws {Refusal} `not_found`, `refund_already_final`, `refund_not_completed`, `refund_not_simulated`, `refund_under_review`
 */
export async function prepareEnd(ctx: Ctx, id: string, outcome: 'completed' | 'failed' | 'returned') {
  const refund = await find(ctx, id)
  if (refund.payout_id !== null) {
    const reference = payoutReference(refund)
    refuse('refund_not_simulated', `The refund goes by a payout: end that (POST /payouts/${reference}/simulate).`)
  }
  if (refund.review !== null) refuse('refund_under_review')
  const rail = ctx.rails.test.sandbox.ports.payout
  if (refund.rail !== rail.name)
    refuse('refund_not_simulated', `The refund goes by '${refund.rail}', which decides how it ends.`)
  if (refund.status === outcome) return { refund, outcome, said: null }
  if (outcome === 'returned' && refund.status === 'initiated')
    refuse('refund_not_completed', 'The refund is initiated; only a completed refund can come back.')
  if (refund.status !== (outcome === 'returned' ? 'completed' : 'initiated')) refuseEnded(refund)
  const order = await orderOf(ctx, refund)
  await rail.decide(order, outcome, outcome === 'completed' ? null : 'rejected')
  const said = await rail.ask(order)
  // It had settled otherwise before it was decided: that stands.
  if (said.state !== outcome)
    refuseEnded(await ctx.write((work) => applyOrderState(work, decided(refund), said, work.scope.now)))
  return { refund, outcome, said }
}

/**
 * Ends a test refund as the sandbox has decided.
 * @throws {Refusal} `refund_already_final` when it has ended otherwise meanwhile
 */
export async function end(
  work: Work,
  { refund, outcome, said }: Awaited<ReturnType<typeof prepareEnd>>,
): Promise<Refund> {
  if (said === null) return toRefund(refund)
  const row = await applyOrderState(work, decided(refund), said, work.scope.now)
  if (row.status !== (outcome === 'returned' ? 'failed' : outcome)) refuseEnded(row)
  return toRefund(row)
}

/** What the sandbox has decided holds whenever it was sent. */
const decided = ({ sent_at: _, ...refund }: RefundRow) => refund

function refuseEnded({ status }: RefundRow): never {
  refuse('refund_already_final', `The refund is ${status} already.`)
}

async function orderOf(ctx: Ctx, refund: RefundRow): Promise<PayoutOrder> {
  return {
    id: refund.id,
    attempt: refund.submissions,
    businessId: ctx.scope.businessId,
    amount: refund.destination_amount,
    currency: refund.destination_currency,
    destination: await destinationOf(ctx, refund),
    at: ctx.scope.now,
  }
}

async function destinationOf(ctx: Ctx, refund: RefundRow): Promise<Destination> {
  const { destination, payment_id, provider_reference } = refund
  if (!('charge' in destination)) return toRailDestination(destination)
  const { rail: _rail, ...charge } = await chargeOf(ctx, payment_id, destination)
  return { type: 'charge', charge, refund: provider_reference }
}

/**
 * Keeps what its rail knows a refund by. Of what it gives back its notifications name the charge, which several refunds of the payment may
 * be of; else a refund is a payout to the rail.
 */
async function keepNames(
  work: Work,
  { id, payment_id, rail, destination }: RefundRow,
  reference: string,
  providerId: string | null = null,
): Promise<void> {
  if ('charge' in destination)
    return keepRefundNames(work, { rail, kind: 'refund', subject: payment_id, reference, id }, providerId)
  const known = { rail, kind: 'payout', reference } as const
  if (providerId === null) await keepReference(work, { ...known, subject: id })
  else await keepProviderId(work, { ...known, providerId })
}

/** The refunds of every business that have not ended, and go by a rail outside. */
export async function openRefunds({ db, terms }: App): Promise<OpenOrder[]> {
  const rows = await db.rows(selectOpen, [terms.test.sandbox.cards.name])
  return rows.map((row) => ({
    ...{ kind: 'refund', id: row.id, business_id: row.business_id, livemode: row.livemode, reference: row.reference },
    ...{ status: row.status, rail: row.rail, created_at: row.created_at, sent_at: row.sent_at },
    ...{ amount: row.destination_amount, currency: row.destination_currency },
    to: 'charge' in row.destination ? `the ${row.method} that paid` : describeDestination(row.destination),
    job: { task: askTask, payload: { refund_id: row.id } },
    find: async (ctx) => findLost(ctx, row, await orderOf(ctx, row), { first: row.submissions, stays: true }),
    settle: async (ctx, reference) => {
      const said: OrderState = { state: 'completed', providerReference: reference, txHash: null }
      return (await ctx.write((work) => applyOrderState(work, row, said, work.scope.now))).status === 'completed'
    },
    // What its payer was promised is not taken back.
    cancel: async () => false,
  }))
}

const timer = (id: Id, dueAt: Date) => ({ task: askTask, subject: id, dueAt, payload: { refund_id: id } })

/**
 * What a provider's webhook about a refund does: it is asked about, as by its timer. One that names a charge is about any refund of its
 * payment that the same rail gives back.
 */
export const refundApplier: InboundApplier = {
  async apply(ctx, subject, { rail }) {
    if (await ctx.row(selectRefund, [subject])) return ask(ctx, subject, true)
    const all: Applied[] = []
    for (const { id } of await ctx.rows(selectNotified, [subject, rail])) all.push(await ask(ctx, id, true))
    return (['again', 'applied'] as const).find((one) => all.includes(one)) ?? 'nothing_to_do'
  },
}

/** A refund to an account is paid as a payout is, once it was sent. */
export const refundApprover: Approver = async (ctx, id, asked) => {
  const refund = await ctx.row(selectRefund, [id])
  if (refund === null) return null
  if (refund.status !== 'initiated') return { objection: `the refund is ${refund.status}` }
  if (refund.sent_at === null) return { objection: 'the refund was not sent yet' }
  return { objection: await differenceFrom(ctx, refund, await orderOf(ctx, refund), asked) }
}

/** The jobs of this module. */
export const refundTasks: Record<string, Task> = {
  [askTask]: async (ctx, payload) => {
    await ask(ctx, payload.refund_id as Id)
  },
}
