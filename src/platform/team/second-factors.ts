/**
 * Second factors beside a password: codes of an authenticator app (TOTP, RFC 6238) and recovery
 * codes.
 */
import { randomBytes } from 'node:crypto'
import { Secret, TOTP } from 'otpauth'
import type { App } from '../../core/app.ts'
import { type Tx, transaction } from '../../db/db.ts'
import { seal, sha256, unseal } from '../../lib/secrets.ts'
import { recordOfPerson } from './records.ts'
import { refuse } from './refusals.ts'
import { type Browser, requireFresh, type Session } from './sessions.ts'
import type { PersonRow } from './sql.ts'
import * as statements from './sql.ts'

const issuer = 'Bursar'
const periodMs = 30_000
const recoveryCodes = 10

const totpOf = (email: string, secret: Secret): TOTP =>
  new TOTP({ issuer, label: email, secret, algorithm: 'SHA1', digits: 6, period: periodMs / 1_000 })

/**
 * Creates a secret for an authenticator app. It is active after `confirmTotp` has verified a code.
 * @returns the secret in base32, for typing, and the URL for the QR code
 * @throws {Refusal} `sign_in_again`, `factor_needed`; `code_wrong` if there is an app already:
 * remove it first
 */
export async function startTotp(
  app: App,
  session: Session,
): Promise<{ secret: string; uri: string }> {
  requireFresh(app, session)
  const secret = new Secret({ size: 20 })
  const { id, email } = session.person
  const sealed = seal(app.secrets, 'authenticator secret', secret.base32, id)
  if (!(await app.db.row(statements.startTotp, [id, sealed])))
    refuse('code_wrong', 'There is an authenticator app already: remove it first.')
  return { secret: secret.base32, uri: totpOf(email, secret).toString() }
}

/** Returns the unconfirmed secret for its page; null if there is none. */
export async function pendingTotp(
  app: App,
  session: Session,
): Promise<{ secret: string; uri: string } | null> {
  const { id, email } = session.person
  const person = await app.db.row(statements.selectPerson, [id])
  if (!person?.totp_secret || person.totp_confirmed_at) return null
  const secret = secretOf(app, person)
  return { secret: secret.base32, uri: totpOf(email, secret).toString() }
}

const secretOf = (app: App, { id, totp_secret }: PersonRow): Secret =>
  Secret.fromBase32(unseal(app.secrets, 'authenticator secret', totp_secret as Buffer, id))

/** Accepts a code of the app, valid for now and half a minute before or after. Each works once. */
export async function takeTotp(
  app: App,
  person: PersonRow,
  code: string,
  tx: Pick<Tx, 'row'> = app.db,
): Promise<boolean> {
  if (!person.totp_secret) return false
  const now = app.clock.now()
  const delta = totpOf(person.email, secretOf(app, person)).validate({
    token: code,
    timestamp: now.getTime(),
    window: 1,
  })
  if (delta === null) return false
  const step = Math.floor(now.getTime() / periodMs) + delta
  return (await tx.row(statements.useTotpStep, [person.id, person.totp_secret, step, now])) !== null
}

/**
 * Activates an authenticator app and ends the person's other sessions.
 * @returns recovery codes, returned only here; none if the person has some already
 * @throws {Refusal} `sign_in_again`, `factor_needed`, `code_wrong`
 */
export async function confirmTotp(
  app: App,
  session: Session,
  code: string,
  { address }: Browser,
): Promise<string[]> {
  requireFresh(app, session)
  return transaction(app.db, async (tx) => {
    const person = await tx.row(statements.lockPerson, [session.person.id])
    if (
      !person ||
      person.totp_confirmed_at ||
      !(await takeTotp(app, person, code.replaceAll(/\s/g, ''), tx))
    )
      refuse('code_wrong', 'The code is wrong: type the six figures that the app shows now.')
    await tx.rows(statements.strengthenSession, [session.id, 'password_totp'])
    await tx.rows(statements.deleteOtherSessions, [person.id, session.id])
    await recordOfPerson(app, tx, session, address, 'person.second_factor_added', {
      authenticator: true,
    })
    return keepRecoveryCodes(app, tx, person.id)
  })
}

/** Removes the authenticator app. @throws {Refusal} `sign_in_again`, `factor_needed` */
export async function removeTotp(app: App, session: Session, { address }: Browser): Promise<void> {
  requireFresh(app, session)
  await transaction(app.db, async (tx) => {
    const { id } = session.person
    if (!(await tx.row(statements.removeTotp, [id]))) return
    await forgetIdleCodes(tx, id)
    await recordOfPerson(app, tx, session, address, 'person.second_factor_removed', null, {
      authenticator: true,
    })
  })
}

/**
 * Replaces the recovery codes.
 * @returns the new codes, returned only here
 * @throws {Refusal} `sign_in_again`, `factor_needed`
 */
export function renewRecoveryCodes(app: App, session: Session): Promise<string[]> {
  requireFresh(app, session)
  if (!session.secondFactor.exists)
    refuse('factor_needed', 'Set up an authenticator app or a passkey first.')
  return transaction(app.db, (tx) => makeRecoveryCodes(app, tx, session.person.id))
}

/** Creates recovery codes if the person has none. @returns them; none if some exist */
export async function keepRecoveryCodes(app: App, tx: Tx, personId: string): Promise<string[]> {
  const left = await tx.row(statements.countRecoveryCodes, [personId])
  return left && left.codes > 0n ? [] : makeRecoveryCodes(app, tx, personId)
}

/** Deletes the recovery codes of a person without another second factor. */
export async function forgetIdleCodes(tx: Tx, personId: string): Promise<void> {
  const person = await tx.row(statements.selectPerson, [personId])
  if (person && !person.has_passkey && person.totp_confirmed_at === null)
    await tx.rows(statements.deleteRecoveryCodes, [personId])
}

async function makeRecoveryCodes(app: App, tx: Tx, personId: string): Promise<string[]> {
  const codes = Array.from({ length: recoveryCodes }, () => newRecoveryCode())
  await tx.rows(statements.deleteRecoveryCodes, [personId])
  const hashes = codes.map((code) => sha256(plain(code)))
  await tx.rows(statements.insertRecoveryCodes, [personId, hashes, app.clock.now()])
  return codes
}

/** Unambiguous letters and digits (Crockford's base 32): 16 of them carry 80 bits. */
const signs = '0123456789abcdefghjkmnpqrstvwxyz'

function newRecoveryCode(): string {
  const text = [...randomBytes(16)].map((byte) => signs[byte % 32]).join('')
  return (text.match(/.{4}/g) as string[]).join('-')
}

/** Normalises a typed code. */
const plain = (typed: string): string =>
  typed.toLowerCase().replaceAll(/[\s-]/g, '').replaceAll('o', '0').replaceAll(/[il]/g, '1')

/** Accepts a recovery code. Each works once. */
export async function takeRecoveryCode(
  app: App,
  personId: string,
  typed: string,
): Promise<boolean> {
  return (
    (await app.db.row(statements.useRecoveryCode, [
      personId,
      sha256(plain(typed)),
      app.clock.now(),
    ])) !== null
  )
}

/** Counts a person's remaining recovery codes. */
export async function recoveryCodesLeft(app: Pick<App, 'db'>, personId: string): Promise<number> {
  return Number((await app.db.row(statements.countRecoveryCodes, [personId]))?.codes ?? 0n)
}

/**
 * Returns a person's ways to sign in. `emailProven`: a link has proven that the mailbox is theirs.
 */
export async function waysOf(
  app: Pick<App, 'db'>,
  personId: string,
): Promise<{
  emailProven: boolean
  password: boolean
  authenticator: Date | null
  recoveryCodes: number
}> {
  const person = await app.db.row(statements.selectPerson, [personId])
  return {
    emailProven: person?.email_proven_at != null,
    password: person?.password_hash != null,
    authenticator: person?.totp_confirmed_at ?? null,
    recoveryCodes: await recoveryCodesLeft(app, personId),
  }
}
