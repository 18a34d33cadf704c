/**
 * Returns unclaimed money at a provider to its payer, as an order (`platform/orders/orders.ts`).
 * The operator's books hold the money until then.
 */
import {
  type AccountKey,
  lockAccounts,
  operator,
  type PostingKind,
  post,
} from '../../books/ledger/ledger.ts'
import { type Receipt, recordReceipt, requireReceipt } from '../../books/receipts/receipts.ts'
import type { App } from '../../core/app.ts'
import { insert, update, type Work } from '../../core/inside.ts'
import type { OpenOrder, Task } from '../../core/module.ts'
import type { Ctx } from '../../core/outside.ts'
import { later } from '../../lib/clock.ts'
import { type Id, newId } from '../../lib/ids.ts'
import type { WalletCurrency } from '../../lib/money.ts'
import { nextState } from '../../lib/states.ts'
import {
  type ApplyResult,
  type InboundApplier,
  keepRefundNames,
} from '../../platform/inbound/inbound.ts'
import { closePayment, openIncident } from '../../platform/incidents/incidents.ts'
import { schedule } from '../../platform/jobs/timers.ts'
import {
  type DecideChange,
  endAsPaid,
  failUntaken,
  findUnrecorded,
  type OrderKind,
  syncOrder,
} from '../../platform/orders/orders.ts'
import type { PayoutOrder, Waits } from '../../rails/ports/rail.ts'
import {
  lockReturn,
  type ReturnRow,
  returns,
  selectLatest,
  selectNotified,
  selectOpen,
  selectReturn,
} from './sql.ts'
import { returnStates } from './states.ts'

export type Return = ReturnRow

export const queryTask = 'returns.ask'

/** Delay before a job queries a return, in case the process that started it was killed. */
const firstQueryAfterMs = 30_000

/** An unclaimed payment at a provider, with its fee. Amounts in minor units. */
export type Unclaimed = {
  rail: string
  providerId: string
  reference: string | null
  currency: WalletCurrency
  amount: bigint
  fee: bigint | null
  /** Whether the provider reports that the payer has it back. */
  givenBack: boolean
  /** The person who requests the return. */
  by: string
}

type RejectedReturn = 'booked' | 'given_back' | 'initiated' | 'completed'

/**
 * Starts the return of a payment: books it as unclaimed, and schedules its first query. A failed
 * return can be started again.
 * @param ctx of the operator
 * @returns the return, or why there is none. `booked`: the payment belongs to a business.
 * `initiated`, `completed`: it has a return. `given_back`: the provider has returned it.
 */
export function startReturn(ctx: Ctx, of: Unclaimed): Promise<Return | RejectedReturn> {
  return ctx.write(async (work) => {
    const { rail, providerId: payment, reference, currency, amount, fee, by } = of
    const id = newId(work.scope.now)
    await lockBooks(work, of)
    const before = await work.row(selectLatest, [rail, payment])
    if (before !== null && before.status !== 'failed') return before.status
    if (of.givenBack) return 'given_back'
    const isNew = await recordReceipt(work, {
      rail,
      kind: 'charge',
      providerId: payment,
      subject: id,
      transaction: id,
      amount,
      fee,
      currency,
      availableAt: null,
    })
    if (!isNew && before === null) return 'booked'
    if (isNew) await postMovement(work, { rail, currency, amount, id }, 'unclaimed')
    const started = await insert(work, returns, {
      id,
      charge_id: before?.charge_id ?? id,
      rail,
      payment,
      payment_reference: reference,
      amount,
      fee,
      currency,
      requested_by: by,
      status: 'initiated',
      created_at: work.scope.now,
      updated_at: work.scope.now,
    })
    await schedule(work, timer(id, later(work.scope.now, firstQueryAfterMs)))
    await reportIncident(work, started as Return)
    return started as Return
  })
}

export const findReturn = (ctx: Ctx, id: Id): Promise<Return | null> => ctx.row(selectReturn, [id])

/** A return with the columns that the order driver expects, and that returns do not have. */
type ReturnOrder = Return & { tx_hash: string | null; waits: Waits | null; review: null }
const asOrder = (row: Return | null): ReturnOrder | null =>
  row && { ...row, tx_hash: null, waits: null, review: null }

/** The order driver's description of returns. */
const returnOrders: OrderKind<ReturnOrder> = {
  name: 'return',
  states: returnStates,
  find: async (ctx, id) => asOrder(await findReturn(ctx, id)),
  lock: async (work, id) => asOrder(await work.row(lockReturn, [id])),
  update: (work, id, changes) => updateReturn(work, id, changes),
  recordOf: (row) => recordOf(row),
  orderOf: (ctx, row) => orderOf(ctx, row),
  isSent: ({ status }) => status === 'initiated',
  changesRail: false,
  recordNames: (work, row, reference, providerId) =>
    keepRefundNames(work, { ...nameOfCharge(row), reference }, providerId),
  change: (ctx, row, decide) => ctx.write((work) => changeReturn(work, row, decide)),
  queryTimer: (id, dueAt) => timer(id, dueAt),
}

/** Queries a return's state at its provider and applies it. @param notified see `syncOrder` */
export const queryReturn = (ctx: Ctx, id: Id, notified = false): Promise<ApplyResult> =>
  syncOrder(ctx, returnOrders, id, notified)

/** Updates a return, without the columns that it does not have. Null: nothing changes. */
async function updateReturn(
  work: Work,
  id: Id,
  { tx_hash: _, waits: __, ...changes }: Partial<ReturnOrder>,
) {
  return Object.keys(changes).length === 0 ? null : update(work, returns, id, changes)
}

/** Locks a return and applies the change that is decided. */
async function changeReturn(
  work: Work,
  { id }: Pick<Return, 'id'>,
  decide: DecideChange<ReturnOrder>,
): Promise<ReturnOrder> {
  const row = asOrder(await work.row(lockReturn, [id])) as ReturnOrder
  const decision = await decide(row, work)
  if (decision === null) return row
  if (decision.timer !== null) await schedule(work, decision.timer)
  const { trigger, columns } = decision
  if (trigger === null) return asOrder(await updateReturn(work, id, columns)) ?? row
  const status = nextState(returnStates, row.status, trigger as 'complete' | 'fail' | 'return')
  if (status === null) throw new Error(`return ${id} is ${row.status} and takes no '${trigger}'`)
  const ended = await update(work, returns, id, {
    status,
    failure_reason: decision.columns.failure_reason,
    provider_reference: decision.columns.provider_reference,
    updated_at: work.scope.now,
  })
  if (status === 'completed') await bookMovement(work, ended, decision.fee, 'refund')
  else if (trigger === 'return') await bookMovement(work, ended, decision.fee, 'refund_return')
  if (status === 'completed')
    await closePayment(work.tx, { ...paymentOf(work, ended), by: row.requested_by })
  else await reportIncident(work, ended)
  return asOrder(ended) as ReturnOrder
}

// Books
// -------------------------------------------------------------------------------------------------

const unclaimed = ({ rail, currency }: Pick<Return, 'rail' | 'currency'>): AccountKey => ({
  purpose: 'unclaimed',
  currency,
  subject: rail,
})
const clearing = ({ rail, currency }: Pick<Return, 'rail' | 'currency'>): AccountKey => ({
  purpose: 'rail_clearing',
  currency,
  subject: rail,
})

/** Locks all ledger accounts of a movement at once: its fee is posted before its amount. */
const lockBooks = (work: Work, of: Pick<Return, 'rail' | 'currency'>) =>
  lockAccounts(work, [unclaimed(of), clearing(of), { ...clearing(of), purpose: 'rail_fees' }])

type Movement = Pick<Return, 'rail' | 'currency' | 'amount' | 'id'>

async function postMovement(
  work: Work,
  of: Movement,
  kind: PostingKind & `unclaimed${string}`,
): Promise<void> {
  const [debit, credit] =
    kind === 'unclaimed_sent' ? [unclaimed(of), clearing(of)] : [clearing(of), unclaimed(of)]
  await post(work, [{ debit, credit, amount: of.amount, kind, subject: of.id, transaction: of.id }])
}

async function bookMovement(
  work: Work,
  row: Return,
  fee: bigint | null,
  kind: 'refund' | 'refund_return',
) {
  await lockBooks(work, row)
  const receipt: Receipt = {
    rail: row.rail,
    kind,
    providerId: row.provider_reference ?? row.id,
    subject: row.id,
    transaction: row.id,
    amount: row.amount,
    currency: row.currency,
    availableAt: null,
    fee,
  }
  await requireReceipt(work, receipt)
  await postMovement(work, row, kind === 'refund' ? 'unclaimed_sent' : 'unclaimed_returned')
}

// What a person sees
// -------------------------------------------------------------------------------------------------

const accountOf = ({ scope }: Work, { rail }: Pick<Return, 'rail'>) => ({
  livemode: scope.livemode,
  rail,
})

const paymentOf = (work: Work, row: Return) => ({
  ...accountOf(work, row),
  payment: row.payment,
  reference: row.payment_reference,
  at: work.scope.now,
})

/** Opens or updates the incident about a payment whose return has not completed. */
async function reportIncident(work: Work, row: Return): Promise<void> {
  const {
    id,
    payment,
    payment_reference: reference,
    amount,
    fee,
    status,
    failure_reason: reason,
    requested_by,
  } = row
  await openIncident(work.tx, {
    ...accountOf(work, row),
    kind: 'missing_here',
    subject: `payment ${payment}`,
    at: work.scope.now,
    detail: { reference, amount, fee, return: id, status, reason, by: requested_by },
  })
}

// Orders
// -------------------------------------------------------------------------------------------------

const orderOf = ({ scope }: Ctx, row: Return): PayoutOrder => ({
  id: row.id,
  attempt: row.submissions,
  businessId: scope.businessId,
  amount: row.amount,
  currency: row.currency,
  destination: {
    type: 'charge',
    // The method is unknown, and no rail uses it.
    charge: { id: row.charge_id, providerReference: row.payment, method: 'bank_transfer' },
    refund: row.provider_reference,
  },
  at: scope.now,
})

const recordOf = (row: Return) => ({ ...row, destination: { charge: row.charge_id } })

/** Notifications name the payment, which may have several returns: failed ones and another. */
const nameOfCharge = ({ id, rail, charge_id }: Return) =>
  ({ id, rail, kind: 'refund', subject: charge_id }) as const

const timer = (id: Id, dueAt: Date) => ({
  task: queryTask,
  subject: id,
  dueAt,
  payload: { return_id: id },
})

/** Handles a provider's webhook about a returned payment: queries its returns, as timers do. */
export const returnApplier: InboundApplier = {
  async apply(ctx, subject) {
    const outcomes: ApplyResult[] = []
    for (const { id } of await ctx.rows(selectNotified, [subject]))
      outcomes.push(await queryReturn(ctx, id, true))
    return (
      (['again', 'quarantined', 'applied'] as const).find((one) => outcomes.includes(one)) ??
      'nothing_to_do'
    )
  },
}

/** Whether a notification is about a return: only the operator has returns. */
export const isReturn = ({ scope }: Pick<Ctx, 'scope'>): boolean => scope.businessId === operator

/** Returns all open returns, of both modes. */
export async function openReturns({ db }: App): Promise<OpenOrder[]> {
  const rows = await db.rows(selectOpen)
  return rows.map((row) => ({
    kind: 'return',
    id: row.id,
    business_id: row.business_id,
    livemode: row.livemode,
    status: row.status,
    reference: row.payment_reference,
    rail: row.rail,
    created_at: row.created_at,
    sent_at: row.sent_at,
    amount: row.amount,
    currency: row.currency,
    to: `the payer of ${row.payment}`,
    job: { task: queryTask, payload: { return_id: row.id } },
    find: (ctx) => findUnrecorded(ctx, returnOrders, asOrder(row) as ReturnOrder),
    settle: (ctx, request) => endAsPaid(ctx, returnOrders, asOrder(row) as ReturnOrder, request),
    cancel: async () => 'A return can be failed, not canceled.',
    fail: (ctx, request) => failUntaken(ctx, returnOrders, row.id, request),
  }))
}

export const returnTasks: Record<string, Task> = {
  [queryTask]: async (ctx, payload) => {
    await queryReturn(ctx, payload.return_id as Id)
  },
}
