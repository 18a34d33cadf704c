import { replanned, rowsOf, sqlOfAll, sqlOfMany } from '../../db/db.ts'
import { sealedColumn } from '../../db/sealed.ts'
import type { Id } from '../../lib/ids.ts'

/** A customer of any business. */
export type Whose = { business_id: Id; livemode: boolean; customer_id: Id }

export const ownerOf = ({
  business_id,
  livemode,
  customer_id,
}: Record<keyof Whose, unknown>): string => [business_id, livemode, customer_id].join()

export const sealedKeys = sealedColumn({
  table: 'customer_keys',
  column: 'key',
  key: ['customer_id'],
  purpose: 'customer key',
  ownerOf,
})

/** A customer keeps its one key. */
export const insertKeys = sqlOfMany(
  'customer_keys.insert',
  `insert into customer_keys (business_id, livemode, customer_id, key, created_at)
   ${rowsOf('business_id text, livemode boolean, customer_id text, key bytea, created_at timestamptz')}
   on conflict (business_id, livemode, customer_id) do nothing`,
)

export const selectKeys = replanned(
  sqlOfMany<Whose & { key: Buffer | null }>(
    'customer_keys.select',
    `select k.business_id, k.livemode, k.customer_id, k.key
       from ${rowsOf('business_id text, livemode boolean, customer_id text')} as asked
       join customer_keys k using (business_id, livemode, customer_id)`,
  ),
)

export const destroyKey = sqlOfMany(
  'customer_keys.destroy',
  `insert into customer_keys as known (business_id, livemode, customer_id, key, created_at, destroyed_at, payments)
   values ($1, $2, $3, null, $4, $4, $5)
   on conflict (business_id, livemode, customer_id) do update
     set key = null, destroyed_at = coalesce(known.destroyed_at, excluded.destroyed_at),
           payments = known.payments || excluded.payments`,
)

/** The result for the next erased customer's events; null: none is waiting. */
export const eraseFromEvents = sqlOfAll<{ erased: (Whose & { rewritten: number }) | null }>(
  'customer_keys.erase_from_events',
  'select erase_from_events() as erased',
)

export const endRewriting = sqlOfMany(
  'customer_keys.end_rewriting',
  'update customer_keys set at_work = null, rewritten_at = $4 where business_id = $1 and livemode = $2 and customer_id = $3',
)

/** Queues a customer's events for another rewrite. */
export const rewriteAgain = sqlOfMany(
  'customer_keys.rewrite_again',
  `update customer_keys set rewritten_at = null
    where business_id = $1 and livemode = $2 and customer_id = $3 and destroyed_at is not null`,
)
