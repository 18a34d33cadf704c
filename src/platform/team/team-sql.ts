import { sql, sqlOfAll, sqlOfMany } from '../../db/db.ts'
import type { Id } from '../../lib/ids.ts'
import type { NoticeKind } from '../notices/notices.ts'
import type { PersonRole } from './roles.ts'

// The team of a business: in both modes, so these statements name no mode.
// -----------------------------------------------

/** Serializes changes of a team. Blocks nothing else. */
export const lockTeam = sqlOfMany<{ id: Id }>(
  'team.lock_team',
  'select id from businesses where id = $1 for no key update',
)

export const selectSecondFactorRequired = sqlOfMany<{ second_factor_required: boolean }>(
  'team.select_second_factor_required',
  'select second_factor_required from businesses where id = $1',
)

export type RoleRow = { role: PersonRole; email: string; name: string; business: string }

export const selectRole = sqlOfMany<RoleRow>(
  'team.select_role',
  `select m.role, p.email, p.name, (select name from businesses where id = $1) as business from memberships m join persons p on p.id = m.person_id
    where m.business_id = $1 and m.person_id = $2`,
)

export const selectRoleByEmail = sqlOfMany<{ role: PersonRole; person_id: Id }>(
  'team.select_role_by_email',
  `select m.role, m.person_id from memberships m join persons p on p.id = m.person_id
    where m.business_id = $1 and p.email = $2`,
)

export type MemberRow = {
  person_id: Id
  email: string
  name: string
  role: PersonRole
  has_second_factor: boolean
  joined_at: Date
  last_seen_at: Date | null
}

export const selectMembers = sqlOfMany<MemberRow>(
  'team.select_members',
  `select m.person_id, p.email, p.name, m.role, m.joined_at,
          (p.totp_confirmed_at is not null or exists (select from passkeys k where k.person_id = p.id)) as has_second_factor,
          (select max(s.last_used_at) from person_sessions s where s.person_id = p.id and s.signed_in_at is not null) as last_seen_at
     from memberships m join persons p on p.id = m.person_id
    where m.business_id = $1
    order by array_position(array['owner', 'admin', 'finance', 'support', 'developer', 'viewer'], m.role), p.name, p.id`,
)

/** Returns one member. */
export const selectMember = sqlOfMany<Pick<MemberRow, 'email' | 'role' | 'joined_at'>>(
  'team.select_member',
  `select p.email, m.role, m.joined_at from memberships m join persons p on p.id = m.person_id
    where m.business_id = $1 and m.person_id = $2`,
)

export const countOtherOwners = sqlOfMany<{ owners: bigint }>(
  'team.count_other_owners',
  `select count(*) as owners from memberships where business_id = $1 and role = 'owner' and person_id <> $2`,
)

export const updateRole = sqlOfMany(
  'team.update_role',
  'update memberships set role = $3 where business_id = $1 and person_id = $2',
)

export const deleteMembership = sqlOfMany(
  'team.delete_membership',
  'delete from memberships where business_id = $1 and person_id = $2',
)

/**
 * Adds a grant and deletes those of the business that are too old to matter. $5: whether it was by
 * a shown link.
 */
export const insertGrant = sqlOfMany(
  'team.insert_grant',
  `with over as (delete from approval_grants where business_id = $1 and given_at <= $6)
   insert into approval_grants (business_id, person_id, given_by, given_at, shown, id) values ($1, $2, $3, $4, $5, $7)`,
)

/**
 * Why some people ($2) cannot approve what others ($3) made at $5: either the approver joined by a
 * shown link since $4, or the chains of grants since then, up from both, meet in one person. Every
 * grant counts, so that a later one does not hide an earlier one.
 */
export const selectNewGrant = sqlOfMany<{ shown: boolean; since: Date }>(
  'team.select_new_grant',
  `with recursive chain as (
     (select 'approver' as side, unnest($2::text[])::object_id as person_id, $5::timestamptz as since
      union
      select 'maker', unnest($3::text[])::object_id, $5::timestamptz)
     union
     select c.side, g.given_by, least(c.since, g.given_at)
       from chain c join approval_grants g on g.business_id = $1 and g.person_id = c.person_id and g.given_at > $4
      where g.given_by is not null
   ), found as (
     select true as shown, given_at as since from approval_grants
      where business_id = $1 and person_id = any ($2::text[]) and given_at > $4 and shown
     union all
     select false, least(a.since, m.since)
       from chain a join chain m on m.person_id = a.person_id
      where a.side = 'approver' and m.side = 'maker'
   )
   select shown, since from found order by since desc limit 1`,
)

export const updateSecondFactorRequired = sqlOfMany(
  'team.update_second_factor_required',
  'update businesses set second_factor_required = $2 where id = $1',
)

// Invitations
// -------------------------------------------------------------------------------------------------

export type InvitationRow = {
  id: Id
  business_id: Id | null
  email: string | null
  role: PersonRole
  installation_owner: boolean
  invited_by: Id | null
  /** 0: the link was shown to the inviter, not mailed. */
  mail_tries: number
  created_at: Date
  expires_at: Date
  accepted_at: Date | null
  revoked_at: Date | null
}
const invitationColumns =
  'id, business_id, email, role, installation_owner, invited_by, mail_tries, created_at, expires_at, accepted_at, revoked_at'

/** Invitations of the first owner belong to no business. */
export const insertInvitation = sqlOfAll(
  'team.insert_invitation',
  `insert into invitations (id, business_id, email, role, installation_owner, token_hash, invited_by, created_at, expires_at, mail_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
)

/** An invitation of a business, in any state. */
export const selectInvitationOf = sqlOfMany<
  InvitationRow & { mailed_at: Date | null; accepted_by: Id | null }
>(
  'team.select_invitation_of',
  `select ${invitationColumns}, mailed_at, accepted_by from invitations where id = $2 and business_id = $1`,
)

export type OpenInvitationRow = InvitationRow & {
  inviter: string | null
  mail_at: Date | null
  mailed_at: Date | null
}

/** Invitations not yet accepted, expired ones included. */
export const selectOpenInvitations = sqlOfMany<OpenInvitationRow>(
  'team.select_open_invitations',
  `select i.id, i.business_id, i.email, i.role, i.installation_owner, i.invited_by, i.created_at, i.expires_at,
          i.accepted_at, i.revoked_at, i.mail_at, i.mailed_at, i.mail_tries, p.email as inviter
     from invitations i left join persons p on p.id = i.invited_by
    where i.business_id = $1 and i.accepted_at is null and i.revoked_at is null
    order by i.created_at desc, i.id desc`,
)

/** By the hash of the token alone, because the token identifies the holder. */
export const selectInvitation = sqlOfAll<
  InvitationRow & { business_name: string | null; known: boolean }
>(
  'team.select_invitation',
  `select i.id, i.business_id, i.email, i.role, i.installation_owner, i.invited_by, i.mail_tries, i.created_at, i.expires_at,
          i.accepted_at, i.revoked_at, b.name as business_name,
          exists (select from persons p where p.email = i.email) as known
     from invitations i left join businesses b on b.id = i.business_id
    where i.token_hash = $1`,
)

export const lockInvitation = sqlOfAll<InvitationRow>(
  'team.lock_invitation',
  `select ${invitationColumns} from invitations where token_hash = $1 for no key update`,
)

export const acceptInvitation = sqlOfAll(
  'team.accept_invitation',
  `update invitations set accepted_at = $2, accepted_by = $3, mail_at = null where id = $1`,
)

/**
 * Revokes open invitations: the one with the id $2, those to the address $3, and those by the
 * inviter $4.
 */
export const revokeInvitations = sqlOfMany<{ id: Id; email: string; role: PersonRole }>(
  'team.revoke_invitations',
  `update invitations set revoked_at = $5, mail_at = null
    where business_id = $1 and (id = $2 or email = $3 or invited_by = $4) and accepted_at is null and revoked_at is null
   returning id, email, role`,
)

/** Invitations of the first owner: each start prints a new one. */
export const revokeFirstOwner = sqlOfAll(
  'team.revoke_first_owner',
  `update invitations set revoked_at = $1 where business_id is null and accepted_at is null and revoked_at is null`,
)

export const lockInstallation = sqlOfAll(
  'team.lock_installation',
  `select pg_advisory_xact_lock(hashtext('bursar.installation_owner'))`,
)

export const selectInstallationOwner = sqlOfAll<{ id: Id }>(
  'team.select_installation_owner',
  'select id from persons where installation_owner limit 1',
)

export const makeInstallationOwner = sqlOfAll(
  'team.make_installation_owner',
  'update persons set installation_owner = true where id = $1',
)

/** Businesses without an owner, for the first owner. The reserved one ($1) never has one. */
export const selectOwnerless = sqlOfMany<{ id: Id }>(
  'team.select_ownerless',
  `select b.id from businesses b
    where b.id <> $1 and not exists (select from memberships m where m.business_id = b.id and m.role = 'owner')
    order by b.id for no key update`,
)

export const upsertMembership = sqlOfMany(
  'team.upsert_membership',
  `insert into memberships (business_id, person_id, role, joined_at) values ($1, $2, $3, $4)
   on conflict (business_id, person_id) do update set role = excluded.role`,
)

// Mail
// -------------------------------------------------------------------------------------------------

/** Claims an invitation that is due to be mailed, and sets its next retry. */
export const takeInvitationMail = sqlOfAll<
  InvitationRow & { business_name: string | null; inviter: string | null }
>(
  'team.take_invitation_mail',
  `with due as (
     select id from invitations where mail_at <= $1 order by mail_at limit 1 for update skip locked
   )
   update invitations i
      set mail_tries = mail_tries + 1,
          mail_at = case when mail_tries < 20 and expires_at > $1
                         then $1::timestamptz + least(power(2, mail_tries), 60) * interval '2 minutes' end
     from due
    where i.id = due.id
   returning i.id, i.business_id, i.email, i.role, i.installation_owner, i.invited_by, i.mail_tries, i.created_at, i.expires_at,
             i.accepted_at, i.revoked_at,
             (select b.name from businesses b where b.id = i.business_id) as business_name,
             (select p.name from persons p where p.id = i.invited_by) as inviter`,
)

/** Sets the token of a link when it is mailed; an earlier link stops working. */
export const setInvitationToken = sqlOfAll<{ id: Id }>(
  'team.set_invitation_token',
  `update invitations set token_hash = $2 where id = $1 and accepted_at is null and revoked_at is null returning id`,
)

export const recordInvitationMail = sqlOfAll(
  'team.record_invitation_mail',
  'update invitations set mail_at = null, mailed_at = $2 where id = $1',
)

// Resets
// -------------------------------------------------------------------------------------------------

export const insertReset = sqlOfAll(
  'team.insert_reset',
  `insert into password_resets (id, email, token_hash, address, created_at, expires_at, mail_at) values ($1, $2, $3, $4, $5, $6, $7)`,
)

export type ResetRow = { id: Id; email: string; person_id: Id | null; name: string | null }

export const takeResetMail = sqlOfAll<ResetRow>(
  'team.take_reset_mail',
  `with due as (
     select id from password_resets where mail_at <= $1 order by mail_at limit 1 for update skip locked
   )
   update password_resets r
      set mail_tries = mail_tries + 1,
          mail_at = case when mail_tries < 6 and expires_at > $1 and used_at is null
                         then $1::timestamptz + power(2, mail_tries) * interval '2 minutes' end
     from due
    where r.id = due.id
   returning r.id, r.email, (select p.id from persons p where p.email = r.email) as person_id,
             (select p.name from persons p where p.email = r.email) as name`,
)

export const setResetToken = sqlOfAll<{ id: Id }>(
  'team.set_reset_token',
  'update password_resets set token_hash = $2 where id = $1 and used_at is null returning id',
)

export const recordResetMail = sqlOfAll(
  'team.record_reset_mail',
  'update password_resets set mail_at = null where id = $1',
)

export const selectReset = sqlOfAll<ResetRow & { mailed: boolean }>(
  'team.select_reset',
  `select r.id, r.email, p.id as person_id, p.name, r.mail_tries > 0 as mailed from password_resets r join persons p on p.email = r.email
    where r.token_hash = $1 and r.used_at is null and r.expires_at > $2`,
)

/** Uses a link; the person's other links stop working. */
export const useResets = sqlOfAll<{ id: Id }>(
  'team.use_resets',
  'update password_resets set used_at = $2, mail_at = null where email = $1 and used_at is null returning id',
)

export const deleteOldResets = sqlOfAll(
  'team.delete_old_resets',
  'delete from password_resets where expires_at <= $1',
)

// Notices
// -------------------------------------------------------------------------------------------------

type Wanted = Partial<Record<NoticeKind, boolean>>

export const selectWanted = sqlOfAll<{ business_id: Id; role: PersonRole; notices: Wanted }>(
  'team.select_wanted',
  'select business_id, role, notices from memberships where person_id = $1',
)

export const updateWanted = sqlOfMany<{ person_id: Id }>(
  'team.update_wanted',
  'update memberships set notices = $3::jsonb where business_id = $1 and person_id = $2 returning person_id',
)

export type Recipient = {
  id: Id
  email: string
  name: string
  role: PersonRole
  notices: Wanted
  business: string
}

export const selectRecipients = sqlOfMany<Recipient>(
  'team.select_recipients',
  `select p.id, p.email, p.name, m.role, m.notices, b.name as business
     from memberships m
     join persons p on p.id = m.person_id
     join businesses b on b.id = m.business_id
    where m.business_id = $1 order by p.id`,
)

// Saved views
// -------------------------------------------------------------------------------------------------

export type ViewRow = { id: Id; name: string; query: string }

export const selectViews = sqlOfMany<ViewRow>(
  'team.select_views',
  'select id, name, query from list_views where business_id = $1 and person_id = $2 and list = $3 order by name, id',
)

export const upsertView = sqlOfMany(
  'team.upsert_view',
  `insert into list_views (business_id, person_id, id, list, name, query, created_at) values ($1, $2, $3, $4, $5, $6, $7)
   on conflict (business_id, person_id, list, name) do update set query = excluded.query`,
)

export const renameView = sqlOfMany<{ id: Id }>(
  'team.rename_view',
  'update list_views set name = $4 where business_id = $1 and person_id = $2 and id = $3 returning id',
)

export const deleteView = sqlOfMany(
  'team.delete_view',
  'delete from list_views where business_id = $1 and person_id = $2 and id = $3',
)

export const insertDealtWith = sql<{ subject: Id }>(
  'team.insert_dealt_with',
  `insert into attention_done (business_id, livemode, subject, done_at) values ($1, $2, $3, $4)
   on conflict do nothing returning subject`,
)
