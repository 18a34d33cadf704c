/**
 * Sends back what a provider took and nobody claims, by the provider's refund. The order to do so is committed before it is sent, and only
 * the provider's word ends it, as of any refund (`rails/order.ts`); the money stands in the operator's books, in an account of its own.
 */
import { type AccountKey, lockAccounts, operator, type PostingKind, post } from '../../books/ledger/ledger.ts'
import { BookedBefore, type Receipt, recordReceipt, requireReceipt } from '../../books/receipts/receipts.ts'
import type { App } from '../../core/app.ts'
import { insert, update, type Work } from '../../core/inside.ts'
import type { OpenOrder, Task } from '../../core/module.ts'
import { type Ctx, railTime } from '../../core/outside.ts'
import { later } from '../../lib/clock.ts'
import { type Id, newId } from '../../lib/ids.ts'
import type { WalletCurrency } from '../../lib/money.ts'
import { type Applied, type InboundApplier, keepRefundNames } from '../../platform/inbound/inbound.ts'
import { closePayment, openIncident } from '../../platform/incidents/incidents.ts'
import { schedule } from '../../platform/jobs/timers.ts'
import {
  askOrSend,
  askRail,
  findLost,
  isSameSending,
  learnedFrom,
  nextStep,
  referenceOf,
  whatCounts,
} from '../../rails/order.ts'
import type { OrderState, PayoutOrder } from '../../rails/ports/rail.ts'
import { lockReturn, type ReturnRow, returns, selectLatest, selectNotified, selectOpen, selectReturn } from './sql.ts'
import { returnStates } from './states.ts'

export type Return = ReturnRow

export const askTask = 'returns.ask'

/** How long until a server sees to a return that whoever started it has not: it was killed, or its provider could not be reached. */
const seeToMs = 30_000
/** How long until one is asked about again whose movement another record has booked. */
const bookAgainMs = 5 * 60_000

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
 * Commits that a payment is to be sent back, books it as nobody's, and sets the timer that sees to it. One whose return has failed can be
 * returned again.
 * @param ctx of the operator
 * @returns why not: `booked`, it is somebody's; `initiated`, `completed`, it is on its way back, or back; `given_back`, not by us
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
      ...{ rail, kind: 'charge', providerId: payment, subject: id, transaction: id, amount, fee, currency },
      availableAt: null,
    })
    if (!isNew && before === null) return 'booked'
    if (isNew) await move(work, { rail, currency, amount, id }, 'unclaimed')
    const started = await insert(work, returns, {
      ...{ id, charge_id: before?.charge_id ?? id, rail, payment, payment_reference: reference, amount, fee, currency },
      ...{ requested_by: by, status: 'initiated', created_at: work.scope.now, updated_at: work.scope.now },
    })
    await schedule(work, timer(id, later(work.scope.now, seeToMs)))
    await report(work, started as Return)
    return started as Return
  })
}

/** Reads one. */
export const findReturn = (ctx: Ctx, id: Id): Promise<Return | null> => ctx.row(selectReturn, [id])

/**
 * Asks the provider how a return stands, and sends it where the provider does not have it; one that had completed may have come back.
 * @param notified it has a timer that goes on, or its end: none is set
 */
export async function ask(ctx: Ctx, id: Id, notified = false): Promise<Applied> {
  const row = await findReturn(ctx, id)
  if (row === null || row.status === 'failed') return 'nothing_to_do'
  const order = orderOf(ctx, row)
  const record = recordOf(row)
  const at = await railTime(ctx, row.rail)
  const { said, sentAt } =
    row.status === 'completed'
      ? { said: await askRail(ctx, record, order), sentAt: row.sent_at }
      : await askOrSend(ctx, record, order, { at, markSent: () => markSent(ctx, row, order, at) })
  return applyAnswer(ctx, { ...row, sent_at: sentAt }, { order, said, notified })
}

type Answer = { order: PayoutOrder; said: OrderState; notified: boolean }

async function applyAnswer(ctx: Ctx, row: Return, { order, said, notified }: Answer): Promise<Applied> {
  const since = await railTime(ctx, row.rail)
  const learned = learnedFrom(said, row)
  const reference = learned === null ? null : await referenceOf(ctx, recordOf(row), order)
  try {
    const after = await ctx.write(async (work) => {
      if (learned !== null && reference !== null) await keepRefundNames(work, { ...knownBy(row), reference }, learned)
      return applyOrderState(work, row, said, since, notified)
    })
    if (after.status !== row.status) return 'applied'
    return said.state === 'unknown' ? 'again' : 'nothing_to_do'
  } catch (error) {
    if (!(error instanceof BookedBefore)) throw error
    ctx.log.error({ err: error, return: row.id }, 'what a rail says of a return is booked already')
    await ctx.write(async (work) => {
      const detail = { return: row.id, found: error.message }
      const at = work.scope.now
      await openIncident(work.tx, { ...accountOf(work, row), kind: 'quarantined', subject: row.id, detail, at })
      if (!notified) await schedule(work, timer(row.id, later(since, bookAgainMs)))
    })
    return 'quarantined'
  }
}

/** Commits that a return is sent now, and what its provider's notifications name, unless somebody else has sent it meanwhile. */
async function markSent(ctx: Ctx, row: Return, order: PayoutOrder, at: Date): Promise<boolean> {
  const reference = await referenceOf(ctx, recordOf(row), order)
  return ctx.write(async (work) => {
    const now = await work.row(lockReturn, [row.id])
    if (now?.status !== 'initiated' || !isSameSending(row, now)) return false
    if (reference !== null) await keepRefundNames(work, { ...knownBy(row), reference })
    await update(work, returns, row.id, { sent_at: at })
    return true
  })
}

/**
 * Applies what the provider says. Idempotent: a repeat is a no-op.
 * @param of the return as it stood when that was said
 * @throws {BookedBefore} when another record has booked the refund
 */
async function applyOrderState(
  work: Work,
  of: Pick<Return, 'id' | 'submissions' | 'sent_at'>,
  answer: OrderState,
  since: Date,
  notified = false,
): Promise<Return> {
  const { id } = of
  const row = (await work.row(lockReturn, [id])) as Return
  const said = whatCounts(of, row, answer)
  const age = since.getTime() - (row.sent_at ?? row.created_at).getTime()
  const step = nextStep(returnStates, { ...row, tx_hash: null }, said, age)
  if (step === null) return row
  if (!('trigger' in step)) {
    if (!notified || said.state === 'refused_now') await schedule(work, timer(id, later(since, step.askInMs)))
    // What was certainly not taken may be sent again at once.
    if (said.state === 'refused_now')
      return update(work, returns, id, { sent_at: null, submissions: row.submissions + 1 })
    const { provider_reference } = step.traces
    return provider_reference === row.provider_reference ? row : update(work, returns, id, { provider_reference })
  }
  const { trigger, to, reason, traces } = step
  const ended = await update(work, returns, id, {
    ...{ status: to, failure_reason: reason, provider_reference: traces.provider_reference },
    updated_at: work.scope.now,
  })
  if (to === 'completed') await bookMovement(work, ended, said, 'refund')
  else if (trigger === 'return') await bookMovement(work, ended, said, 'refund_return')
  if (to === 'completed') await closePayment(work.tx, { ...paymentOf(work, ended), by: row.requested_by })
  else await report(work, ended)
  return ended
}

// Books --------------------------------------------------------------------------------------------------------------

const unclaimed = ({ rail, currency }: Pick<Return, 'rail' | 'currency'>): AccountKey => ({
  ...({ purpose: 'unclaimed', currency, subject: rail } as const),
})
const clearing = ({ rail, currency }: Pick<Return, 'rail' | 'currency'>): AccountKey => ({
  ...({ purpose: 'rail_clearing', currency, subject: rail } as const),
})

/** All that one transaction moves, locked at once: the fee of a receipt is posted before its amount is. */
const lockBooks = (work: Work, of: Pick<Return, 'rail' | 'currency'>) =>
  lockAccounts(work, [unclaimed(of), clearing(of), { ...clearing(of), purpose: 'rail_fees' }])

type Moved = Pick<Return, 'rail' | 'currency' | 'amount' | 'id'>

async function move(work: Work, of: Moved, kind: PostingKind & `unclaimed${string}`): Promise<void> {
  const [debit, credit] = kind === 'unclaimed_sent' ? [unclaimed(of), clearing(of)] : [clearing(of), unclaimed(of)]
  await post(work, [{ debit, credit, amount: of.amount, kind, subject: of.id, transaction: of.id }])
}

async function bookMovement(work: Work, row: Return, said: OrderState, kind: 'refund' | 'refund_return') {
  await lockBooks(work, row)
  const receipt: Receipt = {
    ...{ rail: row.rail, kind, providerId: row.provider_reference ?? row.id, subject: row.id, transaction: row.id },
    ...{ amount: row.amount, currency: row.currency, availableAt: null },
    fee: ('fee' in said ? said.fee : null) ?? null,
  }
  await requireReceipt(work, receipt)
  await move(work, row, kind === 'refund' ? 'unclaimed_sent' : 'unclaimed_returned')
}

// What a person sees -------------------------------------------------------------------------------------------------

const accountOf = ({ scope }: Work, { rail }: Pick<Return, 'rail'>) => ({ livemode: scope.livemode, rail })

const paymentOf = (work: Work, row: Return) => ({
  ...accountOf(work, row),
  ...{ payment: row.payment, reference: row.payment_reference, at: work.scope.now },
})

/** While a return has not completed, the incident about its payment is open, and says how it stands. */
async function report(work: Work, row: Return): Promise<void> {
  const { id, payment, payment_reference: reference, amount, fee, status, failure_reason: reason, requested_by } = row
  await openIncident(work.tx, {
    ...{ ...accountOf(work, row), kind: 'missing_here', subject: `payment ${payment}`, at: work.scope.now },
    detail: { reference, amount, fee, return: id, status, reason, by: requested_by },
  })
}

// Orders -------------------------------------------------------------------------------------------------------------

const orderOf = ({ scope }: Ctx, row: Return): PayoutOrder => ({
  ...{ id: row.id, attempt: row.submissions, businessId: scope.businessId, amount: row.amount, currency: row.currency },
  destination: {
    type: 'charge',
    // Nobody knows how it was paid, and no rail asks.
    charge: { id: row.charge_id, providerReference: row.payment, method: 'bank_transfer' },
    refund: row.provider_reference,
  },
  at: scope.now,
})

const recordOf = (row: Return) => ({ ...row, destination: { charge: row.charge_id } })

/** Notifications of refunds name the payment, of which several returns may be: those that failed, and another. */
const knownBy = ({ id, rail, charge_id }: Return) => ({ id, rail, kind: 'refund', subject: charge_id }) as const

const timer = (id: Id, dueAt: Date) => ({ task: askTask, subject: id, dueAt, payload: { return_id: id } })

/** What a provider's webhook about a refund of such a payment does: it is asked about, as by its timer. */
export const returnApplier: InboundApplier = {
  async apply(ctx, subject) {
    const all: Applied[] = []
    for (const { id } of await ctx.rows(selectNotified, [subject])) all.push(await ask(ctx, id, true))
    return (['again', 'quarantined', 'applied'] as const).find((one) => all.includes(one)) ?? 'nothing_to_do'
  },
}

/** Whether what a notification is about is the operator's, and so a return. */
export const isReturn = ({ scope }: Pick<Ctx, 'scope'>): boolean => scope.businessId === operator

/** Those that have not ended. */
export async function openReturns({ db }: App): Promise<OpenOrder[]> {
  const rows = await db.rows(selectOpen)
  return rows.map((row) => ({
    ...{ kind: 'return', id: row.id, business_id: row.business_id, livemode: row.livemode, status: row.status },
    ...{ reference: row.payment_reference, rail: row.rail, created_at: row.created_at, sent_at: row.sent_at },
    ...{ amount: row.amount, currency: row.currency, to: `whoever paid ${row.payment}` },
    job: { task: askTask, payload: { return_id: row.id } },
    find: (ctx) => findLost(ctx, recordOf(row), orderOf(ctx, row), { first: row.submissions, stays: true }),
    settle: async (ctx, reference) => {
      const said: OrderState = { state: 'completed', providerReference: reference, txHash: null }
      return (await ctx.write((work) => applyOrderState(work, row, said, work.scope.now))).status === 'completed'
    },
    // No merchant has asked for it, so none has canceled it.
    cancel: async () => false,
  }))
}

/** The jobs of this module. */
export const returnTasks: Record<string, Task> = {
  [askTask]: async (ctx, payload) => {
    await ask(ctx, payload.return_id as Id)
  },
}
