/**
 * Pending loosenings. The lock of the subject (team or wallets) also protects its loosening, but an
 * owner's removal cancels all with only the team locked. So each change deletes the row first and
 * continues only if it existed.
 */
import { sqlOfMany } from '../../db/db.ts'
import type { Id } from '../../lib/ids.ts'
import type { Maker } from './makers.ts'

export type LooseningSubject = 'limits' | 'second_factor'

/** A pending loosening. */
export type Loosening = {
  id: Id
  subject: LooseningSubject
  /** The new values by field name. */
  change: Record<string, unknown>
  made_by: Maker & { address: string }
  created_at: Date
  takes_effect_at: Date
}

export const selectLoosening = sqlOfMany<Loosening>(
  'loosenings.select',
  `select id, subject, change, made_by, created_at, takes_effect_at from loosenings where business_id = $1 and subject = $2`,
)

export const insertLoosening = sqlOfMany(
  'loosenings.insert',
  `insert into loosenings (business_id, subject, id, change, made_by, created_at, takes_effect_at)
   values ($1, $2, $3, $4::jsonb, $5::jsonb, $6, $7)`,
)

export const updateLoosening = sqlOfMany(
  'loosenings.update',
  'update loosenings set change = $3::jsonb where business_id = $1 and id = $2',
)

/** No row: it has ended meanwhile. */
export const deleteLoosening = sqlOfMany<{ id: Id }>(
  'loosenings.delete',
  'delete from loosenings where business_id = $1 and id = $2 returning id',
)

export const selectOwnerRemoved = sqlOfMany<{ owner_removed_at: Date | null }>(
  'loosenings.select_owner_removed',
  'select owner_removed_at from businesses where id = $1',
)

export const updateOwnerRemoved = sqlOfMany(
  'loosenings.update_owner_removed',
  'update businesses set owner_removed_at = $2 where id = $1',
)
