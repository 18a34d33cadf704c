import { sql, sqlOfMany } from '../../db/db.ts'
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

/** The email addresses of the people `$1`, and of the invitations `$2` of the business `$3`. */
export const selectAddresses = sqlOfMany<{ id: Id; email: string }>(
  'audit.select_addresses',
  `select id, email from persons where id = any($1::text[])
    union all select id, email from invitations where business_id = $3 and id = any($2::text[]) and email is not null`,
)

/** The latest actions on some records. */
export const selectOf = sql<AuditRow>(
  'audit.select_of',
  `select a.*
     from unnest($3::text[]) as asked (subject)
    cross join lateral (select ${columnsOf(auditLog)} from audit_log
                         where business_id = $1 and livemode = $2 and subject = asked.subject order by id desc limit $4) a
    order by id desc limit $4`,
)
