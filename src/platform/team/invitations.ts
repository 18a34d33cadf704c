/**
 * Invitation links to join a team. Only the hash of a link's token is stored; the token is created
 * when it is mailed or shown. The first person to accept a link uses it up.
 */
import { recordTeamChange } from '../../books/audit/audit.ts'
import { operator } from '../../books/ledger/ledger.ts'
import type { Actor, App } from '../../core/app.ts'
import { dashboardUrl } from '../../core/dashboard-url.ts'
import { inside, type View, type Work } from '../../core/inside.ts'
import { type Tx, transaction } from '../../db/db.ts'
import { later } from '../../lib/clock.ts'
import { type Id, newId } from '../../lib/ids.ts'
import { randomText, sha256 } from '../../lib/secrets.ts'
import { lockTeam, recordGrant } from './members.ts'
import { checkPassword, hashPassword } from './passwords.ts'
import { createPerson, readEmail, readName } from './persons.ts'
import { teamScope } from './records.ts'
import { refuse } from './refusals.ts'
import { mayGive, type PersonRole } from './roles.ts'
import type { Session } from './sessions.ts'
import { enter, type SignedIn, type SigningIn } from './signing-in.ts'
import * as persons from './sql.ts'
import type { InvitationRow, OpenInvitationRow } from './team-sql.ts'
import * as statements from './team-sql.ts'

export type { OpenInvitationRow as OpenInvitation } from './team-sql.ts'

const lifetimeMs = 7 * 86_400_000
const firstOwnerMs = 24 * 3_600_000

/** The address of a link. */
export const invitationUrl = (app: Pick<App, 'origin' | 'config'>, token: string): string =>
  dashboardUrl(app, `/invite/${token}`)

export type Invited = {
  id: Id
  email: string /** The link's token, where it is not mailed: given here and never again. */
  token: string | null
}

/**
 * Invites a person into the team. Replaces an earlier invitation to the same address.
 * @param how `mailed`: by a job of this commit; `shown`: the token is returned
 * @throws {Refusal} `scope_missing`, `factor_needed`, `sign_in_again`, `role_above_own`,
 * `email_invalid`, `is_member`; `mail_not_configured` without an SMTP server
 */
export async function invite(
  work: Work,
  {
    email: typed,
    role,
    installationOwner = false,
  }: { email: string; role: PersonRole; installationOwner?: boolean },
  how: 'mailed' | 'shown',
): Promise<Invited> {
  const { businessId, now, actor } = work.scope
  const email = readEmail(typed)
  if (how === 'mailed' && work.config.SMTP_URL === null) refuse('mail_not_configured')
  const own = await lockTeam(work)
  if (!mayGive(own, role)) refuse('role_above_own')
  if (await work.tx.row(statements.selectRoleByEmail, [businessId, email])) refuse('is_member')
  await revoke(work, own, { email })
  const id = newId(now)
  const token = how === 'shown' ? randomText(43) : null
  await work.tx.rows(statements.insertInvitation, [
    id,
    businessId,
    email,
    role,
    installationOwner,
    token && sha256(token),
    actor?.type === 'person' ? actor.id : null,
    now,
    later(now, lifetimeMs),
    how === 'mailed' ? now : null,
  ])
  await recordTeamChange(work, {
    action: 'invitation.created',
    subject: id,
    before: null,
    after: { role },
  })
  return { id, email, token }
}

/** Returns the team's open invitations. */
export function listInvitations({ reader, scope }: View): Promise<OpenInvitationRow[]> {
  return reader.rows(statements.selectOpenInvitations, [scope.businessId])
}

/**
 * Revokes an invitation. @throws {Refusal} `scope_missing`, `factor_needed`, `sign_in_again`,
 * `role_above_own`, `not_found`
 */
export async function revokeInvitation(work: Work, id: Id): Promise<void> {
  const own = await lockTeam(work)
  const [revoked] = await revoke(work, own, { id })
  if (!revoked) refuse('not_found', 'There is no such invitation, or it was accepted.')
}

/**
 * Revokes open invitations by id or address. @throws {Refusal} `role_above_own` when `own` could
 * not have given the role of one
 */
async function revoke(
  work: Work,
  own: PersonRole,
  { id = null, email = null }: { id?: Id | null; email?: string | null },
) {
  const { businessId, now } = work.scope
  const revoked = await work.tx.rows(statements.revokeInvitations, [
    businessId,
    id,
    email,
    null,
    now,
  ])
  if (revoked.some(({ role }) => !mayGive(own, role))) refuse('role_above_own')
  for (const one of revoked)
    await recordTeamChange(work, {
      action: 'invitation.revoked',
      subject: one.id,
      before: { role: one.role },
      after: null,
    })
  return revoked
}

/**
 * Creates a link for the first owner: of the installation, and of each business without an owner.
 * Earlier links expire.
 * @returns its token, returned only here; null if there is an owner already
 */
export function inviteFirstOwner(app: App): Promise<string | null> {
  return transaction(app.db, async (tx) => {
    await tx.rows(statements.lockInstallation)
    if (await tx.row(statements.selectInstallationOwner)) return null
    const now = app.clock.now()
    const token = randomText(43)
    await tx.rows(statements.revokeFirstOwner, [now])
    await tx.rows(statements.insertInvitation, [
      newId(now),
      null,
      null,
      'owner',
      true,
      sha256(token),
      null,
      now,
      later(now, firstOwnerMs),
      null,
    ])
    return token
  })
}

/** What an invitation link is for. */
export type Invitation = {
  /** Null: the installation, for its first owner. */
  business: string | null
  role: PersonRole
  /** The invited address; null: any holder of the link may accept. */
  email: string | null
  /** Whether an account with this address exists, which must sign in to accept. */
  known: boolean
}

/** Returns the invitation of a link. @throws {Refusal} `link_over` */
export async function findInvitation(
  app: Pick<App, 'clock' | 'db'>,
  token: string,
): Promise<Invitation> {
  const row = await app.db.row(statements.selectInvitation, [sha256(token)])
  if (!row || !isOpen(row, app.clock.now())) return refuse('link_over')
  return { business: row.business_name, role: row.role, email: row.email, known: row.known }
}

const isOpen = ({ accepted_at, revoked_at, expires_at }: InvitationRow, now: Date): boolean =>
  accepted_at === null && revoked_at === null && expires_at > now

/** A person without an account. */
export type Newcomer = { email?: string; name: string; password: string }

/**
 * Accepts an invitation as the signed-in person. If the server sends mail, the address must be
 * proven by a mailed link first, so that an account created under another person's address gets
 * nothing.
 * @throws {Refusal} `link_over`; `sign_in_first` for another person's invitation;
 * `address_unproven`
 */
export async function acceptAs(
  app: App,
  token: string,
  { person }: Session,
  browser: SigningIn,
): Promise<void> {
  await transaction(app.db, async (tx) => {
    const invitation = await lock(app, tx, token)
    if (invitation.email !== null && invitation.email !== person.email)
      refuse(
        'sign_in_first',
        `The invitation is for ${invitation.email}: sign in with that address.`,
      )
    const account = await tx.row(persons.lockPerson, [person.id])
    const canProve = app.config.SMTP_URL !== null && invitation.email !== null
    const isProven = account?.email_proven_at != null
    if (canProve && !isProven) refuse('address_unproven')
    await join(app, tx, invitation, { ...person, isProven }, browser)
  })
}

/**
 * Accepts an invitation by creating an account, and signs in.
 * @throws {Refusal} `link_over`, `sign_in_first`, `email_invalid`, `name_invalid`,
 * `password_refused`, `overloaded`
 */
export async function acceptAsNewcomer(
  app: App,
  token: string,
  newcomer: Newcomer,
  browser: SigningIn,
): Promise<SignedIn> {
  const found = await findInvitation(app, token)
  const email = found.email ?? readEmail(newcomer.email ?? '')
  const name = readName(newcomer.name)
  checkPassword(newcomer.password, [email, name])
  if (await app.db.row(persons.selectPersonByEmail, [email])) refuse('sign_in_first')
  const hash = await hashPassword(newcomer.password)
  const personId = await transaction(app.db, async (tx) => {
    const invitation = await lock(app, tx, token)
    const isEmailProven = invitation.mail_tries > 0 || invitation.invited_by === null
    const person = await createPerson(app, { email, name, isEmailProven }, tx).catch((error) => {
      if (error instanceof RangeError) return refuse('sign_in_first')
      throw error
    })
    await tx.rows(persons.updatePassword, [person.id, hash])
    await join(app, tx, invitation, { ...person, isProven: isEmailProven }, browser)
    return person.id
  })
  return enter(app, personId, browser, 'password')
}

/** Locks the team, and then the invitation. @throws {Refusal} `link_over` */
async function lock(app: App, tx: Tx, token: string): Promise<InvitationRow> {
  const hash = sha256(token)
  const found = await tx.row(statements.selectInvitation, [hash])
  if (!found) return refuse('link_over')
  await (found.business_id === null
    ? tx.rows(statements.lockInstallation)
    : tx.rows(statements.lockTeam, [found.business_id]))
  const invitation = await tx.row(statements.lockInvitation, [hash])
  if (!invitation || !isOpen(invitation, app.clock.now())) return refuse('link_over')
  return invitation
}

async function join(
  app: App,
  tx: Tx,
  invitation: InvitationRow,
  { id, email, isProven }: { id: Id; email: string; isProven: boolean },
  { address }: SigningIn,
): Promise<void> {
  const { business_id, role, installation_owner, invited_by: givenBy } = invitation
  const now = app.clock.now()
  await tx.rows(statements.acceptInvitation, [invitation.id, now, id])
  if (installation_owner) await tx.rows(statements.makeInstallationOwner, [id])
  const joined =
    business_id === null
      ? (await tx.rows(statements.selectOwnerless, [operator])).map((business) => business.id)
      : [business_id]
  const actor: Actor = { type: 'person', id, hint: email, scopes: [], address, at: now }
  for (const businessId of joined) {
    await tx.rows(statements.upsertMembership, [businessId, id, role, now])
    const work = inside(app, tx, teamScope(app, businessId, actor))
    await recordGrant(work, id, { givenBy, isShown: givenBy !== null && !isProven })
    await recordTeamChange(work, {
      action: 'person.joined',
      subject: id,
      before: null,
      after: { role },
    })
  }
}
