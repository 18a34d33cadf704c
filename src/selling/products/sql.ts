import { sql } from '../../db/db.ts'
import { bigint, boolean, columnsOf, json, nullable, type RowOf, table, text, time } from '../../db/table.ts'
import type { Id } from '../../lib/ids.ts'
import type { saleCurrencies } from './schema.ts'

export const products = table('products', {
  id: text<Id>(),
  name: text(),
  amount: bigint(),
  currency: text<(typeof saleCurrencies)[number]>(),
  description: nullable(text()),
  distribution_id: nullable(text<Id>()),
  active: boolean(),
  metadata: json<Record<string, unknown>>(),
  created_at: time(),
  updated_at: time(),
})
export type ProductRow = RowOf<typeof products>
export const columns = columnsOf(products)

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
