/**
 * Disputes: a payer's bank takes money of a payment back. The provider is queried for the state,
 * and no wallet moves by it: a person decides what is held or taken (`deciding.ts`).
 */
import { operator } from '../../books/ledger/ledger.ts'
import { rangeOf } from '../../books/profiles/profiles.ts'
import { receiptsOf } from '../../books/receipts/receipts.ts'
import { transactionIn, transactionsOfPayment } from '../../books/transactions/transactions.ts'
import type { App } from '../../core/app.ts'
import { insert, update, type View, type Work } from '../../core/inside.ts'
import type { Task } from '../../core/module.ts'
import type { Ctx } from '../../core/outside.ts'
import { listPage, mapPage, type PageOf } from '../../db/lists/list.ts'
import { later } from '../../lib/clock.ts'
import { type Id, newId } from '../../lib/ids.ts'
import { modeOf } from '../../lib/mode.ts'
import { formatMoney, type WalletCurrency } from '../../lib/money.ts'
import type { Static } from '../../lib/schema.ts'
import { nextState } from '../../lib/states.ts'
import { emit } from '../../platform/events/events.ts'
import type { ApplyResult, InboundApplier } from '../../platform/inbound/inbound.ts'
import { openOwnIncident } from '../../platform/incidents/incidents.ts'
import { schedule } from '../../platform/jobs/timers.ts'
import type { Dispute as DisputeState, StatementRail } from '../../rails/ports/statement.ts'
import * as payments from '../payments/payments.ts'
import { releaseHeld } from './deciding.ts'
import { disputeEvents } from './events.ts'
import { simulatedRail } from './evidence.ts'
import { noticeAskedAgain, noticeDecided, noticeOpened } from './notices.ts'
import { refuse, refuseUnknown } from './refusals.ts'
import type { DisputeQuery, DisputeRecord, SimulateDisputeIn } from './schema.ts'
import {
  type DisputeRow,
  disputes,
  emptyErased,
  lockDispute,
  lockKnown,
  reopenEvidence,
  selectDispute,
  selectOpened,
  sumOfTransaction,
  sumsOfPayment,
} from './sql.ts'
import { disputeStates } from './states.ts'

export {
  getOperatorDispute,
  holdFor,
  listOperatorDisputes,
  type OperatorDispute,
  prepareDecision,
  releaseFor,
  takeFor,
} from './deciding.ts'
export { bookDisputeMovement } from './movements.ts'

export type Dispute = Static<typeof DisputeRecord>

/** The job that queries the provider. Its name is stored with pending timers. */
export const queryTask = 'disputes.ask'

const hourMs = 3_600_000
const dayMs = 24 * hourMs

/** Sums the disputes that payers' banks opened from a moment and before another, by currency. */
export const sumOpened = (view: View, { from, to }: { from: Date; to: Date }) =>
  view.rows(selectOpened, [from, to])

/** Converts a row to the API's record. */
export function toDispute(row: DisputeRow): Dispute {
  const {
    rail: _rail,
    payment_id: payment,
    transaction_id: transaction,
    customer_id: customer,
    ...rest
  } = row
  const { hold_transaction_id: _hold, ...shown } = rest
  return { ...shown, payment, transaction, customer } as Dispute
}

/** @throws {Refusal} `not_found` */
export async function get(view: View, id: string): Promise<Dispute> {
  return toDispute(await find(view, id))
}

async function find(view: View, id: string): Promise<DisputeRow> {
  return (await view.row(selectDispute, [id])) ?? refuseUnknown(id)
}

/** Lists disputes, newest first. */
export async function list(ctx: Ctx, query: Static<typeof DisputeQuery>): Promise<PageOf<Dispute>> {
  const page = await listPage<DisputeRow>(ctx, disputes, query, {
    facets: { status: query.status },
    filters: [['payment_id = ?', query.payment]],
    ...(await rangeOf(ctx, query)),
  })
  return mapPage(page, toDispute)
}

/** Returns the newest open disputes that were not answered: no answer is on its way or sent. */
export async function findUnanswered(ctx: Ctx, limit: number): Promise<Dispute[]> {
  const page = await listPage<DisputeRow>(
    ctx,
    disputes,
    { limit },
    {
      counted: false,
      where: `status = 'open' and not exists (
      select from dispute_evidence e
       where e.business_id = $1 and e.livemode = $2 and e.id = disputes.id and e.status in ('sending', 'sent'))`,
    },
  )
  return page.docs.map(toDispute)
}

/**
 * Returns the disputed amounts of a payment in minor units, by the transactions that booked the
 * money. Disputes that the merchant won do not count.
 */
export async function findDisputed(view: View, payment: Id): Promise<ReadonlyMap<Id, bigint>> {
  const sums = await view.rows(sumsOfPayment, [payment])
  return new Map(sums.map(({ transaction_id, amount }) => [transaction_id, amount]))
}

// What a provider says
// -------------------------------------------------------------------------------------------------

type DisputeReport = DisputeState & { rail: string; providerReference: string }

/**
 * Applies a provider's report: opens or closes a dispute, or changes its due date. Idempotent.
 * @param transaction the transaction that booked the money
 */
async function applyReport(
  work: Work,
  report: DisputeReport,
  transaction: Id,
): Promise<ApplyResult> {
  const before = await work.row(lockKnown, [report.rail, report.providerReference])
  const [row, opened] =
    before === null ? await openDispute(work, report, transaction) : [before, false]
  // A concurrent report has just inserted it.
  if (row === null) return 'again'
  if (row.amount !== report.amount || row.currency !== report.currency)
    return quarantine(work, row, report)
  if (row.status === report.state) {
    const isNewDue = await updateDue(work, row, report.dueAt ?? null)
    const isAskedAgain = report.isWaiting === true && (await askAgain(work, row, report))
    return opened || isNewDue || isAskedAgain ? 'applied' : 'nothing_to_do'
  }
  if (row.status !== 'open' || report.state === 'open') return quarantine(work, row, report)
  await closeDispute(work, row, report.state)
  return 'applied'
}

async function updateDue(work: Work, row: DisputeRow, due: Date | null): Promise<boolean> {
  if (due === null || due.getTime() === row.evidence_due_at?.getTime()) return false
  await update(work, disputes, row.id, { evidence_due_at: due, updated_at: work.scope.now })
  return true
}

/**
 * Lets evidence be changed and submitted again, such as for an inquiry that became a chargeback.
 * A report within an hour of the answer may be from before it.
 */
async function askAgain(work: Work, row: DisputeRow, report: DisputeReport): Promise<boolean> {
  const { now } = work.scope
  if (!(await work.row(reopenEvidence, [row.id, now, later(now, -hourMs)]))) return false
  await noticeAskedAgain(work, { ...row, evidence_due_at: report.dueAt ?? row.evidence_due_at })
  return true
}

async function openDispute(
  work: Work,
  report: DisputeReport,
  booked: Id,
): Promise<[DisputeRow | null, boolean]> {
  const { related, customer } = await transactionIn(work, booked)
  const { now } = work.scope
  const row = await insert(
    work,
    disputes,
    {
      id: newId(now),
      rail: report.rail,
      provider_reference: report.providerReference,
      payment_id: (related.payment as Id | undefined) ?? null,
      transaction_id: booked,
      customer_id: customer as Id | null,
      amount: report.amount,
      currency: report.currency,
      reason: report.reason?.slice(0, 200) ?? null,
      evidence_due_at: report.dueAt ?? null,
      status: 'open',
      metadata: {},
      created_at: now,
      updated_at: now,
    },
    '(livemode, rail, provider_reference) do nothing',
  )
  if (!row) return [null, false]
  await emit(work, disputeEvents, 'dispute.opened', toDispute(row))
  await noticeOpened(work, row)
  if (row.rail !== simulatedRail) await scheduleQuery(work, row.id)
  return [row, true]
}

/** Closes a dispute that the caller has locked. */
export async function closeDispute(
  work: Work,
  row: DisputeRow,
  to: 'won' | 'lost',
): Promise<DisputeRow> {
  const { now } = work.scope
  const status = nextState(disputeStates, row.status, to === 'won' ? 'win' : 'lose') as
    | 'won'
    | 'lost'
  const released = status === 'won' && row.held > 0n ? await releaseHeld(work, row) : {}
  const closed = await update(work, disputes, row.id, {
    ...released,
    status,
    closed_at: now,
    updated_at: now,
  })
  await work.rows(emptyErased, [closed.id])
  await emit(work, disputeEvents, 'dispute.closed', toDispute(closed))
  await noticeDecided(work, closed)
  return closed
}

/** Opens an incident for a report that contradicts the dispute. */
async function quarantine(
  work: Work,
  row: DisputeRow,
  report: DisputeReport,
): Promise<ApplyResult> {
  const detail = {
    dispute: row.id,
    status: row.status,
    amount: row.amount,
    said: report.state,
    said_amount: report.amount,
  }
  await openOwnIncident(work, { rail: row.rail, kind: 'quarantined', subject: row.id, detail })
  return 'nothing_to_do'
}

function scheduleQuery(work: Work, id: Id): Promise<void> {
  const dueAt = later(work.scope.now, dayMs)
  return schedule(work, { task: queryTask, subject: id, dueAt, payload: { dispute_id: id } })
}

const statementOf = (
  { rails }: Pick<App, 'rails'>,
  livemode: boolean,
  rail: string,
): StatementRail | undefined => rails[modeOf(livemode)].accounts[rail]?.statement

/** Queries a dispute at its provider. Returns null when the provider did not answer. */
const queryDispute = async (
  statement: StatementRail,
  providerReference: string,
): Promise<DisputeState | null> => statement.dispute(providerReference).catch(() => null)

/**
 * Handles a provider's webhook about a dispute: queries the dispute. The subject is the transaction
 * that booked the payment.
 */
export const disputeApplier: InboundApplier = {
  async find(app, { providerId, rail, livemode }) {
    const statement = statementOf(app, livemode, rail)
    if (statement === undefined || providerId === null) return null
    const report = await queryDispute(statement, providerId)
    if (report === null) return 'again'
    const booked = await receiptsOf(app.db, { livemode, rail, ids: [report.payment], from: null })
    const of = booked.find(({ kind }) => kind === 'charge' || kind === 'deposit')
    if (of === undefined || of.business_id === operator) return null
    return { businessId: of.business_id as Id, subject: of.transaction_id }
  },
  async apply(ctx, transaction, { rail, providerId }) {
    const statement = statementOf(ctx, ctx.scope.livemode, rail)
    const report =
      statement && providerId !== null ? await queryDispute(statement, providerId) : null
    if (report === null) return 'again'
    return ctx.write((work) =>
      applyReport(work, { ...report, rail, providerReference: providerId as string }, transaction),
    )
  },
}

/** Queries each open dispute once a day, because a webhook may never come. */
export const disputeTasks: Record<string, Task> = {
  [queryTask]: async (ctx, payload) => {
    const row = await ctx.row(selectDispute, [payload.dispute_id as Id])
    if (row?.status !== 'open') return
    const statement = statementOf(ctx, ctx.scope.livemode, row.rail)
    const report = statement ? await queryDispute(statement, row.provider_reference) : null
    await ctx.write(async (work) => {
      const known = { rail: row.rail, providerReference: row.provider_reference }
      if (report !== null) await applyReport(work, { ...report, ...known }, row.transaction_id)
      const now = await work.row(lockDispute, [row.id])
      if (now?.status === 'open') await scheduleQuery(work, row.id)
    })
  },
}

// Test keys
// -------------------------------------------------------------------------------------------------

/**
 * Simulates a new dispute in test mode.
 * @throws {Refusal} `not_found` for the payment; `payment_not_disputable`;
 * `dispute_amount_too_large`
 */
export async function simulate(
  work: Work,
  { id, amount, reason }: { id: string } & Static<typeof SimulateDisputeIn>,
): Promise<Dispute> {
  const payment = await payments.lock(work, id)
  const [booked] = await transactionsOfPayment(work, payment.id)
  if (!booked) return refuse('payment_not_disputable', 'Nothing was paid: pay it first.')
  const { amount: before } = (await work.row(sumOfTransaction, [payment.id, booked.id as Id])) ?? {
    amount: 0n,
  }
  const left = BigInt(booked.amount) - before
  const wanted = amount === undefined ? left : BigInt(amount)
  if (left <= 0n || wanted > left)
    refuse(
      'dispute_amount_too_large',
      `${formatMoney(left > 0n ? left : 0n, payment.currency)} of the payment can be disputed.`,
      { left: Number(left > 0n ? left : 0n) },
    )
  const dueAt = later(work.scope.now, 7 * dayMs)
  const report: DisputeReport = {
    rail: simulatedRail,
    providerReference: `dp_${newId(work.scope.now)}`,
    payment: booked.id as string,
    reference: null,
    amount: wanted,
    currency: payment.currency as WalletCurrency,
    state: 'open',
    reason: reason ?? 'fraudulent',
    dueAt,
  }
  const [row] = await openDispute(work, report, booked.id as Id)
  return toDispute(row as DisputeRow)
}

/**
 * Decides a simulated dispute.
 * @throws {Refusal} `not_found`, `dispute_not_simulated`, `dispute_already_closed`
 */
export async function simulateEnd(
  work: Work,
  id: string,
  outcome: 'won' | 'lost',
): Promise<Dispute> {
  const row = (await work.row(lockDispute, [id])) ?? refuseUnknown(id)
  if (row.rail !== simulatedRail)
    refuse('dispute_not_simulated', `The dispute is at '${row.rail}', which decides it.`)
  if (row.status !== 'open')
    refuse('dispute_already_closed', `The dispute is ${row.status} already.`)
  return toDispute(await closeDispute(work, row, outcome))
}
