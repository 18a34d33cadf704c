import { sql } from '../../db/db.ts'
import { bigint, boolean, columnsOf, defaulted, json, nullable, type RowOf, table, text, time } from '../../db/table.ts'
import type { Id } from '../../lib/ids.ts'
import type { WalletCurrency } from '../../lib/money.ts'

export const collections = table('collections', {
  id: text<Id>(),
  slug: text(),
  name: text(),
  description: nullable(text()),
  currency: text<WalletCurrency>(),
  amount: nullable(bigint()),
  min_amount: nullable(bigint()),
  max_amount: nullable(bigint()),
  active: boolean(),
  redirect_url: nullable(text()),
  max_payments: nullable(bigint()),
  payments_count: defaulted(bigint()),
  places_held: defaulted(bigint()),
  amount_collected: defaulted(bigint()),
  canceled_at: nullable(time()),
  metadata: json<Record<string, unknown>>(),
  created_at: time(),
  updated_at: time(),
})
export type CollectionRow = RowOf<typeof collections>
export const columns = columnsOf(collections)

export const selectCollection = sql<CollectionRow>(
  'collections.select',
  `select ${columns} from collections where business_id = $1 and livemode = $2 and id = $3`,
)

export const lockCollection = sql<CollectionRow>(
  'collections.lock',
  `select ${columns} from collections where business_id = $1 and livemode = $2 and id = $3 for no key update`,
)

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
