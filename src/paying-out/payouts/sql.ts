import type { Fee, PayoutMethod } from '../../books/pricing/pricing.ts'
import { replanned, rowsOf, sql } from '../../db/db.ts'
import type { Id } from '../../lib/ids.ts'
import type { Currency, WalletCurrency } from '../../lib/money.ts'
import type { FailureReason } from '../../rails/rail.ts'
import type { StoredDestination } from '../destinations/destinations.ts'
import type { PayoutStatus } from './states.ts'

type Priced = {
  amount: bigint
  currency: WalletCurrency
  method: PayoutMethod
  destination: StoredDestination
  fee: bigint
  fee_breakdown: { type: Fee['type']; amount: number }[]
  rate: string
  destination_amount: bigint
  destination_currency: Currency
}

export type QuoteRow = Priced & {
  id: Id
  livemode: boolean
  status: 'open' | 'expired'
  created_at: Date
  expires_at: Date
}

export type PayoutRow = Priced & {
  id: Id
  livemode: boolean
  reference: string
  quote_id: Id | null
  description: string | null
  warnings: { code: string; message: string }[]
  rail: string
  status: PayoutStatus
  failure_reason: FailureReason | null
  provider_reference: string | null
  tx_hash: string | null
  transaction_id: Id
  metadata: Record<string, unknown>
  created_at: Date
  updated_at: Date
}

const pricedColumns =
  'amount, currency, method, destination, fee, fee_breakdown, rate, destination_amount, destination_currency'

export const columns = `id, livemode, reference, ${pricedColumns}, quote_id, description, warnings, rail, status,
  failure_reason, provider_reference, tx_hash, transaction_id, metadata, created_at, updated_at`

export const insertQuote = sql<QuoteRow>(
  'payouts.insert_quote',
  `insert into payout_quotes (business_id, livemode, id, ${pricedColumns}, created_at, expires_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)
   returning id, livemode, ${pricedColumns}, status, created_at, expires_at`,
)

export const selectQuote = sql<QuoteRow>(
  'payouts.select_quote',
  `select id, livemode, ${pricedColumns}, status, created_at, expires_at
     from payout_quotes where business_id = $1 and livemode = $2 and id = $3`,
)

export const expireQuote = sql(
  'payouts.expire_quote',
  `update payout_quotes set status = 'expired'
    where business_id = $1 and livemode = $2 and id = $3 and expires_at <= $4`,
)

export const insertPayouts = sql(
  'payouts.insert',
  `insert into payouts (business_id, livemode, id, reference, ${pricedColumns}, quote_id, description, warnings, rail,
                        transaction_id, metadata, created_at, status, updated_at)
   select *, 'pending', created_at
     from ${rowsOf(`business_id text, livemode boolean, id text, reference text, amount bigint, currency text, method text,
                    destination jsonb, fee bigint, fee_breakdown jsonb, rate text, destination_amount bigint,
                    destination_currency text, quote_id text, description text, warnings jsonb, rail text,
                    transaction_id text, metadata jsonb, created_at timestamptz`)} as new`,
)

/** Which of some references are taken, by their places in the list. */
export const selectTaken = replanned(
  sql<{ position: bigint }>(
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

export const updateState = sql<PayoutRow>(
  'payouts.update_state',
  `update payouts
      set status = $4, failure_reason = $5, provider_reference = coalesce($6, provider_reference),
          tx_hash = coalesce($7, tx_hash), updated_at = $8
    where business_id = $1 and livemode = $2 and id = $3
   returning ${columns}`,
)
