import { sqlOfAll, sqlOfMany } from '../../db/db.ts'
import type { Id } from '../../lib/ids.ts'
import type { PersonRole } from './roles.ts'

// People are of no business, so these statements name none; memberships say of which ones they are.

export type PersonRow = {
  id: Id
  email: string
  name: string
  installation_owner: boolean
  password_hash: string | null
  totp_secret: Buffer | null
  totp_confirmed_at: Date | null
  totp_step: bigint | null
  /** When a link proved that the mailbox is the person's; null: not yet. */
  email_proven_at: Date | null
  created_at: Date
  has_passkey: boolean
}
const personColumns = `id, email, name, installation_owner, password_hash, totp_secret, totp_confirmed_at, totp_step, email_proven_at,
          created_at, exists (select from passkeys k where k.person_id = persons.id) as has_passkey`

export const insertPerson = sqlOfAll<PersonRow>(
  'team.insert_person',
  `insert into persons (id, email, name, installation_owner, created_at, email_proven_at) values ($1, $2, $3, $4, $5, $6)
   returning ${personColumns}`,
)

export const selectBusinessesOf = sqlOfAll<{ business_id: Id }>(
  'team.select_businesses_of',
  'select business_id from memberships where person_id = $1 order by business_id',
)

export const insertMembership = sqlOfMany<{ role: PersonRole }>(
  'team.insert_membership',
  `insert into memberships (business_id, person_id, role, joined_at) values ($1, $2, $3, $4)
   on conflict (business_id, person_id) do nothing returning role`,
)

export const selectPersonByEmail = sqlOfAll<PersonRow>(
  'team.select_person_by_email',
  `select ${personColumns} from persons where email = $1`,
)

export const selectPerson = sqlOfAll<PersonRow>(
  'team.select_person',
  `select ${personColumns} from persons where id = $1`,
)

export const lockPerson = sqlOfAll<PersonRow>(
  'team.lock_person',
  `select ${personColumns} from persons where id = $1 for no key update`,
)

export const updatePassword = sqlOfAll(
  'team.update_password',
  'update persons set password_hash = $2 where id = $1',
)

/** Replaces a hash if it is still the one that was read. */
export const rehashPassword = sqlOfAll(
  'team.rehash_password',
  'update persons set password_hash = $3 where id = $1 and password_hash = $2',
)

export const recordProvenEmail = sqlOfAll(
  'team.record_proven_email',
  'update persons set email_proven_at = coalesce(email_proven_at, $2) where id = $1',
)

export const updateName = sqlOfAll('team.update_name', 'update persons set name = $2 where id = $1')

// Second factors
// -------------------------------------------------------------------------------------------------

/** Replaces a secret that no code has confirmed. */
export const startTotp = sqlOfAll<{ id: Id }>(
  'team.start_totp',
  `update persons set totp_secret = $2, totp_step = null where id = $1 and totp_confirmed_at is null returning id`,
)

/** Uses up a code's time step: each once, and none before the last. */
export const useTotpStep = sqlOfAll<{ id: Id }>(
  'team.use_totp_step',
  `update persons set totp_step = $3, totp_confirmed_at = coalesce(totp_confirmed_at, $4)
    where id = $1 and totp_secret = $2 and (totp_step is null or totp_step < $3) returning id`,
)

export const removeTotp = sqlOfAll<{ id: Id }>(
  'team.remove_totp',
  `update persons set totp_secret = null, totp_confirmed_at = null, totp_step = null
    where id = $1 and totp_confirmed_at is not null returning id`,
)

/** Also an unconfirmed one, because its creator knows the secret. */
export const clearTotp = sqlOfAll(
  'team.clear_totp',
  'update persons set totp_secret = null, totp_confirmed_at = null, totp_step = null where id = $1',
)

export const deleteRecoveryCodes = sqlOfAll(
  'team.delete_recovery_codes',
  'delete from recovery_codes where person_id = $1',
)

export const insertRecoveryCodes = sqlOfAll(
  'team.insert_recovery_codes',
  `insert into recovery_codes (person_id, code_hash, created_at) select $1, unnest($2::bytea[]), $3`,
)

export const useRecoveryCode = sqlOfAll<{ person_id: Id }>(
  'team.use_recovery_code',
  `update recovery_codes set used_at = $3 where person_id = $1 and code_hash = $2 and used_at is null returning person_id`,
)

export const countRecoveryCodes = sqlOfAll<{ codes: bigint }>(
  'team.count_recovery_codes',
  'select count(*) as codes from recovery_codes where person_id = $1 and used_at is null',
)

export const deletePasskeys = sqlOfAll(
  'team.delete_passkeys',
  'delete from passkeys where person_id = $1',
)

export type PasskeyRow = {
  id: Id
  person_id: Id
  credential_id: Buffer
  public_key: Buffer
  sign_count: bigint
  transports: string[]
  backed_up: boolean
  name: string
  created_at: Date
  last_used_at: Date | null
}
const passkeyColumns =
  'id, person_id, credential_id, public_key, sign_count, transports, backed_up, name, created_at, last_used_at'

/** By the authenticator's id of the passkey, which identifies the person. */
export const selectPasskey = sqlOfAll<PasskeyRow>(
  'team.select_passkey',
  `select ${passkeyColumns} from passkeys where credential_id = $1`,
)

export const selectPasskeys = sqlOfAll<PasskeyRow>(
  'team.select_passkeys',
  `select ${passkeyColumns} from passkeys where person_id = $1 order by created_at, id`,
)

export const insertPasskey = sqlOfAll<{ id: Id }>(
  'team.insert_passkey',
  `insert into passkeys (id, person_id, credential_id, public_key, sign_count, transports, backed_up, name, created_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9) on conflict (credential_id) do nothing returning id`,
)

/** A use counter must increase; 0: the passkey does not count. */
export const usePasskey = sqlOfAll<{ id: Id }>(
  'team.use_passkey',
  `update passkeys set sign_count = $2, backed_up = $3, last_used_at = $4
    where id = $1 and (sign_count < $2 or (sign_count = 0 and $2 = 0)) returning id`,
)

export const renamePasskey = sqlOfAll<{ id: Id }>(
  'team.rename_passkey',
  'update passkeys set name = $3 where id = $1 and person_id = $2 returning id',
)

export const deletePasskey = sqlOfAll<{ name: string }>(
  'team.delete_passkey',
  'delete from passkeys where id = $1 and person_id = $2 returning name',
)

/** Each can be answered once. */
export const takeChallenge = sqlOfAll<{ expires_at: Date }>(
  'team.take_challenge',
  `insert into passkey_challenges (challenge_hash, expires_at) values ($1, $2)
   on conflict (challenge_hash) do nothing returning expires_at`,
)

export const deleteOldChallenges = sqlOfAll(
  'team.delete_old_challenges',
  'delete from passkey_challenges where expires_at <= $1',
)

/**
 * Returns a member's current role. A concurrent role change or removal waits until the transaction
 * has ended.
 */
export const holdMember = sqlOfMany<{ role: PersonRole }>(
  'team.hold_member',
  'select role from memberships where business_id = $1 and person_id = $2 for share',
)

// Sessions
// -------------------------------------------------------------------------------------------------

export type SessionMethod = 'password' | 'password_totp' | 'password_recovery_code' | 'passkey'

export const insertSession = sqlOfAll(
  'team.insert_session',
  `insert into person_sessions (id, token_hash, person_id, method, signed_in_at, created_at, last_used_at, address, device, expires_at)
   values ($1, $2, $3, $4, $5, $6, $6, $7, $8, $9)`,
)

export type FoundSession = {
  id: Id
  person_id: Id
  email: string
  name: string
  installation_owner: boolean
  method: SessionMethod
  has_second_factor: boolean
  last_used_at: Date
  signed_in_at: Date
  /** One row per business; null if there is none. */
  business_id: Id | null
  business_name: string | null
  role: PersonRole | null
  second_factor_required: boolean | null
  status: 'active' | 'suspended' | 'closed' | null
  status_reason: string | null
}

/**
 * By the token's hash alone, because the token identifies the caller. A session not used since $3
 * has ended.
 */
export const selectSession = sqlOfAll<FoundSession>(
  'team.select_session',
  `select s.id, s.person_id, s.method, s.last_used_at, s.signed_in_at, p.email, p.name, p.installation_owner,
          (p.totp_confirmed_at is not null or exists (select from passkeys k where k.person_id = p.id)) as has_second_factor,
          m.business_id, b.name as business_name, m.role, b.second_factor_required, b.status, b.status_reason
     from person_sessions s
     join persons p on p.id = s.person_id
     left join memberships m on m.person_id = p.id
     left join businesses b on b.id = m.business_id
    where s.token_hash = $1 and s.signed_in_at is not null and s.expires_at > $2 and s.last_used_at > $3
    order by b.created_at, b.id`,
)

/** A person who gave the password but not yet the second factor. */
export const selectPending = sqlOfAll<{ id: Id; person_id: Id }>(
  'team.select_pending_session',
  `select id, person_id from person_sessions where token_hash = $1 and signed_in_at is null and expires_at > $2`,
)

export const deleteSessionByToken = sqlOfAll<{ id: Id }>(
  'team.delete_session_by_token',
  'delete from person_sessions where token_hash = $1 returning id',
)

export const deleteOtherSessions = sqlOfAll<{ id: Id }>(
  'team.delete_other_sessions',
  'delete from person_sessions where person_id = $1 and id <> $2 returning id',
)

export const strengthenSession = sqlOfAll(
  'team.strengthen_session',
  'update person_sessions set method = $2 where id = $1',
)

export type SessionRow = {
  id: Id
  method: SessionMethod
  address: string
  device: string
  signed_in_at: Date
  last_used_at: Date
}

export const selectSessions = sqlOfAll<SessionRow>(
  'team.select_sessions',
  `select id, method, address, device, signed_in_at, last_used_at from person_sessions
    where person_id = $1 and signed_in_at is not null and expires_at > $2 and last_used_at > $3
    order by last_used_at desc, id`,
)

export const recordSessionUse = sqlOfAll(
  'team.record_session_use',
  'update person_sessions set last_used_at = $2 where id = $1 and last_used_at < $2',
)

export const deleteSession = sqlOfAll<{ id: Id }>(
  'team.delete_session',
  'delete from person_sessions where id = $1 and person_id = $2 returning id',
)

/** Ended sessions: expired, or not used since $2. */
export const deleteOldSessions = sqlOfAll(
  'team.delete_old_sessions',
  'delete from person_sessions where expires_at <= $1 or last_used_at <= $2',
)
