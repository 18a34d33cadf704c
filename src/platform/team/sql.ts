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
  created_at: Date
}
const personColumns =
  'id, email, name, installation_owner, password_hash, totp_secret, totp_confirmed_at, totp_step, created_at'

export const insertPerson = sqlOfAll<PersonRow>(
  'team.insert_person',
  `insert into persons (id, email, name, installation_owner, created_at) values ($1, $2, $3, $4, $5)
   returning ${personColumns}`,
)

export const insertMembership = sqlOfMany<{ role: PersonRole }>(
  'team.insert_membership',
  `insert into memberships (business_id, person_id, role, joined_at) values ($1, $2, $3, $4)
   on conflict (business_id, person_id) do nothing returning role`,
)

// Sessions -----------------------------------------------------------------------------------------------------------

export type SessionMethod = 'password' | 'password_totp' | 'password_recovery_code' | 'passkey'

export const insertSession = sqlOfAll(
  'team.insert_session',
  `insert into person_sessions (id, token_hash, person_id, method, signed_in_at, address, device, created_at, last_used_at, expires_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $8, $9)`,
)

export type FoundSession = {
  id: Id
  person_id: Id
  email: string
  name: string
  installation_owner: boolean
  has_second_factor: boolean
  last_used_at: Date
  signed_in_at: Date
  /** One row for each business; null where there is none. */
  business_id: Id | null
  business_name: string | null
  role: PersonRole | null
  second_factor_required: boolean | null
}

/** By the token's hash alone: the token is what tells who asks. What was not used since $3 has ended. */
export const selectSession = sqlOfAll<FoundSession>(
  'team.select_session',
  `select s.id, s.person_id, s.last_used_at, s.signed_in_at, p.email, p.name, p.installation_owner,
          (p.totp_confirmed_at is not null or exists (select from passkeys k where k.person_id = p.id)) as has_second_factor,
          m.business_id, b.name as business_name, m.role, b.second_factor_required
     from person_sessions s
     join persons p on p.id = s.person_id
     left join memberships m on m.person_id = p.id
     left join businesses b on b.id = m.business_id
    where s.token_hash = $1 and s.signed_in_at is not null and s.expires_at > $2 and s.last_used_at > $3
    order by b.created_at, b.id`,
)

export const recordSessionUse = sqlOfAll(
  'team.record_session_use',
  'update person_sessions set last_used_at = $2 where id = $1 and last_used_at < $2',
)

export const deleteSession = sqlOfAll<{ id: Id }>(
  'team.delete_session',
  'delete from person_sessions where id = $1 and person_id = $2 returning id',
)

/** What has ended: by its time, or because it was not used since $2. */
export const deleteOldSessions = sqlOfAll(
  'team.delete_old_sessions',
  'delete from person_sessions where expires_at <= $1 or last_used_at <= $2',
)
