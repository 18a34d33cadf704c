/**
 * Transactions: the merchant's view of money in and out of a wallet. The modules that move money
 * write them in the database transaction of the postings.
 */
import type { Scope } from '../../core/app.ts'
import type { View, Work } from '../../core/inside.ts'
import type { Ctx } from '../../core/outside.ts'
import type { KeptReview } from '../../core/review.ts'
import { gatheredReads } from '../../db/batch.ts'
import type { Tx } from '../../db/db.ts'
import { listPage, mapPage, type PageOf } from '../../db/lists/list.ts'
import { insertMany, type OwnedId, readByIds } from '../../db/table.ts'
import { dayAfter, dayOf, startOfDay } from '../../lib/days.ts'
import { refuse } from '../../lib/errors.ts'
import type { Id } from '../../lib/ids.ts'
import { toJson } from '../../lib/json.ts'
import { type Currency, walletCurrencies } from '../../lib/money.ts'
import type { Static } from '../../lib/schema.ts'
import { rangeOf, timeZoneOf } from '../profiles/profiles.ts'
import {
  type directions,
  methods,
  type statuses,
  type TransactionQuery,
  type TransactionRecord,
  type types,
} from './schema.ts'
import type { TransactionRow } from './sql.ts'
import * as statements from './sql.ts'

export { methods, TransactionRecord } from './schema.ts'
export type Transaction = Static<typeof TransactionRecord>

/** The payer, as the rail reports it. */
export type Source = Record<string, string>

export type NewTransaction = {
  id: Id
  type: (typeof types)[number]
  method: (typeof methods)[number]
  direction: (typeof directions)[number]
  status: (typeof statuses)[number]
  currency: Currency
  amount: bigint
  fee: bigint
  /** The available amount right after. */
  balanceAfter: bigint
  reference: string | null
  /** The payer, if the rail reports it. */
  source?: Source | null
  customer?: Id | null
  /** The money came after its account was closed or its payment had ended. */
  late?: boolean
  /** Held for review since now; the transaction is pending. */
  review?: KeptReview
  /** It exists under this id as `pending`, from when the money was first seen. */
  seen?: boolean
  related: Record<string, Id>
  metadata: Record<string, unknown>
}

/** Writes a transaction, in the database transaction of its postings. */
export async function recordTransaction(work: Work, entry: NewTransaction): Promise<Transaction> {
  if (entry.seen) return completeSeen(work, entry)
  const written = { scope: work.scope, ...entry }
  await recordTransactions(work.tx, [written])
  return transactionOf(written)
}

/**
 * Writes transactions of many businesses in one statement, in the database transaction of their
 * postings.
 */
export function recordTransactions(
  tx: Tx,
  entries: (NewTransaction & { scope: Scope })[],
): Promise<void> {
  return insertMany(
    tx,
    statements.transactions,
    entries.map((entry) => ({ scope: entry.scope, row: rowOf(entry) })),
  )
}

function rowOf({
  scope,
  balanceAfter,
  late,
  source,
  customer,
  seen: _seen,
  review,
  ...entry
}: NewTransaction & { scope: Scope }) {
  return {
    ...entry,
    balance_after: balanceAfter,
    late: late ?? false,
    source: source ?? null,
    customer_id: customer ?? null,
    ...(review ? { review } : {}),
    created_at: scope.now,
    updated_at: scope.now,
  }
}

/** Returns the transaction as it will be stored. */
export function transactionOf(written: NewTransaction & { scope: Scope }): Transaction {
  return toTransaction({ ...rowOf(written), livemode: written.scope.livemode })
}

/** Completes a transaction from when its money was first seen, with what was unknown then. */
async function completeSeen(work: Work, entry: NewTransaction): Promise<Transaction> {
  const { id, amount, fee, balanceAfter, late = false } = entry
  const row = await work.row(statements.completeTransaction, [
    id,
    amount,
    fee,
    balanceAfter,
    late,
    work.scope.now,
  ])
  if (!row) throw new Error(`transaction ${id} is not pending`)
  return toTransaction(row)
}

/**
 * Shows a transaction as pending again, whose money may have disappeared, with its current values.
 */
export async function reshowTransaction(work: Work, entry: NewTransaction): Promise<void> {
  const { id, amount, fee, source } = entry
  const row = await work.row(statements.reshow, [
    id,
    amount,
    fee,
    source ? toJson(source) : null,
    work.scope.now,
  ])
  if (!row) throw new Error(`transaction ${id} cannot be pending again`)
}

/** Marks an existing transaction as held for review. */
export async function holdTransaction(work: Work, id: Id, review: KeptReview): Promise<void> {
  const row = await work.row(statements.holdTransaction, [id, toJson(review), work.scope.now])
  if (!row) throw new Error(`transaction ${id} is not pending`)
}

/** The final states of a pending transaction. */
export type TransactionEnd = 'completed' | 'failed' | 'reversed'

/** Ends a pending transaction, in the database transaction of its postings. */
export async function endTransaction(work: Work, id: Id, status: TransactionEnd): Promise<void> {
  await endTransactions(work.tx, [{ scope: work.scope, id, status }])
}

/**
 * Ends pending transactions of many businesses in one statement, in the database transaction of
 * their postings.
 */
export async function endTransactions(
  tx: Tx,
  ends: { scope: Scope; id: Id; status: TransactionEnd }[],
): Promise<void> {
  const rows = await tx.rows(
    statements.endTransactions,
    statements.ended.arrays(
      ends.map(({ scope, id, status }) => ({
        business_id: scope.businessId,
        livemode: scope.livemode,
        id,
        ends: status,
        at: scope.now,
      })),
    ),
  )
  const pending = new Set(rows.map(({ id }) => id))
  const other = ends.find(({ id }) => !pending.has(id))
  if (other) throw new Error(`transaction ${other.id} is not pending`)
}

/** @throws {Refusal} `not_found` */
export async function getTransaction({ db, scope }: Ctx, id: string): Promise<Transaction> {
  const row = await getGathered(db, { scope, id })
  return row ? toTransaction(row) : refuse('not_found', `There is no transaction '${id}'.`)
}

/** Returns when a transaction ended; null while it is pending. */
export async function endOf(view: View, id: Id): Promise<Date | null> {
  const row = await view.row(statements.selectTransaction, [id])
  return row && row.status !== 'pending' ? row.updated_at : null
}

/** Returns an existing transaction, as the database transaction sees it. */
export async function transactionIn({ tx, scope }: Work, id: Id): Promise<Transaction> {
  return (await getTransactions(tx, [{ scope, id }]))[0] as Transaction
}

/** Returns existing transactions of many businesses, in the requested order. */
export async function getTransactions(tx: Tx, keys: OwnedId[]): Promise<Transaction[]> {
  if (keys.length === 0) return []
  return (await readTransactions(tx, keys)).map((row, i) => {
    if (!row) throw new Error(`transaction ${keys[i]?.id} has vanished`)
    return toTransaction(row)
  })
}

const readTransactions = readByIds(statements.transactions)
const getGathered = gatheredReads(readTransactions)

/** Returns what a payment received, latest first. */
export async function transactionsOfPayment(view: View, payment: Id): Promise<Transaction[]> {
  const rows = await view.rows(statements.selectOfPayment, [payment])
  return rows.map(toTransaction)
}

/** Whether money is on its way, in or out. */
export async function hasPending(view: View): Promise<boolean> {
  return (await view.row(statements.selectPending))?.pending === true
}

/** Returns a page without totals, for exports. */
export async function listUncounted(
  ctx: Ctx,
  query: Static<typeof TransactionQuery>,
): Promise<Pick<PageOf<Transaction>, 'docs'>> {
  const { docs } = await findTransactions(ctx, query, { counted: false })
  return { docs: docs.map(toTransaction) }
}

export async function listTransactions(
  ctx: Ctx,
  query: Static<typeof TransactionQuery>,
): Promise<PageOf<Transaction>> {
  return mapPage(await findTransactions(ctx, query), toTransaction)
}

async function findTransactions(
  ctx: Ctx,
  query: Static<typeof TransactionQuery>,
  options: { counted?: false } = {},
): Promise<PageOf<TransactionRow>> {
  const range = { from: query.completed_from, to: query.completed_to }
  const completed = await rangeOf(ctx, range, undefined, 'completed_')
  return listPage<TransactionRow>(ctx, statements.transactions, query, {
    ...options,
    ...(completed.from || completed.to
      ? ({ where: `status = 'completed'`, latest: 'updated_at' } as const)
      : {}),
    facets: {
      currency: query.currency,
      direction: query.direction,
      method: query.method,
      status: query.status,
      type: query.type,
    },
    ...(await rangeOf(ctx, query)),
    filters: [
      ['customer_id = ?', query.customer],
      ['updated_at >= ?', completed.from],
      ['updated_at < ?', completed.to],
    ],
  })
}

/** What entered a wallet on a day after fees, and what left it including fees, in minor units. */
export type DayMoved = { day: string; came: bigint; went: bigint }

/**
 * Returns money in and out by day of the business's time zone, by the creation of completed
 * transactions. The cost does not depend on the number of transactions. Currencies without
 * movements are left out.
 * @param count the number of days up to today
 */
export async function movedByDay(
  view: View,
  count: number,
): Promise<{ currency: Currency; days: DayMoved[] }[]> {
  const timeZone = await timeZoneOf(view)
  const today = dayOf(view.scope.now, timeZone)
  const rows = await view.rows(statements.selectMovedByDay, [
    startOfDay(today, timeZone, 1 - count),
    timeZone,
  ])
  const amounts = new Map(
    rows.map(({ day, currency, direction, amount }) => [`${day} ${currency} ${direction}`, amount]),
  )
  const days = Array.from({ length: count }, (_, i) => dayAfter(today, i + 1 - count))
  return [...new Set(rows.map(({ currency }) => currency))].sort().map((currency) => ({
    currency,
    days: days.map((day) => ({
      day,
      came: amounts.get(`${day} ${currency} credit`) ?? 0n,
      went: amounts.get(`${day} ${currency} debit`) ?? 0n,
    })),
  }))
}

/** Pending money of a wallet, in minor units. Only what arrives is not in its pending balance. */
export type Pending = {
  /** Payouts and refunds on their way out. */
  leaving: bigint
  disputed: bigint
  /** Deposits that screening holds. */
  held: bigint
  /** Seen on a blockchain, and not confirmed yet. */
  arriving: bigint
}

/** Returns what is pending, by currency. A currency without pending money is left out. */
export async function pendingByCurrency(view: View): Promise<Map<Currency, Pending>> {
  const rows = await view.rows(statements.selectPendingSums, [[...walletCurrencies], [...methods]])
  const found = new Map<Currency, Pending>()
  for (const { currency, direction, type, held, amount } of rows) {
    const sums = found.get(currency) ?? { leaving: 0n, disputed: 0n, held: 0n, arriving: 0n }
    if (direction === 'credit') sums[held ? 'held' : 'arriving'] += amount
    else sums[type === 'dispute' ? 'disputed' : 'leaving'] += amount
    found.set(currency, sums)
  }
  return found
}

/**
 * Returns the change of the available amount so far, in minor units. `bursar ledger verify`
 * compares it with the postings.
 */
function balanceChangeOf({
  status,
  direction,
  amount,
  fee,
}: Pick<TransactionRow, 'status' | 'direction' | 'amount' | 'fee'>): bigint {
  if (status === 'failed' || status === 'reversed') return 0n
  if (direction === 'debit') return -amount
  return status === 'completed' ? amount - fee : 0n
}

function toTransaction({
  customer_id,
  source,
  review,
  ...row
}: Omit<TransactionRow, 'review'> & { review?: KeptReview | null }): Transaction {
  return {
    ...row,
    net: row.amount - row.fee,
    balance_change: balanceChangeOf(row),
    // Invariant: `updated_at` of a completed transaction never changes.
    completed_at: row.status === 'completed' ? row.updated_at : null,
    customer: customer_id,
    ...(source === null ? {} : { source }),
    ...(review ? { review: { reason: review.reason, since: new Date(review.since) } } : {}),
  } as Transaction
}
