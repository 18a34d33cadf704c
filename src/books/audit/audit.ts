/**
 * The audit log: changes to access and money settings, and who moved, canceled or deleted something.
 * Entries are written in the transaction of the change, and append-only.
 */
import type { Scope } from '../../core/app.ts'
import type { View, Work } from '../../core/inside.ts'
import type { Tx } from '../../db/db.ts'
import { type ListFilter, listPage, type PageOf, type PageQuery } from '../../db/lists/list.ts'
import { insertMany } from '../../db/table.ts'
import { refuse } from '../../lib/errors.ts'
import { type Id, newId } from '../../lib/ids.ts'
import { toJson } from '../../lib/json.ts'
import type { Static } from '../../lib/schema.ts'
import { operator } from '../ledger/ledger.ts'
import type { AuditRecord, actions } from './schema.ts'
import { type AuditRow, auditLog, selectAddresses, selectEntry, selectOf } from './sql.ts'

export { AuditRecord, actions, operatorActions } from './schema.ts'
export type AuditEntry = Static<typeof AuditRecord>

type Fields = Record<string, unknown>

/** The action and its record; `before` and `after` contain no secrets. */
export type Change = {
  action: (typeof actions)[number]
  subject: Id
  before: Fields | null
  after: Fields | null
}

/**
 * Records a change by the actor, with the fields that differ. A change without differences is not
 * recorded.
 */
export function recordChange(work: Work, change: Change): Promise<void> {
  return record(work, change, [work.scope])
}

/**
 * Records a change in both modes, as for teams. People and invitations are named by id only; their
 * email addresses are looked up when an entry is read.
 */
export function recordTeamChange(work: Work, change: Change): Promise<void> {
  return record(
    work,
    change,
    [true, false].map((livemode) => ({ ...work.scope, livemode })),
  )
}

/** Records an operator's change of a business, also in the installation's log. */
export function recordOperatorChange(work: Work, change: Change): Promise<void> {
  const own = work.scope.businessId === operator
  return record(work, change, [
    ...(own ? [] : [work.scope]),
    { ...work.scope, businessId: operator, livemode: true },
  ])
}

/** Something that a person or a key did to a record, with what it was about. */
export type Act = { action: Change['action']; subject: Id; about: Fields }

/** Records what the actor did. What the server does by itself has no actor, and no entry. */
export async function recordAct({ tx, scope }: Work, act: Act): Promise<void> {
  await recordActs(tx, [{ scope, act }])
}

/** Records many acts in one statement. */
export async function recordActs(
  tx: Tx,
  acts: readonly { scope: Scope; act: Act }[],
): Promise<void> {
  const rows = acts.flatMap(({ scope, act: { action, subject, about } }) =>
    scope.actor ? rowsOf({ action, subject, before: null, after: about }, scope, [scope]) : [],
  )
  await insertMany(tx, auditLog, rows)
}

async function record(work: Work, change: Change, scopes: Scope[]): Promise<void> {
  await insertMany(work.tx, auditLog, rowsOf(change, work.scope, scopes))
}

/** Returns the rows of a change for each scope; none if nothing differs. */
function rowsOf({ action, subject, before, after }: Change, by: Scope, scopes: Scope[]) {
  const { actor = { type: 'operator' as const, at: by.now } } = by
  const differ = Object.keys({ ...before, ...after }).filter(
    (name) => toJson(before?.[name]) !== toJson(after?.[name]),
  )
  if (differ.length === 0) return []
  const kept = (fields: Fields | null): Fields | null =>
    fields && Object.fromEntries(differ.map((name) => [name, fields[name]]))
  const who = actor.type === 'operator' ? (actor.key ?? null) : actor
  const row = {
    id: newId(actor.at),
    action,
    subject,
    actor_type: actor.type,
    actor_id: who?.id ?? null,
    actor_hint: actor.type === 'person' ? null : (who?.hint ?? null),
    address: who?.address ?? null,
    before: kept(before),
    after: kept(after),
    created_at: actor.at,
  }
  return scopes.map((scope) => ({ scope, row }))
}

/** Newest first. */
export async function listChanges(
  view: View,
  query: PageQuery & { action?: string; actor?: string },
  range: Pick<ListFilter, 'from' | 'to'>,
): Promise<PageOf<AuditEntry>> {
  const page = await listPage<AuditRow>(view, auditLog, query, {
    facets: { action: query.action },
    filters: [['actor_id = ?', query.actor]],
    ...range,
  })
  const docs = await toEntries(view, page.docs)
  return { ...page, docs }
}

/** @throws {Refusal} `not_found` */
export async function getChange(view: View, id: string): Promise<AuditEntry> {
  return (
    (await findChange(view, id)) ??
    refuse('not_found', `There is no entry '${id}' in the audit log.`)
  )
}

/** Returns an entry, or null. */
export async function findChange(view: View, id: string): Promise<AuditEntry | null> {
  const row = await view.row(selectEntry, [id])
  const [entry] = row ? await toEntries(view, [row]) : []
  return entry ?? null
}

/** Returns the latest changes of some records, newest first. */
export async function changesOf(view: View, subjects: Id[], limit: number): Promise<AuditEntry[]> {
  return toEntries(view, await view.rows(selectOf, [subjects, limit]))
}

/** Actions on people that show the email address beside the change. */
const namedByAddress: readonly string[] = [
  'invitation.created',
  'invitation.revoked',
  'person.joined',
  'person.removed',
]

/** Adds current email addresses of people and invitations; null once erased. */
async function toEntries({ reader, scope }: View, rows: AuditRow[]): Promise<AuditEntry[]> {
  const people = rows.filter((row) => row.actor_type === 'person').map((row) => row.actor_id as Id)
  const subjects = rows
    .filter(({ action }) => namedByAddress.includes(action))
    .map(({ subject }) => subject)
  const found =
    people.length + subjects.length > 0
      ? await reader.rows(selectAddresses, [[...people, ...subjects], subjects, scope.businessId])
      : []
  const addresses = new Map(found.map(({ id, email }) => [id, email]))
  return rows.map(({ actor_type, actor_id, actor_hint, before, after, ...row }) => {
    const email = namedByAddress.includes(row.action)
      ? { email: addresses.get(row.subject) ?? null }
      : {}
    return {
      ...row,
      actor: {
        type: actor_type,
        id: actor_id,
        hint: actor_type === 'person' ? (addresses.get(actor_id as Id) ?? null) : actor_hint,
      },
      before: before && { ...email, ...before },
      after: after && { ...email, ...after },
    }
  })
}

/** The columns of the export; changes are JSON. */
export const exported = {
  id: 'text',
  created_at: 'time',
  action: 'text',
  'actor.type': 'text',
  'actor.id': 'text',
  'actor.hint': 'text',
  address: 'text',
  subject: 'text',
  before: 'text',
  after: 'text',
} as const

/** Returns an entry as a line of the export. */
export const toLine = ({ before, after, ...entry }: AuditEntry): object => ({
  ...entry,
  before: before && toJson(before),
  after: after && toJson(after),
})
