import { sql } from '../../db/db.ts'
import type { Id } from '../../lib/ids.ts'
import type { Currency, WalletCurrency } from '../../lib/money.ts'
import type { StoredDestination } from '../../paying-out/destinations/destinations.ts'
import type { RefundStatus } from './states.ts'

/** Back to a card: the rail's charge, and what people know the card by. */
export type CardDestination = { charge: Id; brand: string; last4: string }

export type RefundRow = {
  id: Id
  livemode: boolean
  payment_id: Id
  reference: string | null
  amount: bigint
  currency: WalletCurrency
  reason: string | null
  method: 'card' | 'bank_transfer' | 'crypto'
  destination: StoredDestination | CardDestination
  rate: string
  destination_amount: bigint
  destination_currency: Currency
  automatic: boolean
  rail: string
  status: RefundStatus
  failure_reason: string | null
  provider_reference: string | null
  tx_hash: string | null
  transaction_id: Id
  metadata: Record<string, unknown>
  created_at: Date
  updated_at: Date
}

export const columns = `id, livemode, payment_id, reference, amount, currency, reason, method, destination, rate,
  destination_amount, destination_currency, automatic, rail, status, failure_reason, provider_reference, tx_hash,
  transaction_id, metadata, created_at, updated_at`

export const insertRefund = sql<RefundRow>(
  'refunds.insert',
  `insert into refunds (business_id, livemode, id, payment_id, reference, amount, currency, reason, method, destination, rate,
                        destination_amount, destination_currency, automatic, way, rail, status, transaction_id,
                        metadata, created_at, updated_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, 'initiated', $17, $18, $19, $19)
   on conflict (business_id, livemode, reference) do nothing
   returning ${columns}`,
)

export const selectRefund = sql<RefundRow>(
  'refunds.select',
  `select ${columns} from refunds where business_id = $1 and livemode = $2 and id = $3`,
)

export const lockRefund = sql<RefundRow>(
  'refunds.lock',
  `select ${columns} from refunds where business_id = $1 and livemode = $2 and id = $3 for no key update`,
)

export const selectInProgress = sql<{ id: Id }>(
  'refunds.select_in_progress',
  `select id from refunds
    where business_id = $1 and livemode = $2 and payment_id = $3 and status = 'initiated' limit 1`,
)

/** What refunds that have not failed took by each way. */
export const selectWaysUsed = sql<{ way: string; amount: bigint }>(
  'refunds.select_ways_used',
  `select way, sum(amount)::bigint as amount from refunds
    where business_id = $1 and livemode = $2 and payment_id = $3 and status <> 'failed' group by way`,
)

export const updateState = sql<RefundRow>(
  'refunds.update_state',
  `update refunds
      set status = $4, failure_reason = $5, provider_reference = coalesce($6, provider_reference),
          tx_hash = coalesce($7, tx_hash), updated_at = $8
    where business_id = $1 and livemode = $2 and id = $3
   returning ${columns}`,
)
