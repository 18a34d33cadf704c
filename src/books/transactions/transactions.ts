/**
 * Transactions: what a merchant sees of money in and out of a wallet. The rooms that move money write them, in the same
 * database transaction as the postings.
 */
import { type Ctx, reader, type Scope } from '../../core/context.ts'
import { byAsker, gatheredReads } from '../../db/batch.ts'
import type { Queryable, Tx } from '../../db/db.ts'
import { listPage, mapPage, type PageOf } from '../../db/list.ts'
import { refuse, refuseInput } from '../../lib/errors.ts'
import type { Id } from '../../lib/ids.ts'
import { toJson } from '../../lib/json.ts'
import type { Currency } from '../../lib/money.ts'
import type { Static } from '../../lib/schema.ts'
import type {
  directions,
  ExportQuery,
  methods,
  statuses,
  TransactionQuery,
  TransactionRecord,
  types,
} from './schema.ts'
import {
  columns,
  completeTransaction,
  insertTransactions,
  reshow,
  selectOfPayment,
  selectTransactions,
  type TransactionRow,
  updateStatus,
} from './sql.ts'

export { TransactionRecord } from './schema.ts'
export type Transaction = Static<typeof TransactionRecord>

/** Who paid: what the rail tells of them. */
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
  /** What the wallet had available right after. */
  balanceAfter: bigint
  reference: string | null
  /** Who paid, when the rail tells. */
  source?: Source | null
  customer?: Id | null
  /** The money came after its account was closed or its payment had ended. */
  late?: boolean
  /** It was written before under this id, as `pending`, when the money was first seen. */
  seen?: boolean
  related: Record<string, Id>
  metadata: Record<string, unknown>
}

/** Writes a transaction. The context must stand in the database transaction that posts the movement. */
export async function recordTransaction(ctx: Ctx, entry: NewTransaction): Promise<Transaction> {
  if (!ctx.tx) throw new Error('a transaction is recorded in the database transaction of its postings')
  if (entry.seen) return completeSeen(ctx, entry)
  const written = { scope: ctx.scope, ...entry }
  await recordTransactions(ctx.tx, [written])
  return transactionOf(written)
}

/** Writes transactions, of any number of businesses, in one statement and in the database transaction of their postings. */
export async function recordTransactions(tx: Tx, entries: (NewTransaction & { scope: Scope })[]): Promise<void> {
  if (entries.length === 0) return
  await tx.rows(insertTransactions, [
    entries.map(({ scope }) => scope.businessId),
    entries.map(({ scope }) => scope.livemode),
    entries.map(({ id }) => id),
    entries.map(({ type }) => type),
    entries.map(({ method }) => method),
    entries.map(({ direction }) => direction),
    entries.map(({ status }) => status),
    entries.map(({ currency }) => currency),
    entries.map(({ amount }) => amount),
    entries.map(({ fee }) => fee),
    entries.map(({ balanceAfter }) => balanceAfter),
    entries.map(({ late }) => late ?? false),
    entries.map(({ reference }) => reference),
    entries.map(({ customer }) => customer ?? null),
    entries.map(({ source }) => (source ? toJson(source) : null)),
    entries.map(({ related }) => toJson(related)),
    entries.map(({ metadata }) => toJson(metadata)),
    entries.map(({ scope }) => scope.now),
  ])
}

/** A transaction as it will be, once it is written. */
export function transactionOf(written: NewTransaction & { scope: Scope }): Transaction {
  const { scope, balanceAfter, late, source, customer, seen: _seen, ...entry } = written
  return toTransaction({
    ...entry,
    livemode: scope.livemode,
    balance_after: balanceAfter,
    late: late ?? false,
    source: source ?? null,
    customer_id: customer ?? null,
    created_at: scope.now,
    updated_at: scope.now,
  })
}

/** Completes a transaction that was written when its money was first seen; what was not known then is written now. */
async function completeSeen(ctx: Ctx, entry: NewTransaction): Promise<Transaction> {
  const { businessId, livemode, now } = ctx.scope
  const row = await (ctx.tx as Tx).row(completeTransaction, [
    businessId,
    livemode,
    entry.id,
    entry.amount,
    entry.fee,
    entry.balanceAfter,
    entry.late ?? false,
    now,
  ])
  if (!row) throw new Error(`transaction ${entry.id} is not pending`)
  return toTransaction(row)
}

/** Shows a transaction anew whose money was seen before, and may have been gone: it is pending again, with what it says now. */
export async function reshowTransaction(ctx: Ctx, entry: NewTransaction): Promise<void> {
  const { businessId, livemode, now } = ctx.scope
  const { id, amount, fee, source } = entry
  const row = await (ctx.tx as Tx).row(reshow, [
    businessId,
    livemode,
    id,
    amount,
    fee,
    source ? toJson(source) : null,
    now,
  ])
  if (!row) throw new Error(`transaction ${id} cannot be pending again`)
}

/** Ends a pending transaction. */
export async function endTransaction(ctx: Ctx, id: Id, status: 'completed' | 'failed' | 'reversed'): Promise<void> {
  const { businessId, livemode, now } = ctx.scope
  if (!ctx.tx) throw new Error('a transaction ends in the database transaction of its postings')
  const row = await ctx.tx.row(updateStatus, [businessId, livemode, id, status, now])
  if (!row) throw new Error(`transaction ${id} is not pending`)
}

/**
 * One transaction as it stands.
 * @throws {Refusal} `not_found`
 */
export async function getTransaction(ctx: Ctx, id: string): Promise<Transaction> {
  const asked = { scope: ctx.scope, id }
  const row = ctx.tx ? (await readTransactions(ctx.tx, [asked]))[0] : await getGathered(ctx.db, asked)
  return row ? toTransaction(row) : refuse('not_found', `There is no transaction '${id}'.`)
}

/** Transactions that exist, of any number of businesses, in the order they were asked for. */
export async function getTransactions(tx: Tx, asked: Asked[]): Promise<Transaction[]> {
  if (asked.length === 0) return []
  return (await readTransactions(tx, asked)).map((row, i) => {
    if (!row) throw new Error(`transaction ${asked[i]?.id} has vanished`)
    return toTransaction(row)
  })
}

type Asked = { scope: Scope; id: string }

/** Transactions in the order they were asked for, null where there is none. */
async function readTransactions(db: Queryable, asked: Asked[]): Promise<(TransactionRow | null)[]> {
  const rows = await db.rows(selectTransactions, [
    asked.map(({ scope }) => scope.businessId),
    asked.map(({ scope }) => scope.livemode),
    asked.map(({ id }) => id),
  ])
  return byAsker(rows, asked.length)
}

const getGathered = gatheredReads(readTransactions)

/** What a payment received, the latest first. */
export async function transactionsOfPayment(ctx: Ctx, payment: Id): Promise<Transaction[]> {
  const rows = await reader(ctx).rows(selectOfPayment, [ctx.scope.businessId, ctx.scope.livemode, payment])
  return rows.map(toTransaction)
}

/** @throws {Refusal} `validation_failed` for a time that has the form of one and is none */
function readTime(path: string, text: string | undefined): Date | undefined {
  if (text === undefined) return undefined
  const time = new Date(text)
  const year = time.getUTCFullYear()
  if (Number.isNaN(year) || year < 1 || year > 9999)
    refuseInput([{ path, message: `${path} must be a time, or a day, of the years 1 to 9999`, location: 'query' }])
  return time
}

/** The columns of the export, in their order. */
const exported = [
  'id',
  'created_at',
  'type',
  'method',
  'direction',
  'status',
  'currency',
  'amount',
  'fee',
  'net',
  'balance_after',
  'reference',
  'customer',
] as const

const exportBatch = 1_000

/** All matching transactions as CSV (RFC 4180), newest first, in batches: memory does not grow with their number. */
export async function* exportTransactions(ctx: Ctx, query: Static<typeof ExportQuery>): AsyncGenerator<string> {
  let head = `${exported.join(',')}\r\n`
  for (let after: Id | undefined; ; ) {
    const batch = { ...query, limit: exportBatch, ...(after === undefined ? {} : { after }) }
    const docs = (await findTransactions(ctx, batch, { counted: false })).docs.map(toTransaction)
    yield head
    head = ''
    yield docs.map((doc) => `${exported.map((column) => csvField(doc[column])).join(',')}\r\n`).join('')
    after = docs.at(-1)?.id
    if (docs.length < exportBatch) return
  }
}

/** A field that a spreadsheet could read as a formula is kept as text by a quote before it. */
function csvField(value: string | bigint | Date | null): string {
  if (value === null) return ''
  if (typeof value === 'bigint') return value.toString()
  const text = value instanceof Date ? value.toISOString() : value
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

export async function listTransactions(ctx: Ctx, query: Static<typeof TransactionQuery>): Promise<PageOf<Transaction>> {
  return mapPage(await findTransactions(ctx, query), toTransaction)
}

function findTransactions(
  ctx: Ctx,
  query: Static<typeof TransactionQuery>,
  options: { counted?: false } = {},
): Promise<PageOf<TransactionRow>> {
  return listPage<TransactionRow>(
    reader(ctx),
    {
      ...options,
      table: 'transactions',
      columns,
      business: ctx.scope.businessId,
      livemode: ctx.scope.livemode,
      facets: {
        currency: query.currency,
        direction: query.direction,
        method: query.method,
        status: query.status,
        type: query.type,
      },
      from: readTime('from', query.from),
      to: readTime('to', query.to),
      filters: [['customer_id = ?', query.customer]],
    },
    query,
  )
}

export function toTransaction({ customer_id, source, ...row }: TransactionRow): Transaction {
  return {
    ...row,
    net: row.amount - row.fee,
    customer: customer_id,
    ...(source === null ? {} : { source }),
  } as Transaction
}
