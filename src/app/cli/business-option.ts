/** The option `--business`, which may be left out where there is one business. */
import { type BusinessRow, listBusinesses } from '../../books/businesses/businesses.ts'
import type { App } from '../../core/app.ts'
import { UserError } from './terminal.ts'

/** Finds the business of an id; without an id, the only business. @throws {UserError} */
export async function businessOf(app: App, id: string | undefined): Promise<BusinessRow> {
  const all = await listBusinesses(app)
  if (id !== undefined) {
    const found = all.find((one) => one.id === id)
    if (found) return found
    throw new UserError(`There is no business ${id}. \`bursar business list\` shows them.`)
  }
  const [only, ...others] = all
  if (only === undefined)
    throw new UserError('There is no business yet: `bursar business create --name …`.')
  if (others.length > 0)
    throw new UserError('There are several businesses: name one with --business <id>.')
  return only
}
