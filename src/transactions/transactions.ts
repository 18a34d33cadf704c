/**
 * Transactions: what a merchant sees of money in and out of a wallet. The rooms that move money write them, in the same
 * database transaction as the postings.
 */
import { type Ctx, reader } from '../context.ts'
import { listPage, mapPage, type PageOf } from '../db/list.ts'
import { refuse } from '../lib/errors.ts'
import type { Id } from '../lib/ids.ts'
import { toJson } from '../lib/json.ts'
import type { Currency } from '../lib/money.ts'
import type { Static } from '../lib/schema.ts'
import type {
  directions,
  ExportQuery,
  methods,
  statuses,
  TransactionQuery,
  TransactionRecord,
  types,
} from './schema.ts'
import { columns, insertTransaction, selectTransaction, type TransactionRow, updateStatus } from './sql.ts'

export type Transaction = Static<typeof TransactionRecord>

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
  related: Record<string, Id>
  metadata: Record<string, unknown>
}

/** Writes a transaction. The context must stand in the database transaction that posts the movement. */
export async function recordTransaction(ctx: Ctx, entry: NewTransaction): Promise<void> {
  const { businessId, livemode, now } = ctx.scope
  if (!ctx.tx) throw new Error('a transaction is recorded in the database transaction of its postings')
  await ctx.tx.rows(insertTransaction, [
    businessId,
    livemode,
    entry.id,
    entry.type,
    entry.method,
    entry.direction,
    entry.status,
    entry.currency,
    entry.amount,
    entry.fee,
    entry.balanceAfter,
    entry.reference,
    toJson(entry.related),
    toJson(entry.metadata),
    now,
  ])
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
  const { businessId, livemode } = ctx.scope
  const row = await reader(ctx).row(selectTransaction, [businessId, livemode, id])
  return row ? toTransaction(row) : refuse('not_found', `There is no transaction '${id}'.`)
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

const exportBatch = 100

/** All matching transactions as CSV (RFC 4180), newest first, in batches: memory does not grow with their number. */
export async function* exportTransactions(ctx: Ctx, query: Static<typeof ExportQuery>): AsyncGenerator<string> {
  yield `${exported.join(',')}\r\n`
  for (let after: Id | undefined; ; ) {
    const { docs, hasNextPage } = await listTransactions(ctx, {
      ...query,
      limit: exportBatch,
      ...(after === undefined ? {} : { after }),
    })
    yield docs.map((doc) => `${exported.map((column) => csvField(doc[column])).join(',')}\r\n`).join('')
    after = docs.at(-1)?.id
    if (!hasNextPage || after === undefined) return
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
  const page = await listPage<TransactionRow>(
    reader(ctx),
    {
      table: 'transactions',
      columns,
      business: ctx.scope.businessId,
      livemode: ctx.scope.livemode,
      filters: [
        ['currency = ?', query.currency],
        ['direction = ?', query.direction],
        ['method = ?', query.method],
        ['status = ?', query.status],
        ['type = ?', query.type],
        ['customer_id = ?', query.customer],
        ['created_at >= ?', query.from],
        ['created_at < ?', query.to],
      ],
    },
    query,
  )
  return mapPage(page, toTransaction)
}

export function toTransaction({ customer_id, source, ...row }: TransactionRow): Transaction {
  return {
    ...row,
    net: row.amount - row.fee,
    customer: customer_id,
    ...(source === null ? {} : { source }),
  } as Transaction
}
