/**
 * Passkeys (WebAuthn): a device proves that it holds a key after its owner unlocked it, so a
 * passkey counts as both factors. A challenge's MAC proves that we issued it, for whom and until
 * when; its one use is recorded.
 */
import { timingSafeEqual } from 'node:crypto'
import { isIP } from 'node:net'
import type { App } from '../../core/app.ts'
import { transaction } from '../../db/db.ts'
import { later } from '../../lib/clock.ts'
import { type Id, newId } from '../../lib/ids.ts'
import { macsOf, randomText, sha256, sha256Hex } from '../../lib/secrets.ts'
import { knownDevice } from './devices.ts'
import { readName } from './persons.ts'
import { recordOfPerson } from './records.ts'
import { refuse } from './refusals.ts'
import { forgetIdleCodes, keepRecoveryCodes } from './second-factors.ts'
import { type Browser, requireFresh, type Session } from './sessions.ts'
import { enter, keysOf, type SignInEnd, type SigningIn } from './signing-in.ts'
import type { PasskeyRow } from './sql.ts'
import * as statements from './sql.ts'
import { countTries, forgiveTry } from './tries.ts'
import { type Answer, type PasskeyHost, readAnswer, verifyNew, verifyShown } from './webauthn.ts'

export type { PasskeyHost } from './webauthn.ts'

const challengeMs = 5 * 60_000
const most = 20

/** The cookie that binds a challenge to a browser. */
export const challengeCookie = 'bursar_passkey'
/** Seconds. */
export const challengeCookieAge = challengeMs / 1_000

/**
 * Returns the host for passkeys. Null if browsers refuse them: without https (except localhost),
 * and under an IP address (https://www.w3.org/TR/webauthn-3/#rp-id).
 */
export function passkeyHost({ origin: { url } }: Pick<App, 'origin'>): PasskeyHost | null {
  const { protocol, hostname, origin } = new URL(url)
  const isAddress = isIP(hostname) !== 0 || hostname.startsWith('[')
  const isOwn = hostname === 'localhost' || hostname.endsWith('.localhost')
  return !isAddress && (protocol === 'https:' || isOwn) ? { id: hostname, origin } : null
}

const hostOf = (app: App): PasskeyHost =>
  passkeyHost(app) ?? refuse('passkey_refused', 'Passkeys need https.')

const challengeMacs = (app: App, bound: string, text: string): string[] =>
  macsOf(app.secrets, 'passkey challenge', `${bound} ${text}`)

function newChallenge(app: App, bound: string): string {
  const text = `${randomText(32)}.${later(app.clock.now(), challengeMs).getTime()}`
  return Buffer.from(`${text}.${challengeMacs(app, bound, text)[0]}`).toString('base64url')
}

/**
 * Uses up a challenge: true only once, before it expires, and for the browser or person it was
 * issued to.
 */
async function takeChallenge(app: App, challenge: string, bound: string): Promise<boolean> {
  const written = Buffer.from(challenge, 'base64url').toString('latin1')
  const [, text = '', end = '', mac = ''] =
    /^([0-9A-Za-z]{32}\.(\d{13,15}))\.([0-9a-f]{64})$/.exec(written) ?? []
  const now = app.clock.now()
  const expires = Number(end)
  if (mac === '' || now.getTime() >= expires) return false
  const given = Buffer.from(mac, 'hex')
  if (
    !challengeMacs(app, bound, text).some((one) => timingSafeEqual(given, Buffer.from(one, 'hex')))
  )
    return false
  return (await app.db.row(statements.takeChallenge, [sha256(text), new Date(expires)])) !== null
}

// Signing in
// -------------------------------------------------------------------------------------------------

/**
 * Creates a sign-in challenge that any passkey of this host can answer, and the value that must
 * return with the answer.
 */
export function askForPasskey(app: App): { options: object; bound: string } {
  const { id: rpId } = hostOf(app)
  const bound = randomText(43)
  const challenge = newChallenge(app, `sign-in ${bound}`)
  return { options: { challenge, rpId, userVerification: 'required', timeout: challengeMs }, bound }
}

/**
 * Signs in by a passkey.
 * @param bound the value from `askForPasskey` for this browser
 */
export async function signInByPasskey(
  app: App,
  typed: string,
  bound: string,
  browser: SigningIn,
): Promise<SignInEnd> {
  const host = passkeyHost(app)
  const answer = readAnswer(typed)
  const passkey = answer && (await app.db.row(statements.selectPasskey, [answer.credentialId]))
  const device = knownDevice(app, passkey?.person_id ?? '', browser.deviceToken)
  const keys = keysOf('passkey', browser, device, sha256Hex(answer?.id ?? ''))
  const seconds = await countTries(app, keys)
  if (seconds > 0) return { state: 'limited', seconds }
  const isRight =
    host !== null &&
    answer !== null &&
    passkey !== null &&
    (await takeChallenge(app, answer.challenge, `sign-in ${bound}`)) &&
    (await isShown(app, answer, passkey, host))
  if (!isRight) {
    app.log.info({ address: browser.address }, 'a sign-in by a passkey was refused')
    return { state: 'wrong' }
  }
  await forgiveTry(app, keys)
  return enter(app, passkey.person_id, browser, 'passkey')
}

/**
 * Verifies an answer against a passkey and records its use. A use counter must increase, also
 * between concurrent uses.
 */
async function isShown(
  app: App,
  answer: Answer,
  passkey: PasskeyRow,
  host: PasskeyHost,
): Promise<boolean> {
  if (answer.userHandle !== null && answer.userHandle !== handleOf(passkey.person_id)) return false
  const shown = await verifyShown(answer, passkey, host)
  if (!shown) return false
  const now = app.clock.now()
  return (
    (await app.db.row(statements.usePasskey, [passkey.id, shown.counter, shown.backedUp, now])) !==
    null
  )
}

/** The person's handle for authenticators: it identifies the person to no one else. */
const handleOf = (personId: Id): string => Buffer.from(personId).toString('base64url')

// The passkeys of a person
// -------------------------------------------------------------------------------------------

/** Returns a person's passkeys, the oldest first. */
export const listPasskeys = ({ db }: Pick<App, 'db'>, personId: Id): Promise<PasskeyRow[]> =>
  db.rows(statements.selectPasskeys, [personId])

/**
 * Creates the challenge for a new passkey. @throws {Refusal} `sign_in_again`, `factor_needed`,
 * `passkey_refused`
 */
export async function askForNewPasskey(app: App, session: Session): Promise<object> {
  requireFresh(app, session)
  const { id, origin: _, ...rp } = { ...hostOf(app), name: 'Bursar' }
  const { person } = session
  const known = await listPasskeys(app, person.id)
  return {
    challenge: newChallenge(app, `new ${session.id}`),
    rp: { id, ...rp },
    user: { id: handleOf(person.id), name: person.email, displayName: person.name },
    pubKeyCredParams: [-8, -7, -257].map((alg) => ({ type: 'public-key', alg })),
    excludeCredentials: known.map((one) => ({
      type: 'public-key',
      id: one.credential_id.toString('base64url'),
      transports: one.transports,
    })),
    authenticatorSelection: {
      residentKey: 'required',
      requireResidentKey: true,
      userVerification: 'required',
    },
    attestation: 'none',
    timeout: challengeMs,
  }
}

/**
 * Adds a passkey to the signed-in person, and ends the person's other sessions.
 * @returns recovery codes, returned only here; none if the person has some already
 * @throws {Refusal} `sign_in_again`, `factor_needed`, `name_invalid`, `passkey_refused`
 */
export async function addPasskey(
  app: App,
  session: Session,
  { answer: typed, name: called }: { answer: string; name: string },
  { address }: Browser,
): Promise<string[]> {
  requireFresh(app, session)
  const host = hostOf(app)
  const name = readName(called)
  const answer = readAnswer(typed)
  const isOurs =
    answer !== null && (await takeChallenge(app, answer.challenge, `new ${session.id}`))
  const made = isOurs ? await verifyNew(answer, host) : null
  if (!made) return refuse('passkey_refused')
  return transaction(app.db, async (tx) => {
    const { id: personId } = session.person
    await tx.row(statements.lockPerson, [personId])
    if ((await tx.rows(statements.selectPasskeys, [personId])).length >= most)
      refuse('passkey_refused', `You have ${most} passkeys: remove one first.`)
    const now = app.clock.now()
    const { credentialId, publicKey, counter, transports, backedUp } = made
    const added = await tx.row(statements.insertPasskey, [
      newId(now),
      personId,
      credentialId,
      publicKey,
      counter,
      transports,
      backedUp,
      name,
      now,
    ])
    if (!added) refuse('passkey_refused', 'This passkey belongs to an account already.')
    if (!session.secondFactor.shown)
      await tx.rows(statements.strengthenSession, [session.id, 'passkey'])
    await tx.rows(statements.deleteOtherSessions, [personId, session.id])
    await recordOfPerson(app, tx, session, address, 'person.passkey_added', { passkey: name })
    return keepRecoveryCodes(app, tx, personId)
  })
}

/** Renames a passkey. @throws {Refusal} `name_invalid`, `not_found` */
export async function renamePasskey(
  app: App,
  { person }: Session,
  id: string,
  called: string,
): Promise<void> {
  const named = await app.db.row(statements.renamePasskey, [id, person.id, readName(called)])
  if (!named) refuse('not_found', 'There is no such passkey.')
}

/**
 * Removes a passkey of the signed-in person and ends the person's other sessions, because the
 * device may be in other hands.
 * @throws {Refusal} `sign_in_again`, `factor_needed`, `not_found`; `passkey_refused` if no way to
 * sign in would remain
 */
export async function removePasskey(
  app: App,
  session: Session,
  id: string,
  { address }: Browser,
): Promise<void> {
  requireFresh(app, session)
  const { id: personId } = session.person
  await transaction(app.db, async (tx) => {
    const person = await tx.row(statements.lockPerson, [personId])
    const removed = await tx.row(statements.deletePasskey, [id, personId])
    if (!person || !removed) return refuse('not_found', 'There is no such passkey.')
    const left = await tx.rows(statements.selectPasskeys, [personId])
    if (person.password_hash === null && left.length === 0)
      refuse(
        'passkey_refused',
        'You have no password: set one before you remove your last passkey.',
      )
    await forgetIdleCodes(tx, personId)
    await tx.rows(statements.deleteOtherSessions, [personId, session.id])
    await recordOfPerson(app, tx, session, address, 'person.passkey_removed', null, {
      passkey: removed.name,
    })
  })
}
