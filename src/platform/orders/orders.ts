/**
 * Runs the life of every order that moves money at a provider: payouts, refunds and returns. A rail
 * is called outside of a database transaction, after the state that permits it is committed.
 */
import { recordOperatorChange } from '../../books/audit/audit.ts'
import { BookedBefore } from '../../books/receipts/receipts.ts'
import type { Work } from '../../core/inside.ts'
import type { EndRequest, PaidRequest } from '../../core/module.ts'
import { type Ctx, railTime } from '../../core/outside.ts'
import { later } from '../../lib/clock.ts'
import { Refusal } from '../../lib/errors.ts'
import type { Id } from '../../lib/ids.ts'
import { failed } from '../../rails/http/answers.ts'
import type { OrderState, PayoutOrder } from '../../rails/ports/rail.ts'
import type { ApplyResult } from '../inbound/inbound.ts'
import { openOwnIncident } from '../incidents/incidents.ts'
import { schedule } from '../jobs/timers.ts'
import { findLatePayment, hasEndedUnpaid, objectUnrecorded, withdrawOrObject } from './failing.ts'
import type { DecideChange, OrderChange, OrderKind, OrderRow } from './kind.ts'
import { adoptUnrecorded, lastSentAt } from './recovery.ts'
import { notifiedReference, queryOrSend, queryRail, recallOrQuery } from './sending.ts'
import {
  discardStale,
  isSameSubmission,
  newProviderReference,
  nextStep,
  type ProviderNames,
  waitAfter,
} from './steps.ts'

export { objectUnrecorded } from './failing.ts'
export type { DecideChange, OrderChange, OrderKind, OrderRow } from './kind.ts'
export { adoptUnrecorded, findUnrecorded } from './recovery.ts'
export { chooseRail, findMismatch, notifiedReference, offerDelayMs, sendOrder } from './sending.ts'
export { type OrderTrigger, waitFor } from './steps.ts'

/** Delay before an order whose report could not be booked is queried again. */
const retryBookingAfterMs = 5 * 60_000

/**
 * A rail's report about an order.
 * @property sentAt when the order was last sent; left out if the report is true regardless of
 * the sending time
 * @property notified a webhook prompted the query, so the order keeps the timer that it has
 */
export type OrderReport = {
  order: PayoutOrder
  state: OrderState
  sentAt?: Date | null
  notified?: boolean
}

/**
 * Queries an order's state at its rail and applies it. Sends the order when the rail never accepted
 * it. An order that has ended is queried too when it is notified of: one that was completed may have
 * come back, and one that failed may have been paid.
 * @returns `again` when the rail gave no answer; the sender of a notification must then repeat it,
 * because a completed order has no timer
 */
export async function syncOrder<Row extends OrderRow>(
  ctx: Ctx,
  kind: OrderKind<Row>,
  id: Id,
  notified = false,
): Promise<ApplyResult> {
  const row = await kind.find(ctx, id)
  if (row === null) return 'nothing_to_do'
  if (row.status === 'completed') {
    const order = await kind.orderOf(ctx, row)
    const state = await queryRail(ctx, kind.recordOf(row), order)
    return applyReport(ctx, kind, row, { order, state, sentAt: row.sent_at, notified })
  }
  if (kind.isSent(row)) return syncSentOrder(ctx, kind, row, notified)
  return notified && hasEndedUnpaid(row) ? findLatePayment(ctx, kind, row) : 'nothing_to_do'
}

async function syncSentOrder<Row extends OrderRow>(
  ctx: Ctx,
  kind: OrderKind<Row>,
  before: Row,
  notified: boolean,
): Promise<ApplyResult> {
  const recovered = await adoptUnrecorded(ctx, kind, before)
  const row = recovered === 'adopted' ? ((await kind.find(ctx, before.id)) as Row) : before
  const order = await kind.orderOf(ctx, row)
  if (recovered !== null && recovered !== 'adopted') {
    const state = { state: 'unknown', askAgainInMs: recovered.againInMs } as const
    return applyReport(ctx, kind, row, { order, state, sentAt: row.sent_at, notified })
  }
  if (row.sent_at === null && (await kind.isHeldForReview?.(ctx, row))) return 'nothing_to_do'
  const at = await railTime(ctx, row.rail)
  const reported = await (kind.changesRail ? recallOrQuery : queryOrSend)(
    ctx,
    kind.recordOf(row),
    order,
    {
      at,
      lastSentAt: await lastSentAt(ctx, row),
      markSent: () => markSent(ctx, kind, row, order, at),
    },
  )
  return applyReport(ctx, kind, row, { order, ...reported, notified })
}

/**
 * Commits that an order is sent now. @returns false when another process has sent it, or it has
 * ended
 */
async function markSent<Row extends OrderRow>(
  ctx: Ctx,
  kind: OrderKind<Row>,
  row: Row,
  order: PayoutOrder,
  at: Date,
): Promise<boolean> {
  const reference = await notifiedReference(ctx, kind.recordOf(row), order)
  return ctx.write(async (work) => {
    const locked = await kind.lock(work, row.id)
    if (
      locked === null ||
      !kind.isSent(locked) ||
      locked.review !== null ||
      !isSameSubmission(row, locked)
    )
      return false
    if (reference !== null) await kind.recordNames(work, locked, reference, null)
    await kind.update(work, row.id, { sent_at: at, waits: null })
    return true
  })
}

/** States after which money may return to a wallet. */
const returningStates: ReadonlySet<OrderState['state']> = new Set([
  'failed',
  'returned',
  'recalled',
  'refused_now',
])

/**
 * Applies a rail's report about an order.
 * @returns `quarantined` when another record has booked the movement that the provider reports
 */
export async function applyReport<Row extends OrderRow>(
  ctx: Ctx,
  kind: OrderKind<Row>,
  row: Row,
  report: OrderReport,
): Promise<ApplyResult> {
  const since = await railTime(ctx, row.rail)
  const providerId = newProviderReference(report.state, row)
  const reference =
    providerId === null ? null : await notifiedReference(ctx, kind.recordOf(row), report.order)
  try {
    const changed = await kind.change(
      ctx,
      row,
      async (locked, work) => {
        if (reference !== null) await kind.recordNames(work, row, reference, providerId)
        return decideChange(kind, locked, { report, now: work.scope.now, since })
      },
      returningStates.has(report.state.state),
    )
    if (changed !== null && changed.status !== row.status)
      // An operator may have failed it while its rail answered.
      return report.state.state === 'completed' && hasEndedUnpaid(changed)
        ? findLatePayment(ctx, kind, changed)
        : 'applied'
    if (changed === null) return 'applied'
    return report.state.state === 'unknown' ? 'again' : 'nothing_to_do'
  } catch (error) {
    // A wallet that cannot hold what came back is tried again until it can.
    const isBooked = error instanceof BookedBefore
    if (!isBooked && !(error instanceof Refusal)) throw error
    ctx.log.error(
      { err: error, [kind.name]: row.id },
      `a rail's report about a ${kind.name} could not be booked yet`,
    )
    await ctx.write(async (work) => {
      if (isBooked) await reportBookedBefore(work, kind.name, row, error)
      await schedule(work, kind.queryTimer(row.id, later(since, retryBookingAfterMs)))
    })
    return isBooked ? 'quarantined' : 'nothing_to_do'
  }
}

/** Opens an incident: a movement belongs to one order, and a person must find out to which. */
const reportBookedBefore = (work: Work, name: string, { id, rail }: OrderRow, { message }: Error) =>
  openOwnIncident(work, {
    rail,
    kind: 'quarantined',
    subject: id,
    detail: { [name]: id, found: message },
  })

/**
 * Decides the change of a locked order by a rail's report. Idempotent: a repeat is a no-op.
 * @param at.now the time of the business
 * @param at.since the time of the rail, from which its delays count
 */
function decideChange<Row extends OrderRow>(
  kind: OrderKind<Row>,
  row: Row,
  { report, now, since }: { report: OrderReport; now: Date; since: Date },
): OrderChange | null {
  const { order, sentAt, notified } = report
  const state = discardStale({ submissions: order.attempt, sent_at: sentAt }, row, report.state)
  const ageMs = since.getTime() - (row.sent_at ?? row.created_at).getTime()
  const step = nextStep(kind.states, row, state, ageMs)
  if (step === null) return null
  const { names } = step
  const waits = waitAfter(row.waits, state, now)
  if ('trigger' in step) {
    const { trigger, reason, offerInMs } = step
    return {
      trigger,
      columns: { ...names, failure_reason: reason, waits },
      fee: ('fee' in state ? state.fee : null) ?? null,
      timer:
        trigger === 'hold' ? (kind.offerTimer?.(row.id, later(since, offerInMs)) ?? null) : null,
    }
  }
  // The rail certainly does not have this submission, so the next one may be sent.
  const isFree = state.state === 'refused_now' || state.state === 'recalled'
  return {
    trigger: null,
    columns: {
      ...newNames(row, names, kind.changesRail, now),
      ...(isFree ? { sent_at: null, submissions: row.submissions + 1 } : {}),
      ...(waits === row.waits ? {} : { waits }),
    },
    timer: notified && !isFree ? null : kind.queryTimer(row.id, later(since, step.queryInMs)),
  }
}

/**
 * Returns a function that decides the change of a locked order by a rail's report, whose delays
 * count from the time of the business.
 */
export const decideBy =
  <Row extends OrderRow>(kind: OrderKind<Row>, report: OrderReport): DecideChange<Row> =>
  async (row, { scope: { now } }) =>
    decideChange(kind, row, { report, now, since: now })

/**
 * Ends an order that was sent as paid, as a person has found out.
 * @returns whether it is completed
 */
export async function endAsPaid<Row extends OrderRow>(
  ctx: Ctx,
  kind: OrderKind<Row>,
  row: Row,
  request: PaidRequest,
): Promise<boolean> {
  const order = await kind.orderOf(ctx, row)
  const state = { state: 'completed', providerReference: request.reference, txHash: null } as const
  const decide = decideBy(kind, { order, state, sentAt: row.sent_at })
  const ended = await kind.change(
    ctx,
    row,
    async (locked, work) => {
      const change = await decide(locked, work)
      if (change?.trigger === 'complete') await recordPaid(work, locked, request)
      return change
    },
    false,
  )
  return ended?.status === 'completed'
}

/** Records in the audit log that an operator has ended an order as paid. */
export const recordPaid = (work: Work, before: OrderRow, request: PaidRequest): Promise<void> =>
  recordOperatorChange(work, {
    action: 'order.paid',
    subject: before.id,
    before: { status: before.status },
    after: { status: 'completed', ...request },
  })

/** The part of an audit entry that keeps who has ended an order. */
export const auditedEnd = ({ by, isLookedUp }: EndRequest) => ({
  by,
  ...(isLookedUp ? { looked_up: true } : {}),
})

/**
 * Fails an order that was sent, if its rail does not know it or says that it failed. The money is
 * released in the transaction of the status, its event and the entry of the audit log.
 * @returns null once it has failed; otherwise why not, as a sentence
 */
export async function failUntaken<Row extends OrderRow>(
  ctx: Ctx,
  kind: OrderKind<Row>,
  id: Id,
  request: EndRequest & { reason: string },
): Promise<string | null> {
  const row = await kind.find(ctx, id)
  if (row === null || !kind.isSent(row) || row.sent_at === null)
    return `The ${kind.name} is ${row?.status ?? 'gone'}: only one that was sent and has not ended can be failed.`
  const unrecorded = await objectUnrecorded(ctx, kind, row, request.isLookedUp)
  if (unrecorded !== null) return unrecorded
  const order = await kind.orderOf(ctx, row)
  const state = await queryRail(ctx, kind.recordOf(row), order)
  const objection = await withdrawOrObject(ctx, kind, row, { order, state })
  if (objection !== null) return objection
  const report = {
    order,
    state: state.state === 'failed' ? state : failed('rejected'),
    sentAt: row.sent_at,
  }
  const decide = decideBy(kind, report)
  let isFailed = false
  await kind.change(
    ctx,
    row,
    async (locked, work) => {
      const change = await decide(locked, work)
      isFailed = change?.trigger === 'fail'
      if (!isFailed) return null
      await recordOperatorChange(work, {
        action: 'order.failed',
        subject: id,
        before: { status: locked.status },
        after: { status: 'failed', reason: request.reason, ...auditedEnd(request) },
      })
      return change
    },
    true,
  )
  return isFailed ? null : `The ${kind.name} has changed meanwhile. Look at it, and try again.`
}

/**
 * Returns the rail's names that an unfinished order does not have yet. A replaced transaction on a
 * chain has another hash.
 */
function newNames(row: OrderRow, names: ProviderNames, changesRail: boolean, now: Date) {
  if (names.tx_hash !== row.tx_hash) return { ...names, updated_at: now }
  const { provider_reference } = names
  return changesRail || provider_reference === row.provider_reference ? {} : { provider_reference }
}
