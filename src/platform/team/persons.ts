/**
 * People, and what they work for.
 */
import type { App } from '../../core/app.ts'
import { isSqlError, type Queryable } from '../../db/db.ts'
import { type Id, newId } from '../../lib/ids.ts'
import type { PersonRole } from './roles.ts'
import type { PersonRow } from './sql.ts'
import * as statements from './sql.ts'

/** An e-mail address as people are known by: they are told apart by it, however its letters are written. */
export const emailOf = (typed: string): string => typed.trim().normalize('NFKC').toLowerCase()

export type NewPerson = { email: string; name: string; installationOwner?: boolean }

/**
 * Makes a person, who can do nothing yet.
 * @throws {RangeError} when somebody has that address
 */
export async function createPerson(
  app: Pick<App, 'clock' | 'db'>,
  { email, name, installationOwner = false }: NewPerson,
  at: Queryable = app.db,
): Promise<PersonRow> {
  const now = app.clock.now()
  try {
    const row = await at.row(statements.insertPerson, [newId(now), emailOf(email), name, installationOwner, now])
    return row as PersonRow
  } catch (error) {
    if (isSqlError(error, '23505', 'persons_email_key'))
      throw new RangeError(`there is a person with ${emailOf(email)}`)
    throw error
  }
}

/** Makes a person a member of a business. @returns false when that was so already, in whatever role */
export async function addMember(
  app: Pick<App, 'clock' | 'db'>,
  businessId: Id,
  personId: Id,
  role: PersonRole,
  at: Queryable = app.db,
): Promise<boolean> {
  return (await at.row(statements.insertMembership, [businessId, personId, role, app.clock.now()])) !== null
}
