import { sql } from '../../db/db.ts'
import type { Id } from '../../lib/ids.ts'
import type { WalletCurrency } from '../../lib/money.ts'

export type CollectionRow = {
  id: Id
  livemode: boolean
  slug: string
  name: string
  description: string | null
  currency: WalletCurrency
  amount: bigint | null
  min_amount: bigint | null
  max_amount: bigint | null
  active: boolean
  redirect_url: string | null
  max_payments: bigint | null
  payments_count: bigint
  places_held: bigint
  amount_collected: bigint
  canceled_at: Date | null
  metadata: Record<string, unknown>
  created_at: Date
  updated_at: Date
}

export const columns = `id, livemode, slug, name, description, currency, amount, min_amount, max_amount, active,
  redirect_url, max_payments, payments_count, places_held, amount_collected, canceled_at, metadata, created_at, updated_at`

export const insertCollection = sql<CollectionRow>(
  'collections.insert',
  `insert into collections (business_id, livemode, id, slug, name, description, currency, amount, min_amount, max_amount,
                            active, redirect_url, max_payments, metadata, created_at, updated_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, true, $11, $12, $13, $14, $14)
   returning ${columns}`,
)

export const selectCollection = sql<CollectionRow>(
  'collections.select',
  `select ${columns} from collections where business_id = $1 and livemode = $2 and id = $3`,
)

export const lockCollection = sql<CollectionRow>(
  'collections.lock',
  `select ${columns} from collections where business_id = $1 and livemode = $2 and id = $3 for no key update`,
)

export const updateCollection = sql<CollectionRow>(
  'collections.update',
  `update collections
      set name = $4, description = $5, amount = $6, min_amount = $7, max_amount = $8, active = $9, redirect_url = $10,
          max_payments = $11, canceled_at = $12, metadata = $13, updated_at = $14
    where business_id = $1 and livemode = $2 and id = $3
   returning ${columns}`,
)

/** Takes a place, if there is one: the statement that keeps `max_payments`. */
export const takePlace = sql<{ id: Id }>(
  'collections.take_place',
  `update collections set places_held = places_held + 1
    where business_id = $1 and livemode = $2 and id = $3 and active
      and (max_payments is null or payments_count + places_held < max_payments)
   returning id`,
)

export const givePlaceBack = sql(
  'collections.give_place_back',
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
