/**
 * Sessions of signed-in people. Each request reads the session's row, so an ended session or a
 * revoked role takes effect at once in every process. No process caches sessions.
 */
import { createHmac } from 'node:crypto'
import { stoppedOf } from '../../books/businesses/businesses.ts'
import type { Actor, App, Scope, Stopped } from '../../core/app.ts'
import type { Queryable } from '../../db/db.ts'
import { later } from '../../lib/clock.ts'
import { type Id, newId } from '../../lib/ids.ts'
import { randomText, sha256 } from '../../lib/secrets.ts'
import { refuse } from './refusals.ts'
import { type PersonRole, rightsOf } from './roles.ts'
import type { SessionMethod } from './sql.ts'
import * as statements from './sql.ts'

/** When an unused session ends, and when every session ends. */
export const idleMs = 12 * 3_600_000
export const longestMs = 7 * 86_400_000

/** The cookie that carries a session's token. Over TLS its name has `__Host-` before it. */
export const sessionCookie = 'bursar_session'
/** Seconds. The session itself may be over earlier. */
export const sessionCookieAge = longestMs / 1_000

/** The shortest interval between recorded uses. */
const useEveryMs = 60_000

/** `stopped`: what the operator has stopped the business for. */
export type Member = { businessId: Id; name: string; role: PersonRole; stopped?: Stopped }

/** A signed-in person in one browser. */
export type Session = {
  id: Id
  person: { id: Id; email: string; name: string }
  /** The CSRF token of this session's forms. */
  csrf: string
  /** The person's businesses that this session may see now. */
  memberships: Member[]
  /**
   * Businesses that require a second factor that was not shown or not set up. Show nothing of them.
   */
  barred: Member[]
  installationOwner: boolean
  /** Whether the person has a second factor, and whether this session has shown it. */
  secondFactor: { exists: boolean; shown: boolean }
  /** When the person last proved their identity. */
  signedInAt: Date
}

/** A browser's network address and its own description. */
export type Browser = { address: string; device: string }

/** The time limit between password and second factor. */
const pendingMs = 10 * 60_000

/**
 * Starts a session after the password, which can only open the second-factor page.
 * @returns its token, for the session cookie
 */
export async function openPending(
  app: Pick<App, 'clock' | 'db'>,
  personId: Id,
  { address, device }: Browser,
): Promise<string> {
  const now = app.clock.now()
  const token = randomText(43)
  await app.db.rows(statements.insertSession, [
    newId(now),
    sha256(token),
    personId,
    'password',
    null,
    now,
    address,
    device.slice(0, 300),
    later(now, pendingMs),
  ])
  return token
}

/**
 * Signs a person in.
 * @returns the session's token for a cookie, returned only here
 */
export async function openSession(
  app: Pick<App, 'clock' | 'db'>,
  personId: Id,
  { address, device }: Browser,
  method: SessionMethod = 'password',
  at: Queryable = app.db,
): Promise<string> {
  const now = app.clock.now()
  const token = randomText(43)
  await at.rows(statements.insertSession, [
    newId(now),
    sha256(token),
    personId,
    method,
    now,
    now,
    address,
    device.slice(0, 300),
    later(now, longestMs),
  ])
  return token
}

/** Returns the session of a token, or null if it has ended. Counts as a use of the session. */
export async function findSession(app: App, token: string): Promise<Session | null> {
  const now = app.clock.now()
  const found = await readSession(app, token, now)
  if (!found) return null
  const { id, last_used_at } = found
  if (now.getTime() - last_used_at.getTime() >= useEveryMs)
    app.db
      .rows(statements.recordSessionUse, [id, now])
      .catch((error) =>
        app.log.warn({ err: error, session: id }, 'the use of a session was not written'),
      )
  return found.session
}

/** Returns the session of a token without counting a use. */
export async function peekSession(app: App, token: string): Promise<Session | null> {
  return (await readSession(app, token, app.clock.now()))?.session ?? null
}

async function readSession(
  app: App,
  token: string,
  now: Date,
): Promise<{ id: Id; last_used_at: Date; session: Session } | null> {
  const rows = await app.db.rows(statements.selectSession, [
    sha256(token),
    now,
    later(now, -idleMs),
  ])
  const [found] = rows
  if (!found) return null
  const {
    id,
    person_id,
    email,
    name,
    installation_owner,
    has_second_factor: exists,
    last_used_at,
    signed_in_at,
  } = found
  const secondFactor = { exists, shown: exists && found.method !== 'password' }
  const memberOf = (required: boolean): Member[] =>
    rows.flatMap(
      ({
        business_id: businessId,
        business_name: business,
        role,
        second_factor_required,
        ...row
      }) =>
        businessId &&
        business !== null &&
        role &&
        (!secondFactor.shown && second_factor_required === true) === required
          ? [{ businessId, name: business, role, ...stoppedBy(row) }]
          : [],
    )
  const session = {
    id,
    person: { id: person_id, email, name },
    csrf: csrfOf(token),
    memberships: memberOf(false),
    barred: memberOf(true),
    installationOwner: installation_owner,
    secondFactor,
    signedInAt: signed_in_at,
  }
  return { id, last_used_at, session }
}

function stoppedBy({
  status,
  status_reason,
}: Pick<statements.FoundSession, 'status' | 'status_reason'>) {
  const stopped = status && stoppedOf({ status, status_reason })
  return stopped ? { stopped } : {}
}

/** Derived from the token by a one-way function, so it is not stored. */
const csrfOf = (token: string): string =>
  createHmac('sha256', token).update('form').digest('base64url')

/** Ends the session, or the pending sign-in, of a browser's cookie. */
export async function endSessionOf(app: Pick<App, 'db'>, token: string): Promise<void> {
  await app.db.row(statements.deleteSessionByToken, [sha256(token)])
}

/** Returns a person's sessions, the last used first. */
export function listSessions(
  app: Pick<App, 'clock' | 'db'>,
  personId: Id,
): Promise<statements.SessionRow[]> {
  const now = app.clock.now()
  return app.db.rows(statements.selectSessions, [personId, now, later(now, -idleMs)])
}

/** Ends a session of a person. @returns whether it existed */
export async function endSession(
  app: Pick<App, 'db'>,
  personId: Id,
  sessionId: Id,
): Promise<boolean> {
  return (await app.db.row(statements.deleteSession, [sessionId, personId])) !== null
}

/** Ends the other sessions of the signed-in person. */
export async function endOtherSessions(
  app: Pick<App, 'db'>,
  { id, person }: Session,
): Promise<void> {
  await app.db.rows(statements.deleteOtherSessions, [person.id, id])
}

/**
 * Returns the actor in a business and mode, with the current role; null if the person is not a
 * member.
 */
export function actorOf(
  session: Session,
  { businessId, livemode }: { businessId: Id; livemode: boolean },
  { address, at }: { address: string; at: Date },
): (Actor & { type: 'person' }) | null {
  const { person, memberships } = session
  const member = memberships.find((one) => one.businessId === businessId)
  if (!member) return null
  const scopes = rightsOf(member.role, livemode)
  return {
    type: 'person',
    id: person.id,
    hint: person.email,
    scopes,
    address,
    at,
    provedAt: provedAtOf(session),
  }
}

/** When the person last showed a second factor; null if this session has seen none. */
export const provedAtOf = ({ secondFactor, signedInAt }: Session): Date | null =>
  secondFactor.shown ? signedInAt : null

/**
 * For how long after signing in a person may change sign-in methods and confirm what needs a second
 * factor.
 */
const freshMs = 30 * 60_000

/**
 * Requires a recent sign-in for changes of sign-in methods: an unattended browser, or the password
 * alone, is not enough.
 * @throws {Refusal} `sign_in_again`, `factor_needed`
 */
export function requireFresh(app: Pick<App, 'clock'>, { secondFactor, signedInAt }: Session): void {
  if (secondFactor.exists && !secondFactor.shown) refuse('factor_needed')
  if (app.clock.now().getTime() - signedInAt.getTime() > freshMs) refuse('sign_in_again')
}

/**
 * Requires that the acting person showed a second factor recently, so that an unattended browser is
 * not enough.
 * @throws {Refusal} `factor_needed`, `sign_in_again`
 */
export function requireFreshFactor({ actor }: Scope): void {
  const provedAt = actor?.type === 'person' ? actor.provedAt : null
  if (!actor || !provedAt)
    refuse(
      'factor_needed',
      'Sign in with a second factor to confirm this. Your account is where you set one up.',
    )
  if (actor.at.getTime() - provedAt.getTime() > freshMs)
    refuse('sign_in_again', 'Sign in again to confirm this: you have been signed in for a while.')
}

/** Deletes ended sessions. */
export async function forgetOldSessions(app: App): Promise<void> {
  const now = app.clock.now()
  await app.db.rows(statements.deleteOldSessions, [now, later(now, -idleMs)])
}
