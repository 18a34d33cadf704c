/**
 * Who is signed in. A session is a row, looked at by each request: one that is ended, and a role
 * that is taken away, act at once, in every process. Nothing of it is remembered.
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

/** How long a session lives that is not used, and however much it is used. */
export const idleMs = 12 * 3_600_000
export const longestMs = 7 * 86_400_000

/** The cookie that carries a session's token. Over TLS its name has `__Host-` before it. */
export const sessionCookie = 'bursar_session'
/** Seconds. The session itself may be over earlier. */
export const sessionCookieAge = longestMs / 1_000

/** The least time from one use that is written to the next. */
const useEveryMs = 60_000

/** `stopped`: what the operator has stopped it for. */
export type Member = { businessId: Id; name: string; role: PersonRole; stopped?: Stopped }

/** A person who is signed in, in one browser. */
export type Session = {
  id: Id
  person: { id: Id; email: string; name: string }
  /** The token that forms of this session carry. */
  csrf: string
  /** What the person works for, and may see now. */
  memberships: Member[]
  /**
   * What asks for a second factor that was not shown, or is not set up: nothing of it may be shown
   * until then.
   */
  barred: Member[]
  installationOwner: boolean
  /** Whether the person has a second factor, and whether it was shown in this session. */
  secondFactor: { exists: boolean; shown: boolean }
  /** When the person last proved who it is. */
  signedInAt: Date
}

/** Where a browser is, and what it says that it is. */
export type Browser = { address: string; device: string }

/** How long there is between the password and the second factor. */
const pendingMs = 10 * 60_000

/**
 * Lets a person in who has said the password, as far as the page that asks for the second factor.
 * @returns the token of that, for the cookie of a session
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
 * @returns the session's token, for a cookie: it is given here and never again
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

/**
 * Who a session's token stands for, or null when it stands for nobody any more. This is a use of
 * the session.
 */
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

/** The same, which is no use of the session. */
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

/** Follows from the token, which it does not tell: so it is stored nowhere. */
const csrfOf = (token: string): string =>
  createHmac('sha256', token).update('form').digest('base64url')

/** Ends the session of a browser's cookie, or what waits for a second factor there. */
export async function endSessionOf(app: Pick<App, 'db'>, token: string): Promise<void> {
  await app.db.row(statements.deleteSessionByToken, [sha256(token)])
}

/** The sessions of a person, the last used first. */
export function listSessions(
  app: Pick<App, 'clock' | 'db'>,
  personId: Id,
): Promise<statements.SessionRow[]> {
  const now = app.clock.now()
  return app.db.rows(statements.selectSessions, [personId, now, later(now, -idleMs)])
}

/** Ends a session of a person. @returns whether there was one */
export async function endSession(
  app: Pick<App, 'db'>,
  personId: Id,
  sessionId: Id,
): Promise<boolean> {
  return (await app.db.row(statements.deleteSession, [sessionId, personId])) !== null
}

/** Ends the other sessions of who is signed in. */
export async function endOtherSessions(
  app: Pick<App, 'db'>,
  { id, person }: Session,
): Promise<void> {
  await app.db.rows(statements.deleteOtherSessions, [person.id, id])
}

/**
 * Who acts, in a business and mode; null where the person does not work there. The role is the one
 * of this moment.
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

/** When the person last showed a second factor; null where this session has seen none. */
export const provedAtOf = ({ secondFactor, signedInAt }: Session): Date | null =>
  secondFactor.shown ? signedInAt : null

/**
 * For how long who has signed in may change how to sign in, and confirm what needs a second factor.
 */
const freshMs = 30 * 60_000

/**
 * For what changes how a person signs in: a browser that was left open, or that knows the password
 * alone, must not.
 * @throws {Refusal} `sign_in_again`, `factor_needed`
 */
export function requireFresh(app: Pick<App, 'clock'>, { secondFactor, signedInAt }: Session): void {
  if (secondFactor.exists && !secondFactor.shown) refuse('factor_needed')
  if (app.clock.now().getTime() - signedInAt.getTime() > freshMs) refuse('sign_in_again')
}

/**
 * For what a person must say, and no browser that was left open: who acts has shown a second factor
 * a short while ago.
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

/** Forgets sessions that are over. */
export async function forgetOldSessions(app: App): Promise<void> {
  const now = app.clock.now()
  await app.db.rows(statements.deleteOldSessions, [now, later(now, -idleMs)])
}
