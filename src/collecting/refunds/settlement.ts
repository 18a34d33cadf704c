/**
 * Runs refunds to the payer by the order driver (`platform/orders/orders.ts`), and ends test
 * refunds.
 */
import type { App } from '../../core/app.ts'
import { update, type Work } from '../../core/inside.ts'
import type { OpenOrder, Task } from '../../core/module.ts'
import type { Ctx } from '../../core/outside.ts'
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
import { schedule } from '../../platform/jobs/timers.ts'
import {
  type DecideChange,
  decideBy,
  failUntaken,
  findMismatch,
  findUnrecorded,
  type OrderKind,
  type OrderReport,
  syncOrder,
} from '../../platform/orders/orders.ts'
import type { Destination, OrderState, PayoutOrder } from '../../rails/ports/rail.ts'
import * as payments from '../payments/payments.ts'
import { askTask, find, payoutReference, type Refund, toRefund } from './record.ts'
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

/** Refunds as a kind of order. */
const refundOrders: OrderKind<RefundRow> = {
  name: 'refund',
  states: refundStates,
  async find(ctx, id) {
    const row = await ctx.row(selectRefund, [id])
    // A refund that goes by a payout ends with it.
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
  change: (ctx, row, decide) => ctx.write((work) => change(work, row, decide)),
  queryTimer: (id, dueAt) => ({ task: askTask, subject: id, dueAt, payload: { refund_id: id } }),
}

/** Queries a refund's state at its rail and applies it. @param notified see `syncOrder` */
export const ask = (ctx: Ctx, id: Id, notified = false): Promise<Applied> =>
  syncOrder(ctx, refundOrders, id, notified)

/**
 * Screens a refund that was not sent, and holds it where a list has whom it goes to. @throws
 * {Error} when a list gives no answer
 */
async function holdIfListed(ctx: Ctx, refund: RefundRow): Promise<boolean> {
  const held = await screenRefund(ctx, refund)
  if (held !== null) await holdForReview(ctx, refund, held)
  return held !== null
}

type Known = Pick<RefundRow, 'id' | 'payment_id'>

/** Locks a refund's payment, then the refund, and applies the change that is decided. */
async function change(
  work: Work,
  { id, payment_id }: Known,
  decide: DecideChange<RefundRow>,
): Promise<RefundRow> {
  const payment = await payments.lock(work, payment_id)
  const row = (await work.row(lockRefund, [id])) as RefundRow
  const decision = await decide(row, work)
  if (decision === null) return row
  if (decision.timer !== null) await schedule(work, decision.timer)
  if (decision.trigger !== null)
    return transition(work, payment, row, decision.trigger, decision.columns, decision.fee)
  return Object.keys(decision.columns).length === 0
    ? row
    : update(work, refunds, id, decision.columns)
}

/** Applies what the rail says, in the caller's transaction. */
const applyOrderState = (work: Work, refund: Known, answer: OrderReport): Promise<RefundRow> =>
  change(work, refund, decideBy(refundOrders, answer))

/**
 * Has the sandbox decide how a test refund ends, or that it comes back; then it is asked, as any
 * rail. A refund that has ended so already stays as it is: whoever simulates by hand is slower than
 * the sandbox.
 * @throws {Refusal} `not_found`, `refund_already_final`, `refund_not_completed`,
 * `refund_not_simulated`, `refund_under_review`
 */
export async function prepareEnd(
  ctx: Ctx,
  id: string,
  outcome: 'completed' | 'failed' | 'returned',
) {
  const refund = await find(ctx, id)
  if (refund.payout_id !== null) {
    const reference = payoutReference(refund)
    refuse(
      'refund_not_simulated',
      `The refund goes by a payout: end that (POST /payouts/${reference}/simulate).`,
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
  const said = await rail.ask(order)
  // It had settled otherwise before it was decided: that stands.
  if (said.state !== outcome)
    refuseEnded(await ctx.write((work) => applyOrderState(work, refund, { order, state: said })))
  return { refund, outcome, answer: { order, state: said } }
}

/**
 * Ends a test refund as the sandbox has decided.
 * @throws {Refusal} `refund_already_final` when it has ended otherwise meanwhile
 */
export async function end(
  work: Work,
  { refund, outcome, answer }: Awaited<ReturnType<typeof prepareEnd>>,
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
 * Keeps what its rail knows a refund by. Of what it gives back its notifications name the charge,
 * which several refunds of the payment may be of; else a refund is a payout to the rail.
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

/** The refunds of every business that have not ended, and go by a rail outside. */
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
    job: { task: askTask, payload: { refund_id: row.id } },
    find: (ctx) => findUnrecorded(ctx, refundOrders, row),
    settle: async (ctx, reference) => {
      const state: OrderState = { state: 'completed', providerReference: reference, txHash: null }
      const answer = { order: await orderOf(ctx, row), state, sentAt: row.sent_at }
      return (await ctx.write((work) => applyOrderState(work, row, answer))).status === 'completed'
    },
    // What its payer was promised is not taken back.
    cancel: async () => false,
    fail: (ctx, request) => failUntaken(ctx, refundOrders, row.id, request),
  }))
}

/**
 * What a provider's webhook about a refund does: it is asked about, as by its timer. One that names
 * a charge is about any refund of its payment that the same rail gives back.
 */
export const refundApplier: InboundApplier = {
  async apply(ctx, subject, { rail }) {
    if (await ctx.row(selectRefund, [subject])) return ask(ctx, subject, true)
    const all: Applied[] = []
    for (const { id } of await ctx.rows(selectNotified, [subject, rail]))
      all.push(await ask(ctx, id, true))
    return (['again', 'applied'] as const).find((one) => all.includes(one)) ?? 'nothing_to_do'
  },
}

/** A refund to an account is paid as a payout is, once it was sent. */
export const refundApprover: Approver = async (ctx, id, asked) => {
  const refund = await ctx.row(selectRefund, [id])
  if (refund === null) return null
  if (refund.status !== 'initiated') return { objection: `the refund is ${refund.status}` }
  if (refund.sent_at === null) return { objection: 'the refund was not sent yet' }
  return { objection: await findMismatch(ctx, refund, await orderOf(ctx, refund), asked) }
}

/** The jobs of this module. */
export const refundTasks: Record<string, Task> = {
  [askTask]: async (ctx, payload) => {
    await ask(ctx, payload.refund_id as Id)
  },
}
