import { sqlOfAll } from '../../db/db.ts'
import type { Id } from '../../lib/ids.ts'

export type OperatorKeyRow = {
  id: Id
  hint: string
  name: string
  made_by: string | null
  reviews: boolean
  created_at: Date
  revoked_at: Date | null
  last_used_at: Date | null
  last_used_from: string | null
}

/** A person's current email address. */
const maker = 'coalesce((select email from persons where persons.id = made_by), made_by) as made_by'
const columns = `id, hint, name, ${maker}, reviews, created_at, revoked_at, last_used_at, last_used_from`

export const insertKey = sqlOfAll<OperatorKeyRow>(
  'operator.insert_key',
  `insert into operator_keys (id, key_hash, hint, name, made_by, reviews, created_at) values ($1, $2, $3, $4, $5, $6, $7)
   returning ${columns}`,
)

export const selectKeyByHash = sqlOfAll<OperatorKeyRow>(
  'operator.select_key_by_hash',
  `select ${columns} from operator_keys where key_hash = $1`,
)

export const selectKeys = sqlOfAll<OperatorKeyRow>(
  'operator.select_keys',
  `select ${columns} from operator_keys order by id desc`,
)

export const lockKey = sqlOfAll<OperatorKeyRow>(
  'operator.lock_key',
  `select ${columns} from operator_keys where id = $1 for no key update`,
)

export const revokeKey = sqlOfAll<OperatorKeyRow>(
  'operator.revoke_key',
  `update operator_keys set revoked_at = $2 where id = $1 returning ${columns}`,
)

export const recordUse = sqlOfAll(
  'operator.record_use',
  'update operator_keys set last_used_at = $2, last_used_from = $3 where id = $1',
)
