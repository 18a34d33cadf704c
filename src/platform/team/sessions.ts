/**
 * Who is signed in. A session is a row, looked at by each request: one that is ended, and a role that is taken away, act at once, in
 * every process. Nothing of it is remembered.
 */
import { createHmac } from 'node:crypto'
import type { Actor, App } from '../../core/app.ts'
import type { Queryable } from '../../db/db.ts'
import { later } from '../../lib/clock.ts'
import { type Id, newId } from '../../lib/ids.ts'
import { randomText, sha256 } from '../../lib/secrets.ts'
import { type PersonRole, rightsOf } from './roles.ts'
import type { SessionMethod } from './sql.ts'
import * as statements from './sql.ts'

/** How long a session lives that is not used, and however much it is used. */
export const idleMs = 12 * 3_600_000
export const longestMs = 7 * 86_400_000

/** The cookie that carries a session's token. Over TLS its name has `__Host-` before it. */
export const sessionCookie = 'bursar_session'

/** The least time from one use that is written to the next. */
const useEveryMs = 60_000

export type Member = { businessId: Id; name: string; role: PersonRole }

/** A person who is signed in, in one browser. */
export type Session = {
  id: Id
  person: { id: Id; email: string; name: string }
  /** The token that forms of this session carry. */
  csrf: string
  /** What the person works for, and may see now. */
  memberships: Member[]
  /** What asks for a second factor that the person has not set up: nothing of it may be shown until then. */
  barred: Member[]
  installationOwner: boolean
  /** When the person last proved who it is. */
  signedInAt: Date
}

/** Where a browser is, and what it says that it is. */
export type Browser = { address: string; device: string }

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
    ...[newId(now), sha256(token), personId, method, now, address, device.slice(0, 300)],
    ...[now, later(now, longestMs)],
  ])
  return token
}

/** Who a session's token stands for, or null when it stands for nobody any more. */
export async function findSession(app: App, token: string): Promise<Session | null> {
  const now = app.clock.now()
  const rows = await app.db.rows(statements.selectSession, [sha256(token), now, later(now, -idleMs)])
  const [found] = rows
  if (!found) return null
  const { id, person_id, email, name, installation_owner, has_second_factor, last_used_at, signed_in_at } = found
  if (now.getTime() - last_used_at.getTime() >= useEveryMs)
    app.db
      .rows(statements.recordSessionUse, [id, now])
      .catch((error) => app.log.warn({ err: error, session: id }, 'the use of a session was not written'))
  const memberOf = (required: boolean): Member[] =>
    rows.flatMap(({ business_id: businessId, business_name: business, role, second_factor_required }) =>
      businessId && business !== null && role && (!has_second_factor && second_factor_required === true) === required
        ? [{ businessId, name: business, role }]
        : [],
    )
  return {
    id,
    person: { id: person_id, email, name },
    csrf: csrfOf(token),
    memberships: memberOf(false),
    barred: memberOf(true),
    installationOwner: installation_owner,
    signedInAt: signed_in_at,
  }
}

/** Follows from the token, which it does not tell: so it is stored nowhere. */
const csrfOf = (token: string): string => createHmac('sha256', token).update('form').digest('base64url')

/** Ends a session of a person. @returns whether there was one */
export async function endSession(app: Pick<App, 'db'>, personId: Id, sessionId: Id): Promise<boolean> {
  return (await app.db.row(statements.deleteSession, [sessionId, personId])) !== null
}

/** Who acts, in a business and mode; null where the person does not work there. The role is the one of this moment. */
export function actorOf(
  { person, memberships }: Session,
  { businessId, livemode }: { businessId: Id; livemode: boolean },
  { address, at }: { address: string; at: Date },
): (Actor & { type: 'person' }) | null {
  const member = memberships.find((one) => one.businessId === businessId)
  if (!member) return null
  return { type: 'person', id: person.id, hint: person.email, scopes: rightsOf(member.role, livemode), address, at }
}

/** Forgets sessions that are over. */
export async function forgetOldSessions(app: App): Promise<void> {
  const now = app.clock.now()
  await app.db.rows(statements.deleteOldSessions, [now, later(now, -idleMs)])
}
