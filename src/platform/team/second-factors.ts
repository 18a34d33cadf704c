/**
 * The second factor beside a password: codes of an authenticator app (TOTP, RFC 6238), and recovery
 * codes for the day on which it is lost.
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
 * Makes a secret for an authenticator app. It counts once `confirmTotp` has seen a code of it.
 * @returns the secret in base32, for who types it, and the address that a QR code carries
 * @throws {Refusal} `sign_in_again`, `factor_needed`; `code_wrong` where there is an app already:
 * it must be taken away first
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

/** The secret that waits to be confirmed, once more for its page; null where none does. */
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

/** Takes a code of the app: of now, or of half a minute before or after. Each is taken once. */
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
 * Has an authenticator app count from now on, and ends the person's other sessions.
 * @returns recovery codes, which are given here and never again; none where there are some already
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

/** Takes the authenticator app away. @throws {Refusal} `sign_in_again`, `factor_needed` */
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
 * Makes recovery codes, in place of those before.
 * @returns them: they are given here and never again
 * @throws {Refusal} `sign_in_again`, `factor_needed`
 */
export function renewRecoveryCodes(app: App, session: Session): Promise<string[]> {
  requireFresh(app, session)
  if (!session.secondFactor.exists)
    refuse('factor_needed', 'Set up an authenticator app or a passkey first.')
  return transaction(app.db, (tx) => makeRecoveryCodes(app, tx, session.person.id))
}

/** Makes recovery codes for who has none. @returns them, or none where there are some already */
export async function keepRecoveryCodes(app: App, tx: Tx, personId: string): Promise<string[]> {
  const left = await tx.row(statements.countRecoveryCodes, [personId])
  return left && left.codes > 0n ? [] : makeRecoveryCodes(app, tx, personId)
}

/** Forgets the recovery codes of who has no factor left in whose place they could be. */
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

/**
 * Letters and figures that nobody takes for others (Crockford's base 32): 16 of them carry 80 bits.
 */
const signs = '0123456789abcdefghjkmnpqrstvwxyz'

function newRecoveryCode(): string {
  const text = [...randomBytes(16)].map((byte) => signs[byte % 32]).join('')
  return (text.match(/.{4}/g) as string[]).join('-')
}

/** As it was made, however it is typed. */
const plain = (typed: string): string =>
  typed.toLowerCase().replaceAll(/[\s-]/g, '').replaceAll('o', '0').replaceAll(/[il]/g, '1')

/** Takes a recovery code: each once. */
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

/** How many recovery codes a person has left. */
export async function recoveryCodesLeft(app: Pick<App, 'db'>, personId: string): Promise<number> {
  return Number((await app.db.row(statements.countRecoveryCodes, [personId]))?.codes ?? 0n)
}

/** How a person can sign in; `emailProven`: whether a link has shown that the mailbox is theirs. */
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
