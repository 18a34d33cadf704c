/**
 * Changes passwords, or resets them by a mailed link. A request for a link gets the same answer, as
 * fast, for an unknown address: only the mailing job looks the person up.
 */
import type { Actor, App } from '../../core/app.ts'
import { dashboardUrl } from '../../core/dashboard-url.ts'
import { type Tx, transaction } from '../../db/db.ts'
import { later } from '../../lib/clock.ts'
import { newId } from '../../lib/ids.ts'
import { randomText, sha256, sha256Hex } from '../../lib/secrets.ts'
import { checkPassword, hashPassword, isPassword } from './passwords.ts'
import { emailOf, readEmail } from './persons.ts'
import { recordAbout } from './records.ts'
import { refuse } from './refusals.ts'
import { type Browser, openPending, peekSession, requireFresh, type Session } from './sessions.ts'
import { enter, hasSecondFactor, type SignedIn, type SigningIn } from './signing-in.ts'
import * as persons from './sql.ts'
import * as statements from './team-sql.ts'
import { countTries, forgiveTry, minutesOf } from './tries.ts'

const lifetimeMs = 3_600_000
const noId = '0'.repeat(24)

/** The address of a link. */
export const resetUrl = (app: Pick<App, 'origin' | 'config'>, token: string): string =>
  dashboardUrl(app, `/reset/${token}`)

/**
 * Requests a link to a new password.
 * @throws {Refusal} `mail_not_configured`, `email_invalid`, `too_many_tries`
 */
export async function askForReset(app: App, typed: string, { address }: Browser): Promise<void> {
  if (app.config.SMTP_URL === null)
    refuse(
      'mail_not_configured',
      'This server sends no mail: ask its operator for a link (`bursar team reset-password`).',
    )
  const email = readEmail(typed)
  // Each admitted request mails a valid link, so requests by strangers do not lock the person out.
  const wait =
    (await countTries(app, [`reset from ${address}`])) ||
    (await countTries(app, [`reset of ${sha256Hex(email)}`], 3))
  if (wait > 0) refuse('too_many_tries', `Too many attempts. Try again in ${minutesOf(wait)}.`)
  const now = app.clock.now()
  await app.db.rows(statements.insertReset, [
    newId(now),
    email,
    null,
    address,
    now,
    later(now, lifetimeMs),
    now,
  ])
}

/**
 * Creates a link to a new password, for the operator to hand over. @returns its token; null if no
 * person has the address
 */
export async function makeReset(app: App, typed: string): Promise<string | null> {
  const email = emailOf(typed)
  if (!(await app.db.row(persons.selectPersonByEmail, [email]))) return null
  const now = app.clock.now()
  const token = randomText(43)
  await app.db.rows(statements.insertReset, [
    newId(now),
    email,
    sha256(token),
    'operator',
    now,
    later(now, lifetimeMs),
    null,
  ])
  return token
}

/** Returns the person whose password a link sets. @throws {Refusal} `link_over` */
export async function findReset(
  app: Pick<App, 'clock' | 'db'>,
  token: string,
): Promise<{ email: string }> {
  const row = await app.db.row(statements.selectReset, [sha256(token), app.clock.now()])
  return row ?? refuse('link_over')
}

/**
 * Sets a new password by a link, ends every session of the person, and signs in; a second factor is
 * still required if there is one. A mailed link proves the address. If the address was unproven
 * before, a stranger may have made the account, so its second factors are removed, unless that
 * person is signed in in this browser.
 * @throws {Refusal} `link_over`, `password_refused`, `overloaded`
 */
export async function resetPassword(
  app: App,
  token: string,
  password: string,
  browser: SigningIn,
): Promise<SignedIn | { state: 'second_factor'; session: string }> {
  const found = await app.db.row(statements.selectReset, [sha256(token), app.clock.now()])
  if (!found || found.person_id === null) return refuse('link_over')
  const { email, name, person_id: id } = found
  checkPassword(password, [email, name ?? ''])
  const hash = await hashPassword(password)
  const own = browser.session === null ? null : await peekSession(app, browser.session)
  const person = await transaction(app.db, async (tx) => {
    const locked = await tx.row(persons.lockPerson, [id])
    const now = app.clock.now()
    // Of two concurrent requests, the second finds the link used.
    if (!locked || !(await tx.row(statements.selectReset, [sha256(token), now])))
      return refuse('link_over')
    await tx.rows(statements.useResets, [email, now])
    await tx.rows(persons.updatePassword, [id, hash])
    await tx.rows(persons.deleteOtherSessions, [id, noId])
    const actor: Actor = {
      type: 'person',
      id,
      hint: email,
      scopes: [],
      address: browser.address,
      at: now,
    }
    await recordAbout(app, tx, id, actor, {
      action: 'person.password_changed',
      after: { by: 'reset' },
    })
    if (!found.mailed) return locked
    const isProven = locked.email_proven_at !== null || own?.person.id === id
    await tx.rows(persons.recordProvenEmail, [id, now])
    if (isProven) return locked
    await removeSecondFactors(app, tx, locked, actor)
    return null
  })
  if (person && hasSecondFactor(person))
    return { state: 'second_factor', session: await openPending(app, id, browser) }
  return enter(app, id, browser, 'password')
}

/**
 * Changes the signed-in person's password, or sets the first one, and ends the person's other
 * sessions.
 * @throws {Refusal} `password_wrong`, `password_refused`, `too_many_tries`, `overloaded`;
 * `sign_in_again`, `factor_needed`
 */
export async function changePassword(
  app: App,
  session: Session,
  { current, next }: { current: string; next: string },
  { address }: Browser,
): Promise<void> {
  const { id, email, name } = session.person
  const person = await app.db.row(persons.selectPerson, [id])
  if (!person) return refuse('not_found')
  if (person.password_hash === null) requireFresh(app, session)
  else {
    const keys = [`password of ${session.id}`]
    const wait = await countTries(app, keys)
    if (wait > 0) refuse('too_many_tries', `Too many attempts. Try again in ${minutesOf(wait)}.`)
    if (!(await isPassword(person.password_hash, current, 'known')))
      refuse('password_wrong', 'Your present password is wrong.')
    await forgiveTry(app, keys)
  }
  checkPassword(next, [email, name])
  const hash = await hashPassword(next)
  await transaction(app.db, async (tx) => {
    await tx.rows(persons.updatePassword, [id, hash])
    await tx.rows(persons.deleteOtherSessions, [id, session.id])
    const actor: Actor = {
      type: 'person',
      id,
      hint: email,
      scopes: [],
      address,
      at: app.clock.now(),
    }
    await recordAbout(app, tx, id, actor, {
      action: 'person.password_changed',
      after: { by: 'person' },
    })
  })
}

/**
 * Removes every second factor of a person who lost them, and ends the sessions. Only for the
 * operator, because it affects every business of the person.
 * @returns whether a person has the address
 */
export function resetSecondFactors(app: App, typed: string): Promise<boolean> {
  return transaction(app.db, async (tx) => {
    const person = await tx.row(persons.selectPersonByEmail, [emailOf(typed)])
    if (!person) return false
    await tx.rows(persons.deleteOtherSessions, [person.id, noId])
    await removeSecondFactors(app, tx, person, { type: 'operator', at: app.clock.now() })
    return true
  })
}

async function removeSecondFactors(
  app: App,
  tx: Tx,
  person: persons.PersonRow,
  actor: Actor,
): Promise<void> {
  const had = { authenticator: person.totp_confirmed_at !== null, passkeys: person.has_passkey }
  for (const statement of [persons.clearTotp, persons.deleteRecoveryCodes, persons.deletePasskeys])
    await tx.rows(statement, [person.id])
  if (hasSecondFactor(person))
    await recordAbout(app, tx, person.id, actor, {
      action: 'person.second_factor_removed',
      before: had,
    })
}
