/**
 * Sends back what a provider took and nobody claims, by the provider's refund. The order to do so
 * is committed before it is sent, and only the provider's word ends it, as of every order
 * (`platform/orders/orders.ts`); the money stands in the operator's books, in an account of its
 * own.
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
  type Applied,
  type InboundApplier,
  keepRefundNames,
} from '../../platform/inbound/inbound.ts'
import { closePayment, openIncident } from '../../platform/incidents/incidents.ts'
import { schedule } from '../../platform/jobs/timers.ts'
import {
  type DecideChange,
  decideBy,
  failUntaken,
  findUnrecorded,
  type OrderKind,
  type OrderReport,
  syncOrder,
} from '../../platform/orders/orders.ts'
import type { OrderState, PayoutOrder, Waits } from '../../rails/ports/rail.ts'
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

export const askTask = 'returns.ask'

/**
 * How long until a server sees to a return that whoever started it has not: it was killed, or its
 * provider could not be reached.
 */
const seeToMs = 30_000

/** A payment at a provider. Amounts in minor units; `fee`: what the provider keeps of it. */
export type Unclaimed = {
  rail: string
  providerId: string
  reference: string | null
  currency: WalletCurrency
  amount: bigint
  fee: bigint | null
  /** Whether the provider says that it is back with who paid. */
  givenBack: boolean
  /** The person that wants it sent back. */
  by: string
}

type NotStarted = 'booked' | 'given_back' | 'initiated' | 'completed'

/**
 * Commits that a payment is to be sent back, books it as nobody's, and sets the timer that sees to
 * it. One whose return has failed can be returned again.
 * @param ctx of the operator
 * @returns why not: `booked`, it is somebody's; `initiated`, `completed`, it is on its way back, or
 * back; `given_back`, not by us
 */
export function startReturn(ctx: Ctx, of: Unclaimed): Promise<Return | NotStarted> {
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
    if (isNew) await move(work, { rail, currency, amount, id }, 'unclaimed')
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
    await schedule(work, timer(id, later(work.scope.now, seeToMs)))
    await report(work, started as Return)
    return started as Return
  })
}

/** Reads one. */
export const findReturn = (ctx: Ctx, id: Id): Promise<Return | null> => ctx.row(selectReturn, [id])

/**
 * A return with the columns that the driver expects: it has no transaction hash, no wait and no
 * review.
 */
type ReturnOrder = Return & { tx_hash: string | null; waits: Waits | null; review: null }
const asOrder = (row: Return | null): ReturnOrder | null =>
  row && { ...row, tx_hash: null, waits: null, review: null }

/** Returns as a kind of order. */
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
    keepRefundNames(work, { ...knownBy(row), reference }, providerId),
  change: (ctx, row, decide) => ctx.write((work) => change(work, row, decide)),
  queryTimer: (id, dueAt) => timer(id, dueAt),
}

/** Queries a return's state at its provider and applies it. @param notified see `syncOrder` */
export const ask = (ctx: Ctx, id: Id, notified = false): Promise<Applied> =>
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
async function change(
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
  else await report(work, ended)
  return asOrder(ended) as ReturnOrder
}

/** Applies what the provider says, in the caller's transaction. */
const applyOrderState = (work: Work, row: Return, answer: OrderReport): Promise<ReturnOrder> =>
  change(work, row, decideBy(returnOrders, answer))

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

/**
 * All that one transaction moves, locked at once: the fee of a receipt is posted before its amount
 * is.
 */
const lockBooks = (work: Work, of: Pick<Return, 'rail' | 'currency'>) =>
  lockAccounts(work, [unclaimed(of), clearing(of), { ...clearing(of), purpose: 'rail_fees' }])

type Moved = Pick<Return, 'rail' | 'currency' | 'amount' | 'id'>

async function move(
  work: Work,
  of: Moved,
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
  await move(work, row, kind === 'refund' ? 'unclaimed_sent' : 'unclaimed_returned')
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

/**
 * While a return has not completed, the incident about its payment is open, and says how it stands.
 */
async function report(work: Work, row: Return): Promise<void> {
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
    // Nobody knows how it was paid, and no rail asks.
    charge: { id: row.charge_id, providerReference: row.payment, method: 'bank_transfer' },
    refund: row.provider_reference,
  },
  at: scope.now,
})

const recordOf = (row: Return) => ({ ...row, destination: { charge: row.charge_id } })

/**
 * Notifications of refunds name the payment, of which several returns may be: those that failed,
 * and another.
 */
const knownBy = ({ id, rail, charge_id }: Return) =>
  ({ id, rail, kind: 'refund', subject: charge_id }) as const

const timer = (id: Id, dueAt: Date) => ({
  task: askTask,
  subject: id,
  dueAt,
  payload: { return_id: id },
})

/**
 * What a provider's webhook about a refund of such a payment does: it is asked about, as by its
 * timer.
 */
export const returnApplier: InboundApplier = {
  async apply(ctx, subject) {
    const all: Applied[] = []
    for (const { id } of await ctx.rows(selectNotified, [subject]))
      all.push(await ask(ctx, id, true))
    return (
      (['again', 'quarantined', 'applied'] as const).find((one) => all.includes(one)) ??
      'nothing_to_do'
    )
  },
}

/** Whether what a notification is about is the operator's, and so a return. */
export const isReturn = ({ scope }: Pick<Ctx, 'scope'>): boolean => scope.businessId === operator

/** Those that have not ended. */
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
    to: `whoever paid ${row.payment}`,
    job: { task: askTask, payload: { return_id: row.id } },
    find: (ctx) => findUnrecorded(ctx, returnOrders, asOrder(row) as ReturnOrder),
    settle: async (ctx, reference) => {
      const state: OrderState = { state: 'completed', providerReference: reference, txHash: null }
      const answer = { order: orderOf(ctx, row), state, sentAt: row.sent_at }
      return (await ctx.write((work) => applyOrderState(work, row, answer))).status === 'completed'
    },
    // No merchant has asked for it, so none has canceled it.
    cancel: async () => false,
    fail: (ctx, request) => failUntaken(ctx, returnOrders, row.id, request),
  }))
}

/** The jobs of this module. */
export const returnTasks: Record<string, Task> = {
  [askTask]: async (ctx, payload) => {
    await ask(ctx, payload.return_id as Id)
  },
}
