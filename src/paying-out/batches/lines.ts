/** Reads the lines of a batch: whom each pays, what became of it, and which batch pays it again. */
import type { View } from '../../core/inside.ts'
import { type PageOf, pageOf } from '../../db/lists/list.ts'
import { Refusal } from '../../lib/errors.ts'
import type { Id } from '../../lib/ids.ts'
import type { WalletCurrency } from '../../lib/money.ts'
import type { Static } from '../../lib/schema.ts'
import {
  readDestination,
  type StoredDestination,
} from '../../platform/destinations/destinations.ts'
import { type BeneficiaryRow, findBeneficiaries } from '../beneficiaries/beneficiaries.ts'
import { countsOf, unknown } from './batches.ts'
import { type Line, payoutOf, rowOf } from './checking.ts'
import { type LineRecord, type LinesQuery, mostLines } from './schema.ts'
import * as statements from './sql.ts'

type LineAnswer = Static<typeof LineRecord>

/** The lines of a batch, in their order. @throws {Refusal} `not_found` */
export async function listLines(
  view: View,
  id: string,
  query: Static<typeof LinesQuery>,
): Promise<PageOf<LineAnswer>> {
  const { page = 1, limit = 20, status, failed } = query
  const batch = (await view.row(statements.selectBatch, [id])) ?? unknown(id)
  const rows = await view.rows(statements.selectLines, [
    batch.id,
    status ?? null,
    failed ?? null,
    limit + 1,
    BigInt(page - 1) * BigInt(limit),
  ])
  const shown = rows.slice(0, limit)
  const payees = await findBeneficiaries(view, shown.flatMap(beneficiaryOf))
  const total = await countLines(view, batch, query)
  const docs = shown.map((row) => toLine(view, row, batch.currency, payees))
  return pageOf({ page, limit, after: undefined }, docs, total, rows.length > limit)
}

async function countLines(
  view: View,
  batch: statements.BatchRow,
  { status, failed }: Static<typeof LinesQuery>,
): Promise<number> {
  if (failed !== undefined) {
    const counted = await view.row(statements.countFailed, [batch.id, status ?? null])
    const { lines, failed: failures } = counted ?? { lines: 0n, failed: 0n }
    return Number(failed ? failures : lines - failures)
  }
  const counts = countsOf(batch)
  return status === undefined ? counts.lines : counts[status]
}

/** The beneficiary that a line names, if it is an id. */
const beneficiaryOf = ({ input: { beneficiary } }: statements.LineRow): Id[] =>
  typeof beneficiary === 'string' && /^[0-9a-f]{24}$/.test(beneficiary) ? [beneficiary as Id] : []

/**
 * Returns all lines of a batch with where each goes, if that can be read. A batch has 10,000 at
 * most.
 */
export async function readAllLines(
  view: View,
  batch: statements.BatchRow,
): Promise<{ row: statements.ReadLineRow; destination: StoredDestination | null }[]> {
  const params = [batch.id, null, null, mostLines, 0n]
  const rows = await view.rows(statements.selectLines, params)
  const payees = await findBeneficiaries(view, rows.flatMap(beneficiaryOf))
  return rows.map((row) => ({
    row,
    destination: toLine(view, row, batch.currency, payees).destination as StoredDestination | null,
  }))
}

function toLine(
  view: View,
  row: statements.ReadLineRow,
  currency: WalletCurrency,
  payees: ReadonlyMap<Id, BeneficiaryRow>,
): LineAnswer {
  const [beneficiary = null] = beneficiaryOf(row)
  const payee = beneficiary === null ? undefined : payees.get(beneficiary)
  const { line, reference, amount, status, payout_id: payout, field, code, message } = row
  const { payout_status, failure_reason, retried_in } = row
  return {
    line,
    row: rowOf(row.input),
    reference,
    amount,
    status,
    beneficiary,
    destination: row.paid_to ?? payee?.destination ?? readWhere(view, row.input as Line, currency),
    payout,
    payout_status,
    failure_reason,
    is_unapproved: row.payout_status === 'canceled' && row.is_unapproved === true,
    retriable: row.retriable === true,
    retried_in,
    field,
    code,
    message,
  }
}

/** Where a line goes; null if it does not say so, or wrongly: a bad line is shown too. */
function readWhere(view: View, line: Line, currency: WalletCurrency): StoredDestination | null {
  try {
    const { method, destination } = payoutOf(line, currency)
    if (method === undefined || typeof destination !== 'object') return null
    return readDestination(view, method, destination, true)
  } catch (error) {
    if (error instanceof Refusal) return null
    throw error
  }
}
