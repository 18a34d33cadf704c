/**
 * Whether a business may collect and pay out: the operator says so. What is under way ends whatever is said, and money that comes is booked.
 */
import type { Stopped } from '../../core/app.ts'
import type { View, Work } from '../../core/inside.ts'
import type { Queryable } from '../../db/db.ts'
import { type PageOf, type Paging, pageOf } from '../../db/list.ts'
import { refuse } from '../../lib/errors.ts'
import { isId } from '../../lib/ids.ts'
import { recordChange } from '../audit/audit.ts'
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

/** All businesses, the newest first. @throws {Refusal} `invalid_cursor` */
export async function listOperated(
  reader: Queryable,
  { page, limit, after, search, status }: Paging & { search?: string | undefined; status?: BusinessStatus | undefined },
): Promise<PageOf<OperatedRow>> {
  if (typeof after === 'string' && !(isId(after) && (await reader.row(statements.selectBusiness, [after]))))
    refuse('invalid_cursor', `There is no business '${after}' to go on from.`)
  const narrowed = [search?.trim() || null, status ?? null]
  const offset = after === undefined ? BigInt(page - 1) * BigInt(limit) : 0n
  const [rows, counted] = await Promise.all([
    offset > 1_000_000_000n
      ? []
      : reader.rows(statements.selectOperated, [...narrowed, after ?? null, limit + 1, offset]),
    reader.row(statements.countOperated, narrowed),
  ])
  return pageOf({ page, limit, after }, rows.slice(0, limit), Number(counted?.count ?? 0n), rows.length > limit)
}

/**
 * Changes the status of a business from now on: each process knows it once it has forgotten the keys that it remembers.
 * @param work of the business, in live mode
 */
export async function changeStatus(work: Work, status: BusinessStatus, reason: string | null): Promise<OperatedRow> {
  const { businessId, now } = work.scope
  const before = (await work.tx.row(statements.lockBusiness, [businessId])) ?? unknown(businessId)
  const kept = status === 'active' ? null : reason
  if (before.status === status && before.status_reason === kept) return before
  const after = (await work.tx.row(statements.updateStatus, [businessId, status, kept, now])) as OperatedRow
  await recordChange(work, {
    ...{ action: 'business.status_changed', subject: businessId },
    before: { status: before.status, reason: before.status_reason },
    after: { status, reason: kept },
  })
  return after
}

/** Whether the operator has stopped the business, for what no key and no person begins. */
export async function stoppedNow({ reader, scope }: Pick<View, 'reader' | 'scope'>): Promise<Stopped | null> {
  return stoppedOf(await findOperated(reader, scope.businessId))
}

/** For what a payer begins, who has no key. @throws {Refusal} `business_suspended`, `business_closed` */
export async function requireActiveNow(view: Pick<View, 'reader' | 'scope'>): Promise<void> {
  const stopped = await stoppedNow(view)
  if (stopped)
    refuse(`business_${stopped.status}`, 'This business does not take payments just now. You have not been charged.')
}
