/**
 * The operator's decision whether a business may collect and pay out. It never stops orders in
 * flight or incoming money.
 */
import type { Stopped } from '../../core/app.ts'
import type { Work } from '../../core/inside.ts'
import type { Queryable, Tx } from '../../db/db.ts'
import { type PageOf, type Paging, pageOf } from '../../db/lists/list.ts'
import { refuse } from '../../lib/errors.ts'
import { type Id, isId } from '../../lib/ids.ts'
import { recordOperatorChange } from '../audit/audit.ts'
import type { OperatedRow, StatusRow } from './sql.ts'
import * as statements from './sql.ts'

export const businessStatuses = ['active', 'suspended', 'closed'] as const
export type BusinessStatus = (typeof businessStatuses)[number]

export function stoppedOf({ status, status_reason: reason }: StatusRow): Stopped | null {
  return status === 'active' ? null : { status, reason }
}

const unknown = (id: string): never => refuse('not_found', `There is no business '${id}'.`)

/** @throws {Refusal} `not_found` */
export async function findOperated(reader: Queryable, id: string): Promise<OperatedRow> {
  return (isId(id) ? await reader.row(statements.selectBusiness, [id]) : null) ?? unknown(id)
}

/**
 * Returns all businesses, newest first.
 * @throws {Refusal} `invalid_cursor`
 */
export async function listOperated(
  reader: Queryable,
  {
    page,
    limit,
    after,
    search,
    status,
  }: Paging & { search?: string | undefined; status?: BusinessStatus | undefined },
): Promise<PageOf<OperatedRow>> {
  if (
    typeof after === 'string' &&
    !(isId(after) && (await reader.row(statements.selectBusiness, [after])))
  )
    refuse('invalid_cursor', `There is no business '${after}' to go on from.`)
  const narrowed = [search?.trim() || null, status ?? null]
  const offset = after === undefined ? BigInt(page - 1) * BigInt(limit) : 0n
  const [rows, counted] = await Promise.all([
    offset > 1_000_000_000n
      ? []
      : reader.rows(statements.selectOperated, [...narrowed, after ?? null, limit + 1, offset]),
    reader.row(statements.countOperated, narrowed),
  ])
  return pageOf(
    { page, limit, after },
    rows.slice(0, limit),
    Number(counted?.count ?? 0n),
    rows.length > limit,
  )
}

/**
 * Changes the status of a business. Concurrent work commits before, and nothing new starts after.
 * Processes also reject requests early once their cached keys expire.
 * @param work of the business, in live mode
 */
export async function changeStatus(
  work: Work,
  status: BusinessStatus,
  reason: string | null,
): Promise<OperatedRow> {
  const { businessId, now } = work.scope
  await work.tx.rows(statements.takeStanding, [businessId])
  const before = (await work.tx.row(statements.lockBusiness, [businessId])) ?? unknown(businessId)
  const kept = status === 'active' ? null : reason
  if (before.status === status && before.status_reason === kept) return before
  const after = (await work.tx.row(statements.updateStatus, [
    businessId,
    status,
    kept,
    now,
  ])) as OperatedRow
  await recordOperatorChange(work, {
    action: 'business.status_changed',
    subject: businessId,
    before: { status: before.status, reason: before.status_reason },
    after: { status, reason: kept },
  })
  return after
}

/**
 * Returns which of some businesses are stopped, and holds that until the transaction ends. Lock
 * order: before anything else. Both statements share a round trip; the second sees what was
 * committed while the first waited.
 */
export async function standingsIn(tx: Tx, businesses: Id[]): Promise<Map<Id, Stopped>> {
  const ids = [...new Set(businesses)].sort()
  const [, rows] = await Promise.all([
    tx.rows(statements.shareStandings, [ids]),
    tx.rows(statements.selectStopped, [ids]),
  ])
  return new Map(rows.flatMap((row) => [[row.id, stoppedOf(row) as Stopped]]))
}

/** Returns the standing of the transaction's business. */
export async function stoppedNow({ tx, scope: { businessId } }: Work): Promise<Stopped | null> {
  return (await standingsIn(tx, [businessId])).get(businessId) ?? null
}

/**
 * Checks the standing for requests of payers, who have no key.
 * @throws {Refusal} `business_suspended`, `business_closed`
 */
export async function requireActiveNow(work: Work): Promise<void> {
  const stopped = await stoppedNow(work)
  if (stopped)
    refuse(
      `business_${stopped.status}`,
      'This business does not take payments just now. You have not been charged.',
    )
}
