/**
 * Sends and queries refunds by the order driver (`platform/orders/orders.ts`), and simulates their
 * end in test mode.
 */
import type { App } from '../../core/app.ts'
import { update, type Work } from '../../core/inside.ts'
import type { OpenOrder, Task } from '../../core/module.ts'
import type { Ctx } from '../../core/outside.ts'
import type { Id } from '../../lib/ids.ts'
import { describeDestination, toRailDestination } from '../../platform/destinations/destinations.ts'
import {
  type ApplyResult,
  type Approver,
  type InboundApplier,
  keepProviderId,
  keepReference,
  keepRefundNames,
} from '../../platform/inbound/inbound.ts'
import { schedule } from '../../platform/jobs/timers.ts'
import {
  type DecideChange,
  decideBy,
  endAsPaid,
  failUntaken,
  findMismatch,
  findUnrecorded,
  type OrderKind,
  type OrderReport,
  syncOrder,
} from '../../platform/orders/orders.ts'
import type { Destination, PayoutOrder } from '../../rails/ports/rail.ts'
import * as payments from '../payments/payments.ts'
import { find, payoutReference, queryTask, type Refund, toRefund } from './record.ts'
import { refuse } from './refusals.ts'
import { holdForReview, screenRefund } from './review.ts'
import { chargeOf } from './sources.ts'
import {
  lockRefund,
  type RefundRow,
  refunds,
  selectNotified,
  selectOpen,
  selectRefund,
} from './sql.ts'
import { refundStates } from './states.ts'
import { transition } from './transition.ts'

/** The order driver's description of refunds. */
const refundOrders: OrderKind<RefundRow> = {
  name: 'refund',
  states: refundStates,
  async find(ctx, id) {
    const row = await ctx.row(selectRefund, [id])
    // A payout's own driver ends a refund that goes by it.
    return row?.payout_id === null ? row : null
  },
  lock: (work, id) => work.row(lockRefund, [id]),
  update: (work, id, changes) => update(work, refunds, id, changes),
  recordOf: (row) => row,
  orderOf,
  isSent: ({ status }) => status === 'initiated',
  changesRail: false,
  recordNames,
  isHeldForReview: async (ctx, row) => row.review !== null || holdIfListed(ctx, row),
  change: (ctx, row, decide) => ctx.write((work) => changeRefund(work, row, decide)),
  queryTimer: (id, dueAt) => ({ task: queryTask, subject: id, dueAt, payload: { refund_id: id } }),
}

/** Queries a refund's state at its rail and applies it. @param notified see `syncOrder` */
export const queryRefund = (ctx: Ctx, id: Id, notified = false): Promise<ApplyResult> =>
  syncOrder(ctx, refundOrders, id, notified)

/**
 * Screens an unsent refund, and holds it for review on a match. @throws {Error} when a list does
 * not answer
 */
async function holdIfListed(ctx: Ctx, refund: RefundRow): Promise<boolean> {
  const match = await screenRefund(ctx, refund)
  if (match !== null) await holdForReview(ctx, refund, match)
  return match !== null
}

type RefundKey = Pick<RefundRow, 'id' | 'payment_id'>

/** Locks a refund's payment, then the refund, and applies the change that is decided. */
async function changeRefund(
  work: Work,
  { id, payment_id }: RefundKey,
  decide: DecideChange<RefundRow>,
): Promise<RefundRow> {
  const payment = await payments.lock(work, payment_id)
  const row = (await work.row(lockRefund, [id])) as RefundRow
  const decision = await decide(row, work)
  if (decision === null) return row
  if (decision.timer !== null) await schedule(work, decision.timer)
  if (decision.trigger !== null) return transition(work, payment, row, decision)
  const { columns } = decision
  return Object.keys(columns).length === 0 ? row : update(work, refunds, id, columns)
}

/** Applies a rail's report, in the caller's transaction. */
const applyOrderState = (work: Work, refund: RefundKey, answer: OrderReport): Promise<RefundRow> =>
  changeRefund(work, refund, decideBy(refundOrders, answer))

/**
 * Makes the sandbox end a test refund, or return it, then queries the sandbox as any rail. A refund
 * with that outcome already stays as it is: the sandbox may have been faster.
 * @throws {Refusal} `not_found`, `refund_already_final`, `refund_not_completed`,
 * `refund_not_simulated`, `refund_under_review`
 */
export async function prepareSimulatedEnd(
  ctx: Ctx,
  id: string,
  outcome: 'completed' | 'failed' | 'returned',
) {
  const refund = await find(ctx, id)
  if (refund.payout_id !== null) {
    const reference = payoutReference(refund)
    refuse(
      'refund_not_simulated',
      `A payout pays the refund: simulate its end instead (POST /payouts/${reference}/simulate).`,
    )
  }
  if (refund.review !== null) refuse('refund_under_review')
  const rail = ctx.rails.test.sandbox.ports.payout
  if (refund.rail !== rail.name)
    refuse(
      'refund_not_simulated',
      `The refund goes by '${refund.rail}', which decides how it ends.`,
    )
  if (refund.status === outcome) return { refund, outcome, answer: null }
  if (outcome === 'returned' && refund.status === 'initiated')
    refuse(
      'refund_not_completed',
      'The refund is initiated; only a completed refund can come back.',
    )
  if (refund.status !== (outcome === 'returned' ? 'completed' : 'initiated')) refuseEnded(refund)
  const order = await orderOf(ctx, refund)
  await rail.decide(order, outcome, outcome === 'completed' ? null : 'rejected')
  const answer = { order, state: await rail.ask(order) }
  // The sandbox had already ended it otherwise: that outcome stands.
  if (answer.state.state !== outcome)
    refuseEnded(await ctx.write((work) => applyOrderState(work, refund, answer)))
  return { refund, outcome, answer }
}

/**
 * Ends a test refund with the outcome that the sandbox reports.
 * @throws {Refusal} `refund_already_final` when it has ended otherwise in the meantime
 */
export async function applySimulatedEnd(
  work: Work,
  { refund, outcome, answer }: Awaited<ReturnType<typeof prepareSimulatedEnd>>,
): Promise<Refund> {
  if (answer === null) return toRefund(refund)
  const row = await applyOrderState(work, refund, answer)
  if (row.status !== (outcome === 'returned' ? 'failed' : outcome)) refuseEnded(row)
  return toRefund(row)
}

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
 * Stores the rail's names of a refund. Notifications about a returned charge name only the charge,
 * which several refunds of the payment may share. Other refunds are payouts to the rail.
 */
async function recordNames(
  work: Work,
  { id, payment_id, rail, destination }: RefundRow,
  reference: string,
  providerId: string | null,
): Promise<void> {
  if ('charge' in destination)
    return keepRefundNames(
      work,
      { rail, kind: 'refund', subject: payment_id, reference, id },
      providerId,
    )
  const known = { rail, kind: 'payout', reference } as const
  if (providerId === null) await keepReference(work, { ...known, subject: id })
  else await keepProviderId(work, { ...known, providerId })
}

/** Returns every business's open refunds at rails other than the sandbox. */
export async function openRefunds({ db, terms }: App): Promise<OpenOrder[]> {
  const rows = await db.rows(selectOpen, [terms.test.sandbox.cards.name])
  return rows.map((row) => ({
    kind: 'refund',
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
    to:
      'charge' in row.destination
        ? `the ${row.method} that paid`
        : describeDestination(row.destination),
    job: { task: queryTask, payload: { refund_id: row.id } },
    find: (ctx) => findUnrecorded(ctx, refundOrders, row),
    settle: (ctx, request) => endAsPaid(ctx, refundOrders, row, request),
    cancel: async () => 'A refund was promised to its payer: it can be failed, not canceled.',
    fail: (ctx, request) => failUntaken(ctx, refundOrders, row.id, request),
  }))
}

/**
 * Handles a provider's webhook about a refund: queries the refund, as its timer does. A webhook
 * that names a charge queries every refund of the payment that was sent to the rail.
 */
export const refundApplier: InboundApplier = {
  async apply(ctx, subject, { rail }) {
    if (await ctx.row(selectRefund, [subject])) return queryRefund(ctx, subject, true)
    const outcomes: ApplyResult[] = []
    for (const { id } of await ctx.rows(selectNotified, [subject, rail]))
      outcomes.push(await queryRefund(ctx, id, true))
    return (
      (['again', 'quarantined', 'applied'] as const).find((one) => outcomes.includes(one)) ??
      'nothing_to_do'
    )
  },
}

/** Approves a provider's request to pay a refund: it was sent, and nothing about it differs. */
export const refundApprover: Approver = async (ctx, id, requested) => {
  const refund = await ctx.row(selectRefund, [id])
  if (refund === null) return null
  if (refund.status !== 'initiated') return { objection: `the refund is ${refund.status}` }
  if (refund.sent_at === null) return { objection: 'the refund was not sent yet' }
  return { objection: await findMismatch(ctx, refund, await orderOf(ctx, refund), requested) }
}

export const refundTasks: Record<string, Task> = {
  [queryTask]: async (ctx, payload) => {
    await queryRefund(ctx, payload.refund_id as Id)
  },
}
