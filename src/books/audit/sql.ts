import { json, nullable, type RowOf, table, text, time } from '../../db/table.ts'
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
