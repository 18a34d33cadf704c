/**
 * Submits payouts to their rails. From there the order driver runs them
 * (`platform/orders/orders.ts`).
 */
import { recordOperatorChange } from '../../books/audit/audit.ts'
import type { App } from '../../core/app.ts'
import { update, type Work } from '../../core/inside.ts'
import type { EndRequest, OpenOrder, PaidRequest, Task } from '../../core/module.ts'
import { type Ctx, railTime, scopeOf } from '../../core/outside.ts'
import { gatheredReads } from '../../db/batch.ts'
import { readByIds } from '../../db/table.ts'
import { later } from '../../lib/clock.ts'
import type { Id } from '../../lib/ids.ts'
import { modeOf } from '../../lib/mode.ts'
import { describeDestination } from '../../platform/destinations/destinations.ts'
import {
  type ApplyResult,
  type Approver,
  findOwner,
  type InboundApplier,
  keepProviderId,
  keepReference,
} from '../../platform/inbound/inbound.ts'
import { schedule } from '../../platform/jobs/timers.ts'
import {
  adoptUnrecorded,
  applyReport,
  auditedEnd,
  chooseRail,
  decideBy,
  failUntaken,
  findMismatch,
  findUnrecorded,
  notifiedReference,
  type OrderKind,
  type OrderReport,
  objectUnrecorded,
  offerDelayMs,
  recordPaid,
  sendOrder,
  syncOrder,
  waitFor,
} from '../../platform/orders/orders.ts'
import { railOfOrder } from '../../rails/accounts/choice.ts'
import type { OrderState, WaitsFor } from '../../rails/ports/rail.ts'
import { decisionColumns, waitsUntil } from './approval.ts'
import { change, changeAlone, changeTogether } from './changes.ts'
import {
  askTask,
  expireApprovalTask,
  expireQuoteTask,
  orderOf,
  submitTask,
  timer,
} from './record.ts'
import { holdForReview, screenPayout } from './review.ts'
import { expireQuote, lockById, type PayoutRow, payouts, selectOpen } from './sql.ts'
import { payoutStates } from './states.ts'
import { transition } from './transition.ts'

const readTogether = gatheredReads(readByIds(payouts))
/** Reads a payout, batched with reads of other jobs. */
const read = ({ db, scope }: Ctx, id: Id): Promise<PayoutRow | null> =>
  readTogether(db, { scope, id })

/**
 * Submits a pending payout to the rail. If no rail can accept it now, it stays pending and
 * cancelable. After a crash, it queries the rail instead, which may have the order.
 */
async function submit(ctx: Ctx, id: Id): Promise<unknown> {
  const waiting = await read(ctx, id)
  if (waiting?.approval === 'waiting') return 'nothing_to_do'
  if (waiting?.status !== 'pending') return ask(ctx, id)
  const lost = await adoptUnrecorded(ctx, payoutOrders, waiting)
  if (lost === 'adopted') return ask(ctx, id)
  if (waiting.review !== null) return 'nothing_to_do'
  const held = await screenPayout(ctx, waiting)
  if (held !== null) return holdForReview(ctx, waiting, held)
  if (lost !== null) return offerLater(ctx, waiting, 'provider_down', lost.againInMs)
  const chosen = await chooseRail(ctx, waiting, orderOf(ctx, waiting))
  if ('waits' in chosen) return offerLater(ctx, waiting, chosen.waits)
  const { rail } = chosen
  const sentAt = await railTime(ctx, rail)
  const order = orderOf(ctx, { ...waiting, submissions: waiting.submissions + 1 })
  const reference = await notifiedReference(ctx, { ...waiting, rail }, order)
  const { row: payout, decided: submitted } = await changeTogether(ctx, id, async (row, work) => {
    if (row.status !== 'pending' || row.submissions !== waiting.submissions || row.review !== null)
      return null
    if (reference !== null)
      await keepReference(work, { rail, kind: 'payout', reference, subject: id })
    return { trigger: 'submit', columns: { rail, sent_at: sentAt } }
  })
  if (payout === null || !submitted) return ask(ctx, id)
  return applyReport(ctx, payoutOrders, payout, {
    order,
    state: await sendOrder(ctx, payout, order),
    sentAt: payout.sent_at,
  })
}

/**
 * Schedules a retry for a payout that no rail accepts now and records the reason, unless the payout
 * has changed.
 */
async function offerLater(
  ctx: Ctx,
  { id, submissions, ...known }: PayoutRow,
  reason: WaitsFor,
  delayMs: number | null = null,
): Promise<void> {
  const { now } = await scopeOf(ctx, ctx.scope.businessId, ctx.scope.livemode)
  const offerInMs = delayMs ?? (await offerDelayMs(ctx, now))
  const waits = waitFor(known.waits, reason, now)
  await ctx.write(async (work) => {
    await schedule(work, timer(submitTask, id, later(now, offerInMs)))
    if (waits === known.waits) return
    const row = await work.row(lockById, [id])
    if (row?.status === 'pending' && row.submissions === submissions)
      await update(work, payouts, id, { waits })
  })
}

/**
 * Cancels a payout whose approval expired. If a backup restored it, it first queries the rails,
 * because a person may have approved it after the backup.
 */
async function expire(ctx: Ctx, id: Id): Promise<unknown> {
  const waiting = await read(ctx, id)
  if (waiting?.approval !== 'waiting' || ctx.scope.now < waitsUntil(waiting)) return 'nothing_to_do'
  const lost = await adoptUnrecorded(ctx, payoutOrders, waiting)
  if (lost === 'adopted') return ask(ctx, id)
  if (lost !== null) {
    const { now } = await scopeOf(ctx, ctx.scope.businessId, ctx.scope.livemode)
    const againInMs = lost.againInMs ?? (await offerDelayMs(ctx, now))
    return ctx.write((work) => schedule(work, timer(expireApprovalTask, id, later(now, againInMs))))
  }
  return ctx.write(async (work) => {
    const row = await work.row(lockById, [id])
    if (row?.approval === 'waiting') await transition(work, row, 'cancel')
  })
}

/**
 * Returns what changes in a waiting payout that a rail turned out to have: a person approved or
 * released it after the backup.
 */
const approvedSince = (row: PayoutRow, { scope }: Work): Partial<PayoutRow> => ({
  ...(row.approval === 'waiting' ? decisionColumns(row, scope, 'approved') : {}),
  ...(row.review === null ? {} : { review: null }),
})

/** Payouts as a kind of order. */
export const payoutOrders: OrderKind<PayoutRow> = {
  name: 'payout',
  states: payoutStates,
  find: read,
  lock: (work, id) => work.row(lockById, [id]),
  update: (work, id, changes) => update(work, payouts, id, changes),
  recordOf: (row) => row,
  orderOf,
  isSent: ({ status }) => status === 'processing',
  changesRail: true,
  markSubmitted: (work, row, { rail, attempt }, sent_at) =>
    transition(work, { ...row, submissions: attempt - 1 }, 'submit', {
      rail,
      sent_at,
      ...approvedSince(row, work),
    }),
  recordNames: (work, { id, rail }, reference, providerId) =>
    providerId === null
      ? keepReference(work, { rail, kind: 'payout', reference, subject: id })
      : keepProviderId(work, { rail, kind: 'payout', reference, providerId }),
  async change(ctx, { id }, decide, bringsBack) {
    return (await (bringsBack ? changeAlone : changeTogether)(ctx, id, decide)).row
  },
  queryTimer: (id, dueAt) => timer(askTask, id, dueAt),
  offerTimer: (id, dueAt) => timer(submitTask, id, dueAt),
}

/** Queries a payout's state at its rail and applies it. @param notified see `syncOrder` */
export const ask = (ctx: Ctx, id: Id, notified = false): Promise<ApplyResult> =>
  syncOrder(ctx, payoutOrders, id, notified)

/** Applies what the rail says, in the caller's transaction. */
export async function applyOrderState(
  work: Work,
  id: Id,
  answer: OrderReport,
): Promise<PayoutRow | null> {
  return (await change(work, id, decideBy(payoutOrders, answer))).row
}

/** The payouts of every business that have not ended, and go by a rail outside. */
export async function openPayouts({ db, terms }: App): Promise<OpenOrder[]> {
  const rows = await db.rows(selectOpen, [terms.test.sandbox.cards.name])
  return rows.map((row) => ({
    kind: 'payout',
    id: row.id,
    business_id: row.business_id,
    livemode: row.livemode,
    reference: row.reference,
    status: row.status,
    rail: row.rail,
    created_at: row.created_at,
    sent_at: row.sent_at,
    amount: row.destination_amount,
    currency: row.destination_currency,
    to: describeDestination(row.destination),
    job: { task: jobOf(row), payload: { payout_id: row.id } },
    find: (ctx) => findUnrecorded(ctx, payoutOrders, row),
    settle: (ctx, request) => settlePaid(ctx, row, request),
    cancel: (ctx, request) => cancelUnsent(ctx, row, request),
    fail: (ctx, request) => failUntaken(ctx, payoutOrders, row.id, request),
  }))
}

function jobOf({ status, approval }: PayoutRow): string {
  if (approval === 'waiting') return expireApprovalTask
  return status === 'pending' ? submitTask : askTask
}

/**
 * Cancels a payout that no rail has, at an operator's request, and audits that.
 * @returns null when canceled; otherwise the reason, as a sentence
 */
async function cancelUnsent(
  ctx: Ctx,
  payout: PayoutRow,
  request: EndRequest,
): Promise<string | null> {
  if (payout.status !== 'pending')
    return `The payout is ${payout.status}: only one that waits can be canceled.`
  const objection = await objectUnrecorded(ctx, payoutOrders, payout, request.isLookedUp)
  if (objection !== null) return objection
  return ctx.write(async (work) => {
    const row = await work.row(lockById, [payout.id])
    if (row?.status !== 'pending' || row.submissions !== payout.submissions)
      return 'The payout has changed meanwhile. Look at it, and try again.'
    await transition(work, row, 'cancel')
    await recordOperatorChange(work, {
      action: 'order.canceled',
      subject: row.id,
      before: { status: row.status },
      after: { status: 'canceled', ...auditedEnd(request) },
    })
    return null
  })
}

/**
 * Completes a payout that a person found to be paid. @returns false when its rail is paying it, or
 * it has changed
 */
async function settlePaid(ctx: Ctx, payout: PayoutRow, request: PaidRequest): Promise<boolean> {
  const { reference } = request
  const submissions = payout.submissions + (payout.status === 'pending' ? 1 : 0)
  const order = orderOf(ctx, { ...payout, submissions })
  const rail = railOfOrder(ctx, payout)
  if (rail.withdraw && !(await rail.withdraw(order))) return false
  const txHash = payout.destination.chain === undefined ? null : reference
  const state: OrderState = { state: 'completed', providerReference: reference, txHash }
  return ctx.write(async (work) => {
    const row = await work.row(lockById, [payout.id])
    if (row?.status !== payout.status || row.submissions !== payout.submissions) return false
    if (row.status === 'pending')
      await transition(work, row, 'submit', {
        sent_at: row.created_at,
        ...approvedSince(row, work),
      })
    const paid = await applyOrderState(work, row.id, { state, sentAt: row.sent_at, order })
    if (paid?.status !== 'completed') return false
    await recordPaid(work, payout, request)
    return true
  })
}

const payoutTask =
  (run: (ctx: Ctx, id: Id) => Promise<unknown>): Task =>
  async (ctx, payload) => {
    await run(ctx, payload.payout_id as Id)
  }

/**
 * Approves a payment while the payout is processing and the request matches its last submission.
 */
export const payoutApprover: Approver = async (ctx, id, asked) => {
  const payout = await read(ctx, id)
  if (payout === null) return null
  if (payout.status !== 'processing') return { objection: `the payout is ${payout.status}` }
  return { objection: await findMismatch(ctx, payout, orderOf(ctx, payout), asked) }
}

/**
 * Handles a provider's webhook about a payout: queries the payout, as its timer does. If the
 * webhook has only the provider's id, and ours was lost with an answer, it asks the provider for
 * our reference.
 */
export const payoutApplier = {
  apply: (ctx, id) => ask(ctx, id, true),
  async find(app, about) {
    const { livemode, rail, reference, providerId } = about
    const port = app.rails[modeOf(livemode)].accounts[rail]?.ports.payout
    if (reference !== null || providerId === null || !port?.referenceOfId) return null
    const said = await port.referenceOfId(providerId).catch((error: unknown) => {
      app.log.error(
        { err: error, rail, livemode },
        'a rail could not be asked which order an id is of',
      )
      return 'unknown' as const
    })
    if (said === 'unknown') return 'again'
    return said.reference === null ? null : findOwner(app, { ...about, ...said, providerId: null })
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
