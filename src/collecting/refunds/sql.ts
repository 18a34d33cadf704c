import { sql } from '../../db/db.ts'
import { bigint, boolean, columnsOf, defaulted, json, nullable, type RowOf, table, text, time } from '../../db/table.ts'
import type { Id } from '../../lib/ids.ts'
import type { Currency, WalletCurrency } from '../../lib/money.ts'
import type { StoredDestination } from '../../paying-out/destinations/destinations.ts'
import type { FailureReason } from '../../rails/rail.ts'
import type { RefundStatus } from './states.ts'

/** Back to a card: the rail's charge, and what people know the card by. */
export type CardDestination = { charge: Id; brand: string; last4: string; chain?: never }

export const refunds = table('refunds', {
  id: text<Id>(),
  payment_id: text<Id>(),
  reference: nullable(text()),
  amount: bigint(),
  currency: text<WalletCurrency>(),
  reason: nullable(text()),
  method: text<'card' | 'bank_transfer' | 'crypto'>(),
  destination: json<StoredDestination | CardDestination>(),
  rate: text(),
  destination_amount: bigint(),
  destination_currency: text<Currency>(),
  automatic: boolean(),
  way: text(),
  rail: text(),
  status: text<RefundStatus>(),
  failure_reason: defaulted(nullable(text<FailureReason>())),
  provider_reference: defaulted(nullable(text())),
  tx_hash: defaulted(nullable(text())),
  transaction_id: text<Id>(),
  metadata: json<Record<string, unknown>>(),
  created_at: time(),
  updated_at: time(),
})
export type RefundRow = RowOf<typeof refunds>
export const columns = columnsOf(refunds)

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

/** What refunds that have not failed took of each source of funds: `way` is its key. */
export const selectRefundedBySource = sql<{ way: string; amount: bigint }>(
  'refunds.select_refunded_by_source',
  `select way, sum(amount)::bigint as amount from refunds
    where business_id = $1 and livemode = $2 and payment_id = $3 and status <> 'failed' group by way`,
)
