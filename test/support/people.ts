/**
 * People who are signed in, for tests of pages: made by the module itself, without their way
 * through the sign-in page.
 */
import assert from 'node:assert/strict'
import { Secret, TOTP } from 'otpauth'
import { outside } from '../../src/core/outside.ts'
import { createOperatorKey, operatorScope } from '../../src/platform/operator/operator.ts'
import {
  addMember,
  changePassword,
  createPerson,
  endSession,
  findSession,
  openSession,
  type PersonRole,
  type Session,
  type SigningIn,
  sessionCookie,
} from '../../src/platform/team/team.ts'
import type { Call, TestServer } from './harness.ts'

/** A person with a role in a business, and a browser that is signed in. */
export type SignedIn = {
  personId: string
  email: string
  /** What the browser holds: the value of its cookie. */
  token: string
  /** The request header that carries it to a test server, which has no TLS. */
  headers: { cookie: string }
}

let count = 0

/**
 * Makes a person with a role in a business, who is signed in.
 * @param of.secondFactor by a second factor, too; left out: as who looks after the installation
 * must
 */
export async function signIn(
  { app, businessId }: Pick<TestServer, 'app' | 'businessId'>,
  role: PersonRole = 'owner',
  of: {
    businessId?: string
    email?: string
    name?: string
    installationOwner?: boolean
    secondFactor?: boolean
  } = {},
): Promise<SignedIn> {
  const email = of.email ?? `${role}-${++count}@example.com`
  const person = await createPerson(app, {
    email,
    name: of.name ?? `Ada ${role}`,
    installationOwner: of.installationOwner ?? false,
    isEmailProven: true,
  })
  await addMember(app, of.businessId ?? businessId, person.id, role)
  const token = await openSession(app, person.id, { address: '127.0.0.1', device: 'test' })
  if (of.secondFactor ?? of.installationOwner) await withSecondFactor({ app }, person.id)
  return { personId: person.id, email, token, headers: { cookie: `${sessionCookie}=${token}` } }
}

/**
 * Gives a person an authenticator app, whose code was typed into each of the person's sessions when
 * they began. No code of it can be made: for pages that only look whether one was shown.
 */
export async function withSecondFactor(
  { app }: Pick<TestServer, 'app'>,
  personId: string,
): Promise<void> {
  await app.db.query(
    `update persons set totp_secret = 'x', totp_confirmed_at = created_at where id = $1`,
    [personId],
  )
  await app.db.query(`update person_sessions set method = 'password_totp' where person_id = $1`, [
    personId,
  ])
}

/** A browser that knows nothing of ours yet, at an address. */
export const browserAt = (address = '203.0.113.1', of: Partial<SigningIn> = {}): SigningIn => ({
  address,
  device: 'test browser',
  session: null,
  deviceToken: null,
  ...of,
})

/** The codes that an authenticator app shows. */
export function codeAt(secret: string, at: Date): string {
  return new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: at.getTime() })
}

/** A password that is good. */
export const goodPassword = 'correct horse battery'

/** Makes a person with a password, who is not signed in. */
export async function withPassword(
  { app, businessId }: Pick<TestServer, 'app' | 'businessId'>,
  role: PersonRole = 'owner',
  of: { email?: string } = {},
): Promise<{ id: string; email: string }> {
  const { personId: id, email, token } = await signIn({ app, businessId }, role, of)
  const session = (await findSession(app, token)) as Session
  await changePassword(app, session, { current: '', next: goodPassword }, browserAt())
  await endSession(app, id, session.id)
  return { id, email }
}

/** The session of a token, which must stand. */
export async function sessionOf({ app }: Pick<TestServer, 'app'>, token: string): Promise<Session> {
  const session = await findSession(app, token)
  assert.ok(session)
  return session
}

/** A new key of the operator, with calls by it. */
export async function operatorKey(
  { app, callAs }: TestServer,
  name = 'platform',
): Promise<{ id: string; key: string; call: Call }> {
  const at = app.clock.now()
  const made = await outside(app, operatorScope(at, { type: 'operator', at })).write((work) =>
    createOperatorKey(work, name),
  )
  return { ...made, call: callAs(made.key) }
}
