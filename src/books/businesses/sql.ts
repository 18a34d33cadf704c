import type { KeyScope } from '../../core/scopes.ts'
import { sql, sqlOfAll, sqlOfMany } from '../../db/db.ts'
import { joinMoved } from '../../db/moves/moved.ts'
import type { Id } from '../../lib/ids.ts'
import { operator } from '../ledger/ledger.ts'

export type BusinessRow = { id: Id; name: string; created_at: Date }

export type StatusRow = { status: 'active' | 'suspended' | 'closed'; status_reason: string | null }

/** A business as the operator sees it. */
export type OperatedRow = BusinessRow & StatusRow & { status_at: Date | null }

export type KeyRow = {
  business_id: Id
  id: Id
  livemode: boolean
  hint: string
  name: string
  allow_ips: string[]
  scopes: KeyScope[]
  lifetime_ms: bigint | null
  /** The first key of its chain of rolls; null: this one. */
  root_id: Id | null
  /** The person who created it; null: the operator. */
  made_by: Id | null
  /** Other people who rolled or re-scoped this key or a predecessor, or created a predecessor. */
  changed_by: Id[]
  created_at: Date
  expires_at: Date | null
  revoked_at: Date | null
  last_used_at: Date | null
  last_used_from: string | null
}

const keyFields = [
  'business_id',
  'id',
  'livemode',
  'hint',
  'name',
  'allow_ips',
  'scopes',
  'lifetime_ms',
  'created_at',
].concat([
  'expires_at',
  'revoked_at',
  'last_used_at',
  'last_used_from',
  'root_id',
  'made_by',
  'changed_by',
])
const keyColumns = keyFields.join(', ')

export const insertBusiness = sqlOfAll(
  'businesses.insert',
  'insert into businesses (id, name, created_at) values ($1, $2, $3)',
)

const operatedColumns = 'id, name, created_at, status, status_reason, status_at'

/** By id or name, newest first, after a cursor or by page. */
export const selectOperated = sqlOfAll<OperatedRow>(
  'businesses.select_operated',
  `select ${operatedColumns} from businesses
    where id <> '${operator}' and ($1::text is null or id = $1 or position(lower($1) in lower(name)) > 0)
      and ($2::text is null or status = $2) and ($3::text is null or id < $3)
    order by id desc limit $4 offset $5`,
)

export const countOperated = sqlOfAll<{ count: bigint }>(
  'businesses.count_operated',
  `select count(*) as count from businesses
    where id <> '${operator}' and ($1::text is null or id = $1 or position(lower($1) in lower(name)) > 0)
      and ($2::text is null or status = $2)`,
)

export const selectBusiness = sqlOfAll<OperatedRow>(
  'businesses.select_one',
  `select ${operatedColumns} from businesses where id = $1 and id <> '${operator}'`,
)

export const lockBusiness = sqlOfAll<OperatedRow>(
  'businesses.lock_one',
  `select ${operatedColumns} from businesses where id = $1 and id <> '${operator}' for no key update`,
)

/**
 * Shares the standing of businesses until the transaction ends; a change of standing takes it
 * exclusively. Advisory locks are granted in the order of requests, so a busy business cannot delay
 * its suspension. Locks in id order, to avoid deadlocks.
 */
export const shareStandings = sqlOfMany(
  'businesses.share_standings',
  `select count(pg_advisory_xact_lock_shared(hashtextextended('standing ' || id, 0))::text)
     from unnest($1::text[]) as id`,
)

export const takeStanding = sqlOfMany(
  'businesses.take_standing',
  `select pg_advisory_xact_lock(hashtextextended('standing ' || $1::text, 0))`,
)

export const selectStopped = sqlOfMany<StatusRow & { id: Id }>(
  'businesses.select_stopped',
  `select id, status, status_reason from businesses where id = any($1::text[]) and status <> 'active'`,
)

export const updateStatus = sqlOfAll<OperatedRow>(
  'businesses.update_status',
  `update businesses set status = $2, status_reason = $3, status_at = $4 where id = $1 returning ${operatedColumns}`,
)

export const selectBusinesses = sqlOfAll<BusinessRow>(
  'businesses.select',
  `select id, name, created_at from businesses where id <> '${operator}' order by created_at, id`,
)

export const insertKey = sql<KeyRow>(
  'businesses.insert_key',
  `insert into api_keys (business_id, livemode, id, key_hash, hint, name, allow_ips, scopes, lifetime_ms, created_at, expires_at,
                         root_id, made_by, changed_by)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)
   returning ${keyColumns}`,
)

export const selectKeys = sqlOfMany<KeyRow>(
  'businesses.select_keys',
  `select ${keyColumns} from api_keys where business_id = $1 order by created_at, id`,
)

export const selectKey = sql<KeyRow>(
  'businesses.select_key',
  `select ${keyColumns} from api_keys where business_id = $1 and livemode = $2 and id = $3`,
)

/**
 * Looks keys up by hash, which identifies the business. The limit and the parentheses keep one
 * generic plan, as in `readByIds` (`db/table.ts`).
 */
export const selectKeysByHash = sqlOfAll<
  KeyRow &
    StatusRow & {
      asker: number
      offset_ms: bigint | null
      emptied: number | null
      moved_to: string | null
    }
>(
  'businesses.select_keys_by_hash',
  `select asked.asker::integer, found.*
     from unnest((select $1::bytea[])) with ordinality as asked (key_hash, asker)
    cross join lateral
          (select ${keyFields.map((field) => `k.${field}`).join(', ')}, b.status, b.status_reason,
                  c.offset_ms, c.emptied, moved.letter as moved_to
             from api_keys k
             join businesses b on b.id = k.business_id
             left join test_clocks c on c.business_id = k.business_id and not k.livemode
             ${joinMoved('k.business_id')}
            where k.key_hash = asked.key_hash
            limit 1) found`,
)

/** For the operator, who names a key without its business. */
export const selectKeyOwners = sqlOfAll<{ business_id: Id }>(
  'businesses.select_key_owners',
  'select business_id from api_keys where id = $1',
)

export const lockKey = sqlOfMany<KeyRow>(
  'businesses.lock_key',
  `select ${keyColumns} from api_keys where business_id = $1 and id = $2 for no key update`,
)

/** Locks the scopes of a key: concurrent changes wait for the transaction. */
export const holdKey = sql<Pick<KeyRow, 'scopes'>>(
  'businesses.hold_key',
  `select scopes from api_keys
    where business_id = $1 and livemode = $2 and id = $3 and revoked_at is null and (expires_at is null or expires_at > $4)
      for share`,
)

export const revokeKey = sqlOfMany<KeyRow>(
  'businesses.revoke_key',
  `update api_keys set revoked_at = coalesce(revoked_at, $3) where business_id = $1 and id = $2 returning ${keyColumns}`,
)

export const changeScopes = sqlOfMany<KeyRow>(
  'businesses.change_scopes',
  `update api_keys set scopes = $3, changed_by = $4 where business_id = $1 and id = $2 and revoked_at is null returning ${keyColumns}`,
)

/** Skips keys that are being changed; their next use is recorded. */
export const recordUses = sqlOfMany(
  'businesses.record_uses',
  `with used as (
     select distinct on (business_id, id) business_id, id, at, address
       from unnest($1::text[], $2::text[], $3::timestamptz[], $4::text[]) as used (business_id, id, at, address)
      order by business_id, id, at desc
   ), free as (
     select k.business_id, k.id, used.at, used.address
       from api_keys k join used using (business_id, id)
        for no key update of k skip locked
   )
   update api_keys k set last_used_at = free.at, last_used_from = free.address
     from free
    where k.business_id = free.business_id and k.id = free.id and (k.last_used_at is null or k.last_used_at < free.at)`,
)

/**
 * A key without overlap is revoked and not only expired: a process with a slow clock would still
 * accept it.
 */
export const expireKey = sqlOfMany<KeyRow>(
  'businesses.expire_key',
  `update api_keys set expires_at = least(coalesce(expires_at, $3), $3), revoked_at = case when $3 <= $4 then $4 end
    where business_id = $1 and id = $2 and revoked_at is null and (expires_at is null or expires_at > $4)
   returning ${keyColumns}`,
)
