/**
 * People, and what they work for.
 */
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
 * An e-mail address as people are known by, its domain in ASCII: they are told apart by it, however
 * its letters are written.
 */
export const emailOf = (typed: string): string =>
  asciiEmail(typed.trim().normalize('NFKC').toLowerCase())

/** An address that somebody typed, as people are known by. @throws {Refusal} `email_invalid` */
export function readEmail(typed: string): string {
  const email = emailOf(typed.slice(0, 400))
  if (!isEmail(email)) refuse('email_invalid')
  return email
}

/** A person's name that was typed, in one line. @throws {Refusal} `name_invalid` */
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
   * Whether a link that was mailed, or an invitation by the operator, has shown that the mailbox is
   * the person's.
   */
  isEmailProven?: boolean
}

/**
 * Makes a person, who can do nothing yet.
 * @throws {RangeError} when somebody has that address
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
 * Makes a person a member of a business. @returns false when that was so already, in whatever role
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
 * What `requireScope` refuses, of who acts as it is at this moment: who takes the right away waits
 * until the transaction has ended.
 * @throws {Refusal} `scope_missing` also when a key was revoked meanwhile, or a person is no member
 * any more
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

/** Gives a person another name. @throws {Refusal} `name_invalid` */
export async function renamePerson(
  app: Pick<App, 'db'>,
  personId: Id,
  typed: string,
): Promise<void> {
  await app.db.rows(statements.updateName, [personId, readName(typed)])
}
