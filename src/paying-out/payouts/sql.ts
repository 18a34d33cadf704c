import type { Fee, PayoutMethod } from '../../core/pricing.ts'
import { replanned, sql, sqlOfMany } from '../../db/db.ts'
import { bigint, columnsOf, defaulted, json, nullable, type RowOf, table, text, time } from '../../db/table.ts'
import type { Id } from '../../lib/ids.ts'
import type { Currency, WalletCurrency } from '../../lib/money.ts'
import type { FailureReason } from '../../rails/rail.ts'
import type { StoredDestination, Warning } from '../destinations/destinations.ts'
import type { PayoutStatus } from './states.ts'

/** What a quote locks, and a payout keeps. Amounts in JSON come back as numbers. */
const priced = {
  amount: bigint(),
  currency: text<WalletCurrency>(),
  method: text<PayoutMethod>(),
  destination: json<StoredDestination>(),
  fee: bigint(),
  fee_breakdown: json<{ type: Fee['type']; amount: bigint | number }[]>(),
  rate: text(),
  destination_amount: bigint(),
  destination_currency: text<Currency>(),
}

export const quotes = table('payout_quotes', {
  id: text<Id>(),
  ...priced,
  status: defaulted(text<'open' | 'expired'>()),
  created_at: time(),
  expires_at: time(),
})

export const payouts = table('payouts', {
  id: text<Id>(),
  reference: text(),
  ...priced,
  quote_id: nullable(text<Id>()),
  description: nullable(text()),
  warnings: json<Warning[]>(),
  rail: text(),
  status: text<PayoutStatus>(),
  failure_reason: defaulted(nullable(text<FailureReason>())),
  provider_reference: defaulted(nullable(text())),
  tx_hash: defaulted(nullable(text())),
  transaction_id: text<Id>(),
  metadata: json<Record<string, unknown>>(),
  created_at: time(),
  updated_at: time(),
})
export type PayoutRow = RowOf<typeof payouts>
export const columns = columnsOf(payouts)

export const selectQuote = sql<RowOf<typeof quotes>>(
  'payouts.select_quote',
  `select ${columnsOf(quotes)}
     from payout_quotes where business_id = $1 and livemode = $2 and id = $3`,
)

export const expireQuote = sql(
  'payouts.expire_quote',
  `update payout_quotes set status = 'expired'
    where business_id = $1 and livemode = $2 and id = $3 and expires_at <= $4`,
)

/** Which of some references are taken, by their places in the list. */
export const selectTaken = replanned(
  sqlOfMany<{ position: bigint }>(
    'payouts.select_taken',
    `select position
       from unnest($1::text[], $2::boolean[], $3::text[])
            with ordinality as wanted (business_id, livemode, reference, position)
      where (select true from payouts p
              where p.business_id = wanted.business_id and p.livemode = wanted.livemode
                and p.reference = wanted.reference)`,
  ),
)

export const selectByReference = sql<PayoutRow>(
  'payouts.select_by_reference',
  `select ${columns} from payouts where business_id = $1 and livemode = $2 and reference = $3`,
)

export const selectById = sql<PayoutRow>(
  'payouts.select_by_id',
  `select ${columns} from payouts where business_id = $1 and livemode = $2 and id = $3`,
)

export const lockById = sql<PayoutRow>(
  'payouts.lock_by_id',
  `select ${columns} from payouts where business_id = $1 and livemode = $2 and id = $3 for no key update`,
)
