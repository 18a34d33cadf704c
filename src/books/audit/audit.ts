/**
 * The audit log: who changed what access and money depend on. Each entry is written in the transaction of the change, and stays.
 */
import { insert, type View, type Work } from '../../core/inside.ts'
import { listPage, mapPage, type Narrowed, type PageOf, type PageQuery } from '../../db/list.ts'
import { refuse } from '../../lib/errors.ts'
import { type Id, newId } from '../../lib/ids.ts'
import { toJson } from '../../lib/json.ts'
import type { Static } from '../../lib/schema.ts'
import type { AuditRecord, actions } from './schema.ts'
import { type AuditRow, auditLog, selectEntry, selectOf } from './sql.ts'

export { AuditRecord, actions } from './schema.ts'
export type AuditEntry = Static<typeof AuditRecord>

type Fields = Record<string, unknown>

/** What was done to which record; `before` and `after` hold no secrets. */
export type Change = {
  action: (typeof actions)[number]
  subject: Id
  before: Fields | null
  after: Fields | null
}

/** Writes down that who acts has changed something. Of a change, the fields that differ are kept; where none does, nothing is. */
export async function recordChange(work: Work, { action, subject, before, after }: Change): Promise<void> {
  const { actor = { type: 'operator' as const, at: work.scope.now } } = work.scope
  const differ = Object.keys({ ...before, ...after }).filter((name) => toJson(before?.[name]) !== toJson(after?.[name]))
  if (differ.length === 0) return
  const kept = (fields: Fields | null): Fields | null =>
    fields && Object.fromEntries(differ.map((name) => [name, fields[name]]))
  const who = actor.type === 'operator' ? null : actor
  await insert(work, auditLog, {
    id: newId(actor.at),
    action,
    subject,
    actor_type: actor.type,
    actor_id: who?.id ?? null,
    actor_hint: who?.hint ?? null,
    address: who?.address ?? null,
    before: kept(before),
    after: kept(after),
    created_at: actor.at,
  })
}

/** Newest first. */
export async function listChanges(
  view: View,
  query: PageQuery & { action?: string },
  range: Pick<Narrowed, 'from' | 'to'>,
): Promise<PageOf<AuditEntry>> {
  const page = await listPage<AuditRow>(view, auditLog, query, { facets: { action: query.action }, ...range })
  return mapPage(page, toEntry)
}

/** @throws {Refusal} `not_found` */
export async function getChange(view: View, id: string): Promise<AuditEntry> {
  const row = await view.row(selectEntry, [id])
  return row ? toEntry(row) : refuse('not_found', `There is no entry '${id}' in the audit log.`)
}

/** The latest changes of some records, the newest first. */
export async function changesOf(view: View, subjects: Id[], limit: number): Promise<AuditEntry[]> {
  return (await view.rows(selectOf, [subjects, limit])).map(toEntry)
}

function toEntry({ actor_type, actor_id, actor_hint, ...row }: AuditRow): AuditEntry {
  return { ...row, actor: { type: actor_type, id: actor_id, hint: actor_hint } }
}
