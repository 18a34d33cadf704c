import { sql } from '../../db/db.ts'
import * as t from '../../db/table.ts'
import type { Id } from '../../lib/ids.ts'
import type { WalletCurrency } from '../../lib/money.ts'

export const collections = t.table('collections', {
  id: t.text<Id>(),
  slug: t.text(),
  name: t.text(),
  description: t.nullable(t.text()),
  currency: t.text<WalletCurrency>(),
  amount: t.nullable(t.bigint()),
  min_amount: t.nullable(t.bigint()),
  max_amount: t.nullable(t.bigint()),
  active: t.boolean(),
  redirect_url: t.nullable(t.text()),
  max_payments: t.nullable(t.bigint()),
  payments_count: t.defaulted(t.bigint()),
  places_held: t.defaulted(t.bigint()),
  amount_collected: t.defaulted(t.bigint()),
  canceled_at: t.nullable(t.time()),
  metadata: t.json<Record<string, unknown>>(),
  created_at: t.time(),
  updated_at: t.time(),
})
export type CollectionRow = t.RowOf<typeof collections>
export const columns = t.columnsOf(collections)

export const selectCollection = t.byId(collections)
export const lockCollection = t.byId(collections, t.locked)

/** Takes a place, if there is one: the statement that keeps `max_payments`. */
export const takePlace = sql<{ id: Id }>(
  'collections.take_place',
  `update collections set places_held = places_held + 1
    where business_id = $1 and livemode = $2 and id = $3 and active
      and (max_payments is null or payments_count + places_held < max_payments)
   returning id`,
)

export const releasePlace = sql(
  'collections.release_place',
  'update collections set places_held = places_held - 1 where business_id = $1 and livemode = $2 and id = $3',
)

export const countPayment = sql<CollectionRow>(
  'collections.count_payment',
  `update collections
      set places_held = places_held - 1, payments_count = payments_count + 1, amount_collected = amount_collected + $4,
          updated_at = $5
    where business_id = $1 and livemode = $2 and id = $3
   returning ${columns}`,
)

export const addSurplus = sql(
  'collections.add_surplus',
  `update collections set amount_collected = amount_collected + $4, updated_at = $5
    where business_id = $1 and livemode = $2 and id = $3`,
)
