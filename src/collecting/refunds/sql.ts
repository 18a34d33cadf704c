import type { KeptReview } from '../../core/review.ts'
import { sql, sqlOfAll } from '../../db/db.ts'
import { selectIdsByPart } from '../../db/lists/matches.ts'
import * as t from '../../db/table.ts'
import type { Id } from '../../lib/ids.ts'
import type { Currency, WalletCurrency } from '../../lib/money.ts'
import type { StoredDestination } from '../../platform/destinations/destinations.ts'
import type { FailureReason, Waits } from '../../rails/ports/rail.ts'
import type { RefundStatus } from './states.ts'

/**
 * Back to a card: the attempt that charged it, with the card's brand and last digits when known.
 */
type CardDestination = { charge: Id; brand: string | null; last4: string | null; chain?: never }
/**
 * Back to the account that sent a transfer: the transaction that booked it, and the known sender.
 */
type SenderDestination = { charge: Id; sender: Record<string, unknown>; chain?: never }
/** Back through the rail that received the money, without a payout. */
export type ChargeDestination = CardDestination | SenderDestination

export const refunds = t.table('refunds', {
  id: t.text<Id>(),
  payment_id: t.text<Id>(),
  customer_id: t.nullable(t.text<Id>()),
  email: t.nullable(t.text()),
  reference: t.nullable(t.text()),
  amount: t.bigint(),
  currency: t.text<WalletCurrency>(),
  reason: t.nullable(t.text()),
  method: t.text<'card' | 'bank_transfer' | 'crypto'>(),
  destination: t.json<StoredDestination | ChargeDestination>(),
  rate: t.text(),
  destination_amount: t.bigint(),
  destination_currency: t.text<Currency>(),
  automatic: t.boolean(),
  way: t.text(),
  rail: t.text(),
  status: t.text<RefundStatus>(),
  failure_reason: t.defaulted(t.nullable(t.text<FailureReason | 'canceled'>())),
  provider_reference: t.defaulted(t.nullable(t.text())),
  tx_hash: t.defaulted(t.nullable(t.text())),
  sent_at: t.defaulted(t.nullable(t.time())),
  submissions: t.defaulted(t.integer()),
  waits: t.defaulted(t.nullable(t.json<Waits>())),
  review: t.defaulted(t.nullable(t.json<KeptReview>())),
  payout_id: t.nullable(t.text<Id>()),
  transaction_id: t.text<Id>(),
  return_transaction_id: t.defaulted(t.nullable(t.text<Id>())),
  metadata: t.json<Record<string, unknown>>(),
  created_at: t.time(),
  updated_at: t.time(),
})
export type RefundRow = t.RowOf<typeof refunds>
export const columns = t.columnsOf(refunds)

export const selectRefund = t.byId(refunds)
export const lockRefund = t.byId(refunds, t.locked)

export const selectByPart = selectIdsByPart('refunds', "destination->>'account_number'")

export const selectByIds = sql<RefundRow>(
  'refunds.select_by_ids',
  `select ${columns} from refunds where business_id = $1 and livemode = $2 and id = any ($3::text[])`,
)

export const selectInProgress = sql<{ id: Id }>(
  'refunds.select_in_progress',
  `select id from refunds
    where business_id = $1 and livemode = $2 and payment_id = $3 and status = 'initiated' limit 1`,
)

export const selectIdsOfPayment = sql<{ id: Id }>(
  'refunds.select_ids_of_payment',
  `select id from refunds
    where business_id = $1 and livemode = $2 and payment_id = $3 order by created_at desc, id desc limit $4`,
)

/** Refunds of a payment that a rail returns, or has returned, to their source. */
export const selectNotified = sql<{ id: Id }>(
  'refunds.select_notified',
  `select id from refunds
    where business_id = $1 and livemode = $2 and payment_id = $3 and rail = $4
      and (status <> 'failed' or sent_at is not null) and jsonb_exists(destination, 'charge')
    order by id`,
)

/** The sum of a charge's refunds by the rail that charged it, unless they failed. */
export const sumOfCharge = sql<{ amount: bigint }>(
  'refunds.sum_of_charge',
  `select coalesce(sum(amount), 0)::bigint as amount from refunds
    where business_id = $1 and livemode = $2 and payment_id = $3 and destination ->> 'charge' = $4 and status <> 'failed'`,
)

/** The sums of refunds by source of funds, unless they failed. `way` is the source's key. */
export const selectRefundedBySource = sql<{ way: string; amount: bigint }>(
  'refunds.select_refunded_by_source',
  `select way, sum(amount)::bigint as amount from refunds
    where business_id = $1 and livemode = $2 and payment_id = $3 and status <> 'failed' group by way`,
)

/** Every business's open refunds at rails other than `$1`, for the operator. Without payouts. */
export const selectOpen = sqlOfAll<RefundRow & { business_id: Id; livemode: boolean }>(
  'refunds.select_open',
  `select business_id, livemode, ${columns} from refunds
    where status = 'initiated' and rail <> $1 and payout_id is null order by created_at, id`,
)
