/** Records which items needing attention the business's people have dealt with. */
import { recordChange } from '../../books/audit/audit.ts'
import type { View, Work } from '../../core/inside.ts'
import type { Id } from '../../lib/ids.ts'
import * as statements from './team-sql.ts'

/** Returns the records that a person has dealt with. */
export async function dealtWith(view: View, subjects: readonly Id[]): Promise<Set<string>> {
  if (subjects.length === 0) return new Set()
  const rows = await view.rows(statements.selectDealtWith, [subjects])
  return new Set(rows.map(({ subject }) => subject))
}

/** Records that the actor has dealt with a record. A repeat changes nothing. */
export async function markDealtWith(work: Work, subject: Id): Promise<void> {
  const [made] = await work.rows(statements.insertDealtWith, [subject, work.scope.now])
  if (!made) return
  const change = { before: { needs_attention: true }, after: { needs_attention: false } }
  await recordChange(work, { action: 'attention.dealt_with', subject, ...change })
}
