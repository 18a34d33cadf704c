import { sql } from '../../db/db.ts'
import type { Id } from '../../lib/ids.ts'

export type ProductRow = {
  id: Id
  livemode: boolean
  name: string
  amount: bigint
  currency: 'usd' | 'ngn' | 'eur'
  description: string | null
  distribution_id: Id | null
  active: boolean
  metadata: Record<string, unknown>
  created_at: Date
  updated_at: Date
}

export const columns =
  'id, livemode, name, amount, currency, description, distribution_id, active, metadata, created_at, updated_at'

export const insertProduct = sql<ProductRow>(
  'products.insert',
  `insert into products (business_id, livemode, id, name, amount, currency, description, distribution_id, active, metadata,
                         created_at, updated_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8, true, $9, $10, $10) returning ${columns}`,
)

export const selectProduct = sql<ProductRow>(
  'products.select',
  `select ${columns} from products where business_id = $1 and livemode = $2 and id = $3`,
)

export const selectProducts = sql<ProductRow>(
  'products.select_many',
  `select ${columns} from products where business_id = $1 and livemode = $2 and id = any($3)`,
)

export const lockProduct = sql<ProductRow>(
  'products.lock',
  `select ${columns} from products where business_id = $1 and livemode = $2 and id = $3 for no key update`,
)

export const updateProduct = sql<ProductRow>(
  'products.update',
  `update products
      set name = $4, amount = $5, description = $6, distribution_id = $7, active = $8, metadata = $9, updated_at = $10
    where business_id = $1 and livemode = $2 and id = $3 returning ${columns}`,
)
