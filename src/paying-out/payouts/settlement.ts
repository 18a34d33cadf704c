/**
 * The other half of a payout's life: asking the rail, and learning how it ended.
 *
 * A rail is only ever called outside a database transaction, after the state that says so is committed. An answer that
 * never came is asked about; the order is sent again only when the rail says that it never took it, under the same id.
 */
import { BookedBefore } from '../../books/receipts/receipts.ts'
import type { App } from '../../core/app.ts'
import { update, type Work } from '../../core/inside.ts'
import type { OpenOrder, Task } from '../../core/module.ts'
import { type Ctx, railTime, scopeOf } from '../../core/outside.ts'
import { gatheredReads } from '../../db/batch.ts'
import { readByIds } from '../../db/table.ts'
import { later } from '../../lib/clock.ts'
import { Refusal } from '../../lib/errors.ts'
import type { Id } from '../../lib/ids.ts'
import { modeOf } from '../../lib/mode.ts'
import { describeDestination } from '../../platform/destinations/destinations.ts'
import {
  type Applied,
  type Approver,
  type InboundApplier,
  keepProviderId,
  keepReference,
  ownerOf,
} from '../../platform/inbound/inbound.ts'
import { openOwnIncident } from '../../platform/incidents/incidents.ts'
import { schedule } from '../../platform/jobs/timers.ts'
import { railOfOrder } from '../../rails/accounts/choice.ts'
import {
  type Answered,
  askRail,
  chooseRail,
  differenceFrom,
  findLost,
  isSameSending,
  type Lost,
  learnedFrom,
  nextStep,
  offerAgainIn,
  recallOrAsk,
  referenceOf,
  send,
  waitsBy,
  waitsOn,
  whatCounts,
} from '../../rails/order.ts'
import type { OrderState, PayoutOrder, WaitsFor } from '../../rails/ports/rail.ts'
import { decided, waitsUntil } from './approval.ts'
import { change, changeAlone, changeTogether, type Decide, type Decision } from './changes.ts'
import { askTask, expireApprovalTask, expireQuoteTask, orderOf, submitTask, timer } from './record.ts'
import { holdForReview, screenPayout } from './review.ts'
import { expireQuote, lockById, type PayoutRow, payouts, selectOpen } from './sql.ts'
import { payoutStates } from './states.ts'
import { transition } from './transition.ts'

const readTogether = gatheredReads(readByIds(payouts))
/** A payout: read together with those of other jobs. */
const read = ({ db, scope }: Ctx, id: Id): Promise<PayoutRow | null> => readTogether(db, { scope, id })

/** How long until a payout that came back, and that the wallet could not take, is asked about again. */
const bookAgainMs = 5 * 60_000

/**
 * Submits a pending payout to the rail. One that the rail cannot take now stays pending, and can be canceled, until it can. Run again
 * after a crash, it asks instead: the rail may have the order.
 */
async function submit(ctx: Ctx, id: Id): Promise<unknown> {
  const waiting = await read(ctx, id)
  if (waiting?.approval === 'waiting') return 'nothing_to_do'
  if (waiting?.status !== 'pending') return ask(ctx, id)
  const lost = await takeOver(ctx, waiting)
  if (lost === 'taken') return ask(ctx, id)
  if (waiting.review !== null) return 'nothing_to_do'
  const held = await screenPayout(ctx, waiting)
  if (held !== null) return holdForReview(ctx, waiting, held)
  const chosen =
    lost === 'unknown' ? { waits: 'provider_down' as const } : await chooseRail(ctx, waiting, orderOf(ctx, waiting))
  if ('waits' in chosen) return offerLater(ctx, waiting, chosen.waits)
  const { rail } = chosen
  const sentAt = await railTime(ctx, rail)
  const order = orderOf(ctx, { ...waiting, submissions: waiting.submissions + 1 })
  const reference = await referenceOf(ctx, { ...waiting, rail }, order)
  const { row: payout, decided: submitted } = await changeTogether(ctx, id, async (row, work) => {
    if (row.status !== 'pending' || row.submissions !== waiting.submissions || row.review !== null) return null
    if (reference !== null) await keepReference(work, { rail, kind: 'payout', reference, subject: id })
    return { trigger: 'submit', learned: { rail, sent_at: sentAt } }
  })
  if (payout === null || !submitted) return ask(ctx, id)
  return applyAnswer(ctx, payout, { order, said: await send(ctx, payout, order), sentAt: payout.sent_at })
}

/** Has a payout that no rail takes now offered again, and keeps why, unless it has changed meanwhile. */
async function offerLater(ctx: Ctx, { id, submissions, ...known }: PayoutRow, reason: WaitsFor): Promise<void> {
  const { now } = await scopeOf(ctx, ctx.scope.businessId, ctx.scope.livemode)
  const offerInMs = await offerAgainIn(ctx, now)
  const waits = waitsOn(known.waits, reason, now)
  await ctx.write(async (work) => {
    await schedule(work, timer(submitTask, id, later(now, offerInMs)))
    if (waits === known.waits) return
    const row = await work.row(lockById, [id])
    if (row?.status === 'pending' && row.submissions === submissions) await update(work, payouts, id, { waits })
  })
}

/**
 * Gives back a payout that nobody has approved in time; of one that was restored from a backup, the rails are asked first whether they have it,
 * because somebody may have approved it since.
 */
async function expire(ctx: Ctx, id: Id): Promise<unknown> {
  const waiting = await read(ctx, id)
  if (waiting?.approval !== 'waiting' || ctx.scope.now < waitsUntil(waiting)) return 'nothing_to_do'
  const lost = await takeOver(ctx, waiting)
  if (lost === 'taken') return ask(ctx, id)
  if (lost === 'unknown') {
    const { now } = await scopeOf(ctx, ctx.scope.businessId, ctx.scope.livemode)
    const againInMs = await offerAgainIn(ctx, now)
    return ctx.write((work) => schedule(work, timer(expireApprovalTask, id, later(now, againInMs))))
  }
  return ctx.write(async (work) => {
    const row = await work.row(lockById, [id])
    if (row?.approval === 'waiting') await transition(work, row, 'cancel')
  })
}

/** What is learned with it of a payout that a rail has though it waits: it was approved, or released, after the backup that it was restored from. */
const approvedSince = (row: PayoutRow, { scope }: Work): Partial<PayoutRow> => ({
  ...(row.approval === 'waiting' ? decided(row, scope, 'approved') : {}),
  ...(row.review === null ? {} : { review: null }),
})

/**
 * Asks the rail how a payout stands that it has, or had: one that the rail cannot take on any more is pending again, and one that had
 * arrived may have come back.
 * @param notified somebody says that there is something to ask about: the timer that the payout has already is enough
 * @returns `again` when the rail gave no answer; who notified of one that had arrived must ask again, as it has no timer any more
 */
export async function ask(ctx: Ctx, id: Id, notified = false): Promise<Applied> {
  const known = await read(ctx, id)
  if (known?.status !== 'processing' && known?.status !== 'completed') return 'nothing_to_do'
  const lost = known.status === 'processing' ? await takeOver(ctx, known) : null
  const payout = lost === 'taken' ? ((await read(ctx, id)) as PayoutRow) : known
  const order = orderOf(ctx, payout)
  if (lost === 'unknown')
    return applyAnswer(ctx, payout, { ...asked(payout, { state: 'unknown', askAgainInMs: null }), order, notified })
  const at = await railTime(ctx, payout.rail)
  const answered =
    payout.status === 'completed'
      ? asked(payout, await askRail(ctx, payout, order))
      : await recallOrAsk(ctx, payout, order, { at, markSent: () => markSent(ctx, payout, at) })
  return applyAnswer(ctx, payout, { ...answered, order, notified })
}

const asked = ({ sent_at: sentAt }: PayoutRow, said: OrderState): Answered => ({ said, sentAt })

/** What a rail has of a payout that may have been sent after the backup which its row was restored from; null for any other. */
function findSent(ctx: Ctx, payout: PayoutRow): Promise<Lost | 'unknown' | null> {
  const first = payout.submissions + (payout.status === 'pending' ? 1 : 0)
  return findLost(ctx, payout, orderOf(ctx, payout), { first })
}

/** The payouts of every business that have not ended, and go by a rail outside. */
export async function openPayouts({ db, terms }: App): Promise<OpenOrder[]> {
  const rows = await db.rows(selectOpen, [terms.test.sandbox.cards.name])
  return rows.map((row) => ({
    ...{ kind: 'payout', id: row.id, business_id: row.business_id, livemode: row.livemode, reference: row.reference },
    ...{ status: row.status, rail: row.rail, created_at: row.created_at, sent_at: row.sent_at },
    ...{ amount: row.destination_amount, currency: row.destination_currency },
    to: describeDestination(row.destination),
    job: { task: jobOf(row), payload: { payout_id: row.id } },
    find: (ctx) => findSent(ctx, row),
    settle: (ctx, reference) => settlePaid(ctx, row, reference),
    cancel: (ctx) => cancelUnsent(ctx, row),
  }))
}

function jobOf({ status, approval }: PayoutRow): string {
  if (approval === 'waiting') return expireApprovalTask
  return status === 'pending' ? submitTask : askTask
}

/** Cancels a payout that no rail has; a merchant cannot while nobody knows that. @returns false when one has it or may, or it has changed */
async function cancelUnsent(ctx: Ctx, payout: PayoutRow): Promise<boolean> {
  if (payout.status !== 'pending' || (await findSent(ctx, payout)) !== null) return false
  return ctx.write(async (work) => {
    const row = await work.row(lockById, [payout.id])
    if (row?.status !== 'pending' || row.submissions !== payout.submissions) return false
    await transition(work, row, 'cancel')
    return true
  })
}

/** Ends a payout that was paid, as a person has found out. @returns false when its rail is paying it, or it has changed */
async function settlePaid(ctx: Ctx, payout: PayoutRow, reference: string): Promise<boolean> {
  const submissions = payout.submissions + (payout.status === 'pending' ? 1 : 0)
  const order = orderOf(ctx, { ...payout, submissions })
  const rail = railOfOrder(ctx, payout)
  if (rail.withdraw && !(await rail.withdraw(order))) return false
  const txHash = payout.destination.chain === undefined ? null : reference
  const said: OrderState = { state: 'completed', providerReference: reference, txHash }
  return ctx.write(async (work) => {
    const row = await work.row(lockById, [payout.id])
    if (row?.status !== payout.status || row.submissions !== payout.submissions) return false
    if (row.status === 'pending')
      await transition(work, row, 'submit', { sent_at: row.created_at, ...approvedSince(row, work) })
    return (await applyOrderState(work, row.id, { ...asked(row, said), order }, work.scope.now))?.status === 'completed'
  })
}

/**
 * Takes over what a rail has of a payout that was sent after the backup which its row was restored from.
 * @returns null when there is no such thing, and it may be sent; `unknown` where that cannot be known now
 */
async function takeOver(ctx: Ctx, payout: PayoutRow): Promise<'taken' | 'unknown' | null> {
  const { id, status, submissions } = payout
  const lost = await findSent(ctx, payout)
  if (lost === null || lost === 'unknown') return lost
  const { rail, attempt } = lost
  if (status === 'processing' && rail === payout.rail && attempt === submissions) return null
  const reference = await referenceOf(ctx, { ...payout, rail }, orderOf(ctx, { ...payout, submissions: attempt }))
  await ctx.write(async (work) => {
    const row = await work.row(lockById, [id])
    if (row?.status !== status || row.submissions !== submissions) return
    if (reference !== null) await keepReference(work, { rail, kind: 'payout', reference, subject: id })
    const sent_at = row.sent_at ?? row.created_at
    const learned = { rail, sent_at, ...approvedSince(row, work) }
    if (status === 'pending') await transition(work, { ...row, submissions: attempt - 1 }, 'submit', learned)
    else await update(work, payouts, id, { rail, submissions: attempt })
  })
  return 'taken'
}

/** Commits that a payout is sent again, unless somebody else has sent it meanwhile, or it has ended. */
function markSent(ctx: Ctx, payout: PayoutRow, at: Date): Promise<boolean> {
  return ctx.write(async (work) => {
    const row = await work.row(lockById, [payout.id])
    if (row?.status !== 'processing' || !isSameSending(payout, row)) return false
    await update(work, payouts, payout.id, { sent_at: at, waits: null })
    return true
  })
}

/** What a rail said of an order, and when that had been sent last: without a time where it has decided it, whenever it was sent. */
type Answer = { order: PayoutOrder; said: OrderState; sentAt?: Date | null; notified?: boolean }

async function applyAnswer(ctx: Ctx, payout: PayoutRow, answer: Answer): Promise<Applied> {
  const { id, rail, status } = payout
  const since = await railTime(ctx, rail)
  const learned = learnedFrom(answer.said, payout)
  const reference = learned === null ? null : await referenceOf(ctx, payout, answer.order)
  const decide: Decide = async (row, work) => {
    if (learned !== null && reference !== null)
      await keepProviderId(work, { rail, kind: 'payout', reference, providerId: learned })
    return decideBy(row, work, answer, since)
  }
  try {
    const { row } = await (bringsBack.has(answer.said.state) ? changeAlone : changeTogether)(ctx, id, decide)
    if (row?.status !== status) return 'applied'
    return answer.said.state === 'unknown' ? 'again' : 'nothing_to_do'
  } catch (error) {
    // It came back, and the wallet cannot take it: it is asked about again for as long as it takes.
    const before = error instanceof BookedBefore
    if (!before && !(error instanceof Refusal)) throw error
    ctx.log.error({ err: error, payout: id }, 'what a rail says of a payout could not be booked yet')
    await ctx.write(async (work) => {
      if (before) await reportBookedBefore(work, payout, error)
      await schedule(work, timer(askTask, id, later(since, bookAgainMs)))
    })
    return before ? 'quarantined' : 'nothing_to_do'
  }
}

/** A movement is one payout's: a person must find out which. */
const reportBookedBefore = (work: Work, { id, rail }: PayoutRow, { message }: Error) =>
  openOwnIncident(work, { rail, kind: 'quarantined', subject: id, detail: { payout: id, found: message } })

/** What a rail says of orders whose money may come back by it. */
const bringsBack: ReadonlySet<OrderState['state']> = new Set(['failed', 'returned', 'recalled', 'refused_now'])

/**
 * Applies what the rail says. Idempotent: a repeat is a no-op.
 * @param since the time that the rail's waits count from
 */
export async function applyOrderState(work: Work, id: Id, answer: Answer, since: Date): Promise<PayoutRow | null> {
  return (await change(work, id, (row, inside) => decideBy(row, inside, answer, since))).row
}

/** What becomes of a payout by what its rail says. */
function decideBy(row: PayoutRow, { scope }: Work, answer: Answer, since: Date): Decision | null {
  const { order, sentAt, notified } = answer
  const said = whatCounts({ submissions: order.attempt, sent_at: sentAt }, row, answer.said)
  const ageMs = since.getTime() - (row.sent_at ?? row.created_at).getTime()
  const step = nextStep(payoutStates, row, said, ageMs)
  if (!step) return null
  const { traces } = step
  const waits = waitsBy(row.waits, said, scope.now)
  if ('trigger' in step) {
    const { trigger, reason, offerInMs } = step
    return {
      trigger,
      learned: { ...traces, failure_reason: reason, waits },
      fee: 'fee' in said ? said.fee : null,
      timer: trigger === 'hold' ? timer(submitTask, row.id, later(since, offerInMs)) : null,
    }
  }
  return {
    trigger: null,
    // What the rail sent is shown as soon as it is known; a transaction that replaces another has another hash.
    learned: {
      ...(traces.tx_hash === row.tx_hash ? {} : { ...traces, updated_at: scope.now }),
      ...(waits === row.waits ? {} : { waits }),
    },
    timer: notified ? null : timer(askTask, row.id, later(since, step.askInMs)),
  }
}

const payoutTask =
  (run: (ctx: Ctx, id: Id) => Promise<unknown>): Task =>
  async (ctx, payload) => {
    await run(ctx, payload.payout_id as Id)
  }

/** A payout is to be paid while its rail has it, and as it was sent last. */
export const payoutApprover: Approver = async (ctx, id, asked) => {
  const payout = await read(ctx, id)
  if (payout === null) return null
  if (payout.status !== 'processing') return { objection: `the payout is ${payout.status}` }
  return { objection: await differenceFrom(ctx, payout, orderOf(ctx, payout), asked) }
}

/**
 * What a provider's webhook about a payout does: it is asked about, as by its timer. Where it names the provider's own id alone, which is not kept
 * where the answer with it was lost, the provider is asked which order of ours that is.
 */
export const payoutApplier = {
  apply: (ctx, id) => ask(ctx, id, true),
  async find(app, about) {
    const { livemode, rail, reference, providerId } = about
    const port = app.rails[modeOf(livemode)].accounts[rail]?.ports.payout
    if (reference !== null || providerId === null || !port?.referenceOfId) return null
    const said = await port.referenceOfId(providerId).catch((error: unknown) => {
      app.log.error({ err: error, rail, livemode }, 'a rail could not be asked which order an id is of')
      return 'unknown' as const
    })
    if (said === 'unknown') return 'again'
    return said.reference === null ? null : ownerOf(app, { ...about, ...said, providerId: null })
  },
} satisfies InboundApplier

/** The jobs of this module. */
export const payoutTasks: Record<string, Task> = {
  [submitTask]: payoutTask(submit),
  [askTask]: payoutTask(ask),
  [expireApprovalTask]: payoutTask(expire),
  [expireQuoteTask]: async (ctx, payload) => {
    await ctx.rows(expireQuote, [payload.quote_id, ctx.scope.now])
  },
}
