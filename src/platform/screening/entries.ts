/** The operator's own block and allow lists. */
import { recordOperatorChange } from '../../books/audit/audit.ts'
import type { View, Work } from '../../core/inside.ts'
import { type PageOf, type PageQuery, paginate } from '../../db/lists/list.ts'
import { refuse as refuseGenerally, refuseInput } from '../../lib/errors.ts'
import { isId, newId } from '../../lib/ids.ts'
import type { Static } from '../../lib/schema.ts'
import { keyOf } from '../../rails/ports/screen.ts'
import { auditedName, deciderOf } from './decider.ts'
import { refuse } from './refusals.ts'
import type { EntryIn, EntryRecord } from './schema.ts'
import * as statements from './sql.ts'

export type Entry = Static<typeof EntryRecord>

const mostListed = 1_000n

const toRecord = ({ key, ...row }: statements.EntryRow): Entry => ({
  ...row,
  type: key.split(':')[0] as Entry['type'],
})

/** Returns the newest thousand entries. */
export async function listEntries(
  { reader }: Pick<View, 'reader'>,
  query: PageQuery,
): Promise<PageOf<Entry>> {
  return paginate(
    (await reader.rows(statements.selectEntries, [mostListed])).map(toRecord),
    query as never,
  )
}

/**
 * Adds an entry, which takes effect at commit: payments to it are held, or hits are allowed.
 * @throws {Refusal} `validation_failed`; `screening_entry_exists` (409)
 */
export async function addEntry(
  work: Work,
  { kind, type, value, list, note }: Static<typeof EntryIn>,
): Promise<Entry> {
  if ((kind === 'allow') !== (list !== undefined))
    refuseInput([
      {
        path: 'list',
        message: 'list is what an allow entry needs, and a block entry has none',
        location: 'body',
      },
    ])
  const key = keyOf[type](value)
  if (key.endsWith(':'))
    refuseInput([{ path: 'value', message: 'value has no letter and no digit', location: 'body' }])
  const { actor, now } = work.scope
  const row = await work.tx.row(statements.insertEntry, [
    newId(now),
    kind,
    key,
    value.trim(),
    list ?? null,
    note ?? null,
    deciderOf(actor),
    now,
  ])
  if (row === null) return refuse('screening_entry_exists', 'The list has this entry already.')
  await record(work, 'screening_entry.created', row)
  return toRecord(row)
}

/**
 * Removes an entry. Payments that it holds still wait for a person. @throws {Refusal} `not_found`
 */
export async function removeEntry(work: Work, id: string): Promise<Entry> {
  const row = isId(id) ? await work.tx.row(statements.deleteEntry, [id]) : null
  if (row === null) return refuseGenerally('not_found', `There is no entry '${id}'.`)
  await record(work, 'screening_entry.removed', row)
  return toRecord(row)
}

/** Without the value, which may name a person: the audit log is permanent. */
function record(
  work: Work,
  action: 'screening_entry.created' | 'screening_entry.removed',
  { id, kind, key, list }: statements.EntryRow,
): Promise<void> {
  const audited = { kind, type: key.split(':')[0], list, ...auditedName(work.scope.actor) }
  const isNew = action === 'screening_entry.created'
  return recordOperatorChange(work, {
    action,
    subject: id,
    before: isNew ? null : audited,
    after: isNew ? audited : null,
  })
}
