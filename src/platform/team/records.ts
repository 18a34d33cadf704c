/**
 * Audits what people do to their own accounts, in each of their businesses. Teams belong to both
 * modes, and so do these entries.
 */
import { recordTeamChange } from '../../books/audit/audit.ts'
import type { Actor, App, Scope } from '../../core/app.ts'
import { inside } from '../../core/inside.ts'
import type { Tx } from '../../db/db.ts'
import type { Id } from '../../lib/ids.ts'
import * as statements from './sql.ts'

type Action = Parameters<typeof recordTeamChange>[1]['action']
type Fields = Record<string, unknown> | null

/** The scope of changes to a business's people. */
export const teamScope = (app: Pick<App, 'clock'>, businessId: Id, actor: Actor): Scope => ({
  businessId,
  livemode: true,
  now: app.clock.now(),
  actor,
})

/** Audits a change to a person's account. The actor is the person or the operator. */
export async function recordAbout(
  app: App,
  tx: Tx,
  personId: Id,
  actor: Actor,
  { action, before = null, after = null }: { action: Action; before?: Fields; after?: Fields },
): Promise<void> {
  for (const { business_id } of await tx.rows(statements.selectBusinessesOf, [personId]))
    await recordTeamChange(inside(app, tx, teamScope(app, business_id, actor)), {
      action,
      subject: personId,
      before,
      after,
    })
}

/** Audits what a person did to their own account. */
export function recordOfPerson(
  app: App,
  tx: Tx,
  { person }: { person: { id: Id; email: string } },
  address: string,
  action: Action,
  after: Fields,
  before: Fields = null,
): Promise<void> {
  const actor: Actor = {
    type: 'person',
    id: person.id,
    hint: person.email,
    scopes: [],
    address,
    at: app.clock.now(),
  }
  return recordAbout(app, tx, person.id, actor, { action, before, after })
}
