/** Records which items needing attention the business's people have dealt with. */
import { recordChange } from '../../books/audit/audit.ts'
import type { Work } from '../../core/inside.ts'
import type { Id } from '../../lib/ids.ts'
import * as statements from './team-sql.ts'

/**
 * Returns the condition for the rows of a table that no person has dealt with; `$1` is the business
 * and `$2` the mode.
 */
export const undealt = (table: 'payouts' | 'refunds' | 'payments' | 'events'): string =>
  `not exists (select from attention_done d where d.business_id = $1 and d.livemode = $2 and d.subject = ${table}.id)`

/** Records that the actor has dealt with a record. A repeat changes nothing. */
export async function markDealtWith(work: Work, subject: Id): Promise<void> {
  const [made] = await work.rows(statements.insertDealtWith, [subject, work.scope.now])
  if (!made) return
  const change = { before: { needs_attention: true }, after: { needs_attention: false } }
  await recordChange(work, { action: 'attention.dealt_with', subject, ...change })
}
