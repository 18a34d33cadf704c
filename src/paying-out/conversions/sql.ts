import type { RateSource } from '../../core/pricing.ts'
import { sql, sqlOfAll } from '../../db/db.ts'
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

// For the operator ---------------------------------------------------------------------------------------------------

/** One conversion into a limited currency at a time, whoever's it is. */
export const lockLimit = sqlOfAll<{ max_short: bigint }>(
  'conversions.lock_limit',
  'select max_short from exchange_limits where livemode = $1 and currency = $2 for update',
)

/** What of a currency all businesses' exchanges have left. */
export const selectPosition = sqlOfAll<{ balance: bigint }>(
  'conversions.select_position',
  `select coalesce(sum(balance), 0)::bigint as balance from ledger_accounts
    where livemode = $1 and currency = $2 and purpose = 'exchange'`,
)

export const selectPositions = sqlOfAll<{
  livemode: boolean
  currency: string
  balance: bigint
  max_short: bigint | null
}>(
  'conversions.select_positions',
  `select livemode, currency, coalesce(p.balance, 0)::bigint as balance, l.max_short
     from (select livemode, currency, sum(balance) as balance from ledger_accounts
            where purpose = 'exchange' and changed_at is not null group by 1, 2) p
     full join exchange_limits l using (livemode, currency)
    order by livemode desc, currency`,
)

export const upsertLimit = sqlOfAll(
  'conversions.upsert_limit',
  `insert into exchange_limits (livemode, currency, max_short, updated_at) values ($1, $2, $3, $4)
   on conflict (livemode, currency) do update set max_short = excluded.max_short, updated_at = excluded.updated_at`,
)
export const deleteLimit = sqlOfAll(
  'conversions.delete_limit',
  'delete from exchange_limits where livemode = $1 and currency = $2',
)
