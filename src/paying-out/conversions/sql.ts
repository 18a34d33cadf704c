import type { RateSource } from '../../core/pricing.ts'
import { sql } from '../../db/db.ts'
import * as t from '../../db/table.ts'
import type { Id } from '../../lib/ids.ts'
import type { WalletCurrency } from '../../lib/money.ts'

const price = {
  amount: t.bigint(),
  currency: t.text<WalletCurrency>(),
  fee: t.bigint(),
  fee_breakdown: t.json<{ type: 'fx'; amount: bigint }[]>(),
  rate: t.text(),
  rate_source: t.text<RateSource>(),
  rate_fetched_at: t.nullable(t.time()),
  rate_valid_until: t.nullable(t.time()),
  destination_amount: t.bigint(),
  destination_currency: t.text<WalletCurrency>(),
}

export const quotes = t.table('conversion_quotes', {
  id: t.text<Id>(),
  ...price,
  created_at: t.time(),
  expires_at: t.time(),
})
export type QuoteRow = t.RowOf<typeof quotes>
export const selectQuote = t.byId(quotes)
export const lockQuote = t.byId(quotes, t.locked)

export const conversions = t.table('conversions', {
  id: t.text<Id>(),
  quote_id: t.text<Id>(),
  reference: t.nullable(t.text()),
  ...price,
  transaction_id: t.text<Id>(),
  destination_transaction_id: t.text<Id>(),
  metadata: t.json<Record<string, unknown>>(),
  created_at: t.time(),
  updated_at: t.time(),
})
export type ConversionRow = t.RowOf<typeof conversions>
const columns = t.columnsOf(conversions)

export const selectConversion = t.byId(conversions)

export const selectOfQuote = sql<ConversionRow>(
  'conversions.select_of_quote',
  `select ${columns} from conversions where business_id = $1 and livemode = $2 and quote_id = $3`,
)
