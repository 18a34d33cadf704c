/** Saved list views: filters under a name, private to each person. */
import type { App } from '../../core/app.ts'
import { type Id, newId } from '../../lib/ids.ts'
import { readName } from './persons.ts'
import { refuse } from './refusals.ts'
import type { ViewRow } from './team-sql.ts'
import * as statements from './team-sql.ts'

export type { ViewRow as ListView } from './team-sql.ts'

/** The person, business and list of views; `list` is the path of its page. */
export type ViewsOf = { businessId: Id; personId: Id; list: string }

const most = 30

/** By name. */
export const listViews = (
  { db }: Pick<App, 'db'>,
  { businessId, personId, list }: ViewsOf,
): Promise<ViewRow[]> => db.rows(statements.selectViews, [businessId, personId, list])

/**
 * Saves a view, or replaces the one of that name. @throws {Refusal} `name_invalid`, also when there
 * are too many
 */
export async function saveView(
  app: Pick<App, 'clock' | 'db'>,
  of: ViewsOf,
  { name: typed, query }: { name: string; query: string },
): Promise<void> {
  const name = readName(typed)
  const known = await listViews(app, of)
  if (known.length >= most && !known.some((one) => one.name === name))
    refuse('name_invalid', `You have ${most} views of this list: delete one first.`)
  const now = app.clock.now()
  await app.db.rows(statements.upsertView, [
    of.businessId,
    of.personId,
    newId(now),
    of.list,
    name,
    query,
    now,
  ])
}

/** Renames a view. @throws {Refusal} `name_invalid`, `not_found` */
export async function renameView(
  app: Pick<App, 'db'>,
  of: ViewsOf,
  id: string,
  typed: string,
): Promise<void> {
  const name = readName(typed)
  if ((await listViews(app, of)).some((one) => one.name === name && one.id !== id))
    refuse('name_invalid', 'Another view of this list has that name.')
  if (!(await app.db.row(statements.renameView, [of.businessId, of.personId, id, name])))
    refuse('not_found', 'There is no such view.')
}

/** Deletes a view if it exists. */
export async function deleteView(
  { db }: Pick<App, 'db'>,
  { businessId, personId }: ViewsOf,
  id: string,
): Promise<void> {
  await db.rows(statements.deleteView, [businessId, personId, id])
}
