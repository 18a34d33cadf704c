/**
 * The kinds of accounts and of movements.
 */
import type { Currency, TokenUnit } from '../../lib/money.ts'

/**
 * What an account is for. `subject` distinguishes accounts of one purpose, such as the rail of a
 * clearing account.
 */
export type Purpose =
  | 'wallet_available'
  | 'wallet_pending'
  | 'fees'
  | 'share'
  | 'dust'
  | 'unclaimed'
  | 'disputes'
  | 'rail_clearing'
  | 'rail_fees'
  | 'operator_bank'
  | 'exchange'
export type AccountKey = { purpose: Purpose; currency: Currency | TokenUnit; subject?: string }

/** Why money moved. */
export type PostingKind =
  | 'simulated_fund'
  | 'payout_hold'
  | 'payout_release'
  | 'payout_sent'
  | 'payout_fee'
  | 'payout_exchange'
  | 'payout_return'
  | 'payout_return_exchange'
  | 'deposit'
  | 'deposit_fee'
  | 'deposit_exchange'
  | 'deposit_held'
  | 'deposit_held_exchange'
  | 'deposit_released'
  | 'deposit_released_exchange'
  | 'refund_hold'
  | 'refund_release'
  | 'refund_sent'
  | 'refund_exchange'
  | 'refund_return'
  | 'refund_return_exchange'
  | 'share_accrual'
  | 'share_return'
  | 'share_settlement'
  | 'dust'
  | 'dust_cents'
  | 'conversion'
  | 'conversion_fee'
  | 'dispute_hold'
  | 'dispute_release'
  | 'dispute_taken'
  | 'dispute_withdrawn'
  | 'dispute_reinstated'
  | 'rail_fee'
  | 'rail_fee_return'
  | 'settlement'
  | 'top_up'
  | 'unclaimed'
  | 'unclaimed_sent'
  | 'unclaimed_returned'
