import { sql } from '../../db/db.ts'
import { byId, columnsOf, json, nullable, type RowOf, table, text, time } from '../../db/table.ts'
import type { Id } from '../../lib/ids.ts'
import type { actions } from './schema.ts'

type Part = Record<string, unknown> | null

export const auditLog = table('audit_log', {
  id: text<Id>(),
  action: text<(typeof actions)[number]>(),
  subject: text<Id>(),
  actor_type: text<'key' | 'person' | 'operator'>(),
  actor_id: nullable(text<Id>()),
  actor_hint: nullable(text()),
  address: nullable(text()),
  before: json<Part>(),
  after: json<Part>(),
  created_at: time(),
})
export type AuditRow = RowOf<typeof auditLog>

export const selectEntry = byId(auditLog)

/** The latest of what was done to some records. */
export const selectOf = sql<AuditRow>(
  'audit.select_of',
  `select a.*
     from unnest($3::text[]) as asked (subject)
    cross join lateral (select ${columnsOf(auditLog)} from audit_log
                         where business_id = $1 and livemode = $2 and subject = asked.subject order by id desc limit $4) a
    order by id desc limit $4`,
)
