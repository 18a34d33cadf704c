import { sql } from '../../db/db.ts'
import * as t from '../../db/table.ts'
import type { Id } from '../../lib/ids.ts'
import type { saleCurrencies } from './schema.ts'

export const products = t.table('products', {
  id: t.text<Id>(),
  name: t.text(),
  amount: t.bigint(),
  currency: t.text<(typeof saleCurrencies)[number]>(),
  description: t.nullable(t.text()),
  distribution_id: t.nullable(t.text<Id>()),
  tax_rate_bps: t.nullable(t.integer()),
  tax_inclusive: t.boolean(),
  active: t.boolean(),
  metadata: t.json<Record<string, unknown>>(),
  created_at: t.time(),
  updated_at: t.time(),
})
export type ProductRow = t.RowOf<typeof products>
const columns = t.columnsOf(products)

export const selectProduct = t.byId(products)

export const selectProducts = sql<ProductRow>(
  'products.select_many',
  `select ${columns} from products where business_id = $1 and livemode = $2 and id = any($3)`,
)

export const lockProduct = t.byId(products, t.locked)
