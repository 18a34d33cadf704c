/**
 * What the SDKs call the operations of `/openapi.json`, and which of its 64-bit integers are money.
 * Both tables are total: `model.test.ts` fails for an operation, or an integer, that stands in
 * neither.
 */

/**
 * The name of each operation: its resource and its method, in camelCase. Printers spell them as
 * their language does.
 */
export { sdkNames as names } from '../../src/web/docs/sdk-names.ts'

/**
 * The 64-bit integers that are amounts, by the names of their fields and parameters: in minor units
 * of a currency.
 */
export const amounts: ReadonlySet<string> = new Set(
  `amount amount_collected amount_confirming amount_due amount_paid amount_received amount_refunded available balance_after balance_change collect_amount discount
   destination_amount fee fees flat_amount gross held in left max_amount min_amount needed net net_amount next_amount out rest subtotal taken tax total
   opening closing pending accrued settled keep minimum maximum approve_above approve_above_daily max_payout max_daily sent_today
   refuse_above refuse_above_daily destination_daily max_destination_daily paid_out_today`.split(
    /\s+/,
  ),
)

/**
 * Those that are not: numbers of things, places in lists, milliseconds and such. They stay below
 * 2^53.
 */
export const counts: ReadonlySet<string> = new Set(
  `totalDocs page totalPages nextPage prevPage count payments_count max_payments quantity number recovered
   block_number confirmations chain_id duration_ms offset_ms
   refuse_above_daily_count destination_daily_count max_daily_count max_destination_daily_count payouts_today today last_7_days last_30_days`.split(
    /\s+/,
  ),
)
