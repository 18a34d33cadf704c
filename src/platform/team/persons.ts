/** People and their memberships. */
import { requireScope, requireScopeNow } from '../../books/businesses/businesses.ts'
import type { App } from '../../core/app.ts'
import type { Work } from '../../core/inside.ts'
import { isSqlError, type Queryable } from '../../db/db.ts'
import { asciiEmail, isEmail } from '../../lib/email.ts'
import { type Id, newId } from '../../lib/ids.ts'
import { refuse } from './refusals.ts'
import { type PersonRole, type Right, rightsOf } from './roles.ts'
import type { PersonRow } from './sql.ts'
import * as statements from './sql.ts'

/**
 * Normalises the email address that identifies a person: case-insensitive, its domain in ASCII.
 */
export const emailOf = (typed: string): string =>
  asciiEmail(typed.trim().normalize('NFKC').toLowerCase())

/** Validates and normalises a typed address. @throws {Refusal} `email_invalid` */
export function readEmail(typed: string): string {
  const email = emailOf(typed.slice(0, 400))
  if (!isEmail(email)) refuse('email_invalid')
  return email
}

/** Validates a typed name and puts it on one line. @throws {Refusal} `name_invalid` */
export function readName(typed: string): string {
  const name = typed.replaceAll(/[\p{C}\s]+/gu, ' ').trim()
  if (name.length < 1 || name.length > 100) refuse('name_invalid')
  return name
}

export type NewPerson = {
  email: string
  name: string
  installationOwner?: boolean
  /**
   * Whether a mailed link, or an invitation by the operator, has proven that the mailbox belongs to
   * the person.
   */
  isEmailProven?: boolean
}

/**
 * Creates a person without any rights.
 * @throws {RangeError} when the address is taken
 */
export async function createPerson(
  app: Pick<App, 'clock' | 'db'>,
  { email, name, installationOwner = false, isEmailProven = false }: NewPerson,
  at: Queryable = app.db,
): Promise<PersonRow> {
  const now = app.clock.now()
  try {
    const row = await at.row(statements.insertPerson, [
      newId(now),
      emailOf(email),
      name,
      installationOwner,
      now,
      isEmailProven ? now : null,
    ])
    return row as PersonRow
  } catch (error) {
    if (isSqlError(error, '23505', 'persons_email_key'))
      throw new RangeError(`there is a person with ${emailOf(email)}`)
    throw error
  }
}

/**
 * Makes a person a member of a business. @returns false when the person is a member already, in any
 * role
 */
export async function addMember(
  app: Pick<App, 'clock' | 'db'>,
  businessId: Id,
  personId: Id,
  role: PersonRole,
  at: Queryable = app.db,
): Promise<boolean> {
  return (
    (await at.row(statements.insertMembership, [businessId, personId, role, app.clock.now()])) !==
    null
  )
}

/**
 * Checks the actor's current right. A concurrent revocation waits until the transaction has ended.
 * @throws {Refusal} `scope_missing` also when the key was revoked or the membership ended meanwhile
 */
export async function requireRightNow(work: Work, right: Right): Promise<void> {
  const { actor, businessId, livemode } = work.scope
  if (actor?.type !== 'person') return requireScopeNow(work, right)
  const member = await work.tx.row(statements.holdMember, [businessId, actor.id])
  requireScope(
    { actor: { ...actor, scopes: member ? rightsOf(member.role, livemode) : [] } },
    right,
  )
}

/** Renames a person. @throws {Refusal} `name_invalid` */
export async function renamePerson(
  app: Pick<App, 'db'>,
  personId: Id,
  typed: string,
): Promise<void> {
  await app.db.rows(statements.updateName, [personId, readName(typed)])
}
