/**
 * Signing in by password, then by a second factor if there is one, such as a passkey. Neither the
 * answer nor its time reveals whether an account exists.
 */
import type { App } from '../../core/app.ts'
import type { Id } from '../../lib/ids.ts'
import { sha256, sha256Hex } from '../../lib/secrets.ts'
import { deviceToken, knownDevice } from './devices.ts'
import { reportGuesses } from './guesses.ts'
import { hashPassword, isOutdated, isPassword } from './passwords.ts'
import { emailOf } from './persons.ts'
import { takeRecoveryCode, takeTotp } from './second-factors.ts'
import { type Browser, endSessionOf, openPending, openSession } from './sessions.ts'
import type { PersonRow, SessionMethod } from './sql.ts'
import * as statements from './sql.ts'
import { countTries, forgiveTry } from './tries.ts'

/** A browser with its stored tokens: of a session, and of a known device. */
export type SigningIn = Browser & { session: string | null; deviceToken: string | null }

/** The tokens that the browser stores after signing in. */
export type SignedIn = { state: 'signed_in'; session: string; deviceToken: string; personId: Id }

/**
 * The result of an attempt. `second_factor`: the session waits for it. `limited`: for this many
 * seconds.
 */
export type SignInEnd =
  | SignedIn
  | { state: 'second_factor'; session: string }
  | { state: 'wrong' }
  | { state: 'limited'; seconds: number }

/**
 * Returns the keys that an attempt counts under. A known device has its own, so that strangers
 * cannot use it up; others count by network address and by the target of the attempt.
 */
export const keysOf = (
  kind: string,
  browser: SigningIn,
  device: string | null,
  at: string,
): string[] =>
  device === null
    ? [`${kind} from ${browser.address}`, `${kind} of ${at}`]
    : [`${kind} of ${at} on ${device}`]

/** Signs in by password. @throws {Refusal} `overloaded` */
export async function signIn(
  app: App,
  { email: typed, password }: { email: string; password: string },
  browser: SigningIn,
): Promise<SignInEnd> {
  const email = emailOf(typed.slice(0, 400))
  const person = await app.db.row(statements.selectPersonByEmail, [email])
  const device = knownDevice(app, person?.id ?? '', browser.deviceToken)
  const keys = keysOf('sign-in', browser, device, sha256Hex(email))
  const seconds = await countTries(app, keys)
  if (seconds > 0) return { state: 'limited', seconds }
  const hash = person?.password_hash ?? null
  const asker = device === null ? 'stranger' : 'known'
  if (!(await isPassword(hash, password, asker)) || !person || hash === null) {
    app.log.info({ address: browser.address }, 'a sign-in was refused')
    return { state: 'wrong' }
  }
  await forgiveTry(app, keys)
  if (isOutdated(hash))
    await app.db.rows(statements.rehashPassword, [person.id, hash, await hashPassword(password)])
  if (hasSecondFactor(person)) {
    await leave(app, browser)
    return { state: 'second_factor', session: await openPending(app, person.id, browser) }
  }
  return enter(app, person.id, browser, 'password')
}

/**
 * Completes a sign-in after the password. `code` is from the authenticator app, or a recovery code.
 */
export async function showSecondFactor(
  app: App,
  code: string,
  browser: SigningIn,
): Promise<SignInEnd | { state: 'lost' }> {
  const person = await pendingPerson(app, browser.session)
  if (!person) return { state: 'lost' }
  const keys = keysOf(
    'second factor',
    browser,
    knownDevice(app, person.id, browser.deviceToken),
    person.id,
  )
  const seconds = await countTries(app, keys)
  if (seconds > 0) return { state: 'limited', seconds }
  const typed = code.replaceAll(/\s/g, '')
  const byApp = /^\d{6}$/.test(typed) && person.totp_confirmed_at !== null
  if (
    !(byApp ? await takeTotp(app, person, typed) : await takeRecoveryCode(app, person.id, typed))
  ) {
    app.log.info({ address: browser.address, person: person.id }, 'a second factor was refused')
    await reportGuesses(app, person, browser.address)
    return { state: 'wrong' }
  }
  await forgiveTry(app, keys)
  return enter(app, person.id, browser, byApp ? 'password_totp' : 'password_recovery_code')
}

/** Whether this person needs more than a password. */
export const hasSecondFactor = ({ totp_confirmed_at, has_passkey }: PersonRow): boolean =>
  totp_confirmed_at !== null || has_passkey

/**
 * Returns the person who gave the password in this browser and must still show the second factor.
 */
export async function pendingPerson(app: App, token: string | null): Promise<PersonRow | null> {
  const pending = await app.db.row(statements.selectPending, [sha256(token ?? ''), app.clock.now()])
  return pending && app.db.row(statements.selectPerson, [pending.person_id])
}

/**
 * Signs in a person who has proven their identity. Starts a new session and ends the browser's
 * previous one.
 */
export async function enter(
  app: App,
  personId: Id,
  browser: SigningIn,
  method: SessionMethod,
): Promise<SignedIn> {
  await leave(app, browser)
  const session = await openSession(app, personId, browser, method)
  return { state: 'signed_in', session, deviceToken: deviceToken(app, personId), personId }
}

async function leave(app: App, { session }: SigningIn): Promise<void> {
  if (session !== null) await endSessionOf(app, session)
}
