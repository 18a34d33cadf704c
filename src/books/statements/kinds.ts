/** The names of posting kinds in statements and reports. */
import type { PostingKind } from '../ledger/ledger.ts'
import type { activityTypes } from './schema.ts'

export type ActivityType = (typeof activityTypes)[number]

/**
 * The statement type of each kind; null: not counted, because no wallet has it or screening holds
 * it.
 */
export const typeOf = {
  simulated_fund: 'simulated_fund',
  payout_hold: 'payout',
  payout_release: 'payout',
  payout_sent: 'payout',
  payout_fee: 'payout',
  payout_exchange: 'payout',
  payout_return: 'payout',
  payout_return_exchange: 'payout',
  deposit: 'deposit',
  deposit_fee: 'deposit',
  deposit_exchange: 'deposit',
  deposit_held: null,
  deposit_held_exchange: null,
  deposit_released: null,
  deposit_released_exchange: null,
  refund_hold: 'refund',
  refund_release: 'refund',
  refund_sent: 'refund',
  refund_exchange: 'refund',
  refund_return: 'refund',
  refund_return_exchange: 'refund',
  share_accrual: 'share',
  share_return: 'share',
  share_settlement: 'share',
  dust: 'deposit',
  dust_cents: 'deposit',
  conversion: 'conversion',
  conversion_fee: 'conversion',
  dispute_hold: 'dispute',
  dispute_release: 'dispute',
  dispute_taken: 'dispute',
  dispute_withdrawn: null,
  dispute_reinstated: null,
  rail_fee: null,
  rail_fee_return: null,
  settlement: null,
  top_up: null,
  unclaimed: null,
  unclaimed_sent: null,
  unclaimed_returned: null,
} as const satisfies Record<PostingKind, ActivityType | null>
