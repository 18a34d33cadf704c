/**
 * Unconfirmed facts about Stripe's API, each marked [U], all in this file. The first run with real
 * keys confirms or corrects them here.
 *
 * [U] beyond this file: a recipient needs no more than a name, a country and an email address; its
 * bank account is created under `Stripe-Context`; how much of a financial account's balance a
 * payment takes as Stripe's fee; a payment confirmed with a large enough cash balance succeeds at
 * once; `reconciliation_mode` of a cash balance can be set when its customer is created.
 */
import type { Stripe } from 'stripe'
import type { CardBrands, DeclineReason, FailureReason } from '../ports/rail.ts'

type Refusal = { status: number; code: string; message: string }

/** [U] Whether Stripe says that the account may not open accounts for customers yet. */
export const isNotEnabled = ({ code, message }: Refusal): boolean =>
  /not_enabled|not enabled|feature|capability|restricted_account|not_allowed/i.test(
    `${code} ${message}`,
  )

/** Whether Stripe has nothing with an id: documented, `resource_missing`. */
export const isUnknown = ({ status, code }: Refusal): boolean =>
  status === 404 || code === 'resource_missing'

type FailedFor = Stripe.V2.MoneyManagement.OutboundPayment.StatusDetails.Failed.Reason
type ReturnedFor = Stripe.V2.MoneyManagement.OutboundPayment.StatusDetails.Returned.Reason

/** Why a payment failed or was returned, by Stripe's words, which its library lists. */
const reasons: Record<string, FailureReason> = {
  payout_method_does_not_exist: 'invalid_account',
  payout_method_closed: 'invalid_account',
  payout_method_invalid_account_number: 'invalid_account',
  payout_method_restricted: 'invalid_account',
  payout_method_expired: 'invalid_account',
  payout_method_unsupported: 'invalid_account',
  payout_method_currency_unsupported: 'invalid_account',
  payout_method_canceled_by_customer: 'rejected',
  payout_method_holder_name_incorrect: 'name_mismatch',
  payout_method_holder_details_incorrect: 'name_mismatch',
  payout_method_holder_address_incorrect: 'name_mismatch',
  payout_method_amount_limit_exceeded: 'limit_exceeded',
  payout_method_usage_frequency_limit_exceeded: 'limit_exceeded',
  payout_method_declined: 'rejected',
  review_rejected: 'rejected',
  recalled: 'rejected',
  fx_rate_drift_exceeded_after_review: 'rejected',
} satisfies Partial<Record<FailedFor | ReturnedFor, FailureReason>>

export const reasonOf = (said: unknown): FailureReason => reasons[String(said)] ?? 'unknown'

/** [U] The highest fee of a payment, in cents: the balance must cover it beyond the amount. */
export const mostFee = 150n

/** [U] The longest delay of a list. */
export const listLagMs = 3_600_000

type Category = Stripe.V2.MoneyManagement.TransactionEntry.TransactionDetails.Category

/**
 * [U] Balance entries by category: money from outside, money to the operator's own bank, or a
 * payment, which is listed separately.
 */
const categories: Record<string, 'top_up' | 'to_bank' | 'payment'> = {
  received_credit: 'top_up',
  inbound_transfer: 'top_up',
  outbound_transfer: 'to_bank',
  outbound_payment: 'payment',
  outbound_payment_reversal: 'payment',
} satisfies Partial<Record<Category, 'top_up' | 'to_bank' | 'payment'>>

export const whatOf = (category: unknown): 'top_up' | 'to_bank' | 'payment' | 'other' =>
  categories[String(category)] ?? 'other'

/** [U] Cards that every account accepts. */
export const cardBrands: CardBrands = { usd: ['visa', 'mastercard', 'amex'] }

/**
 * Why a card was declined: https://docs.stripe.com/declines/codes, and the related error codes. Any
 * other is `declined`.
 */
const declines: Record<string, DeclineReason> = {
  insufficient_funds: 'insufficient_funds',
  withdrawal_count_limit_exceeded: 'insufficient_funds',
  expired_card: 'expired_card',
  incorrect_cvc: 'incorrect_cvc',
  invalid_cvc: 'incorrect_cvc',
  fraudulent: 'fraudulent',
  lost_card: 'fraudulent',
  stolen_card: 'fraudulent',
  pickup_card: 'fraudulent',
  merchant_blacklist: 'fraudulent',
  security_violation: 'fraudulent',
  authentication_required: 'challenge_failed',
  payment_intent_authentication_failure: 'challenge_failed',
  processing_error: 'processing_error',
  issuer_not_available: 'processing_error',
  try_again_later: 'processing_error',
  reenter_transaction: 'processing_error',
}

/** @param code of the error, used if there is no decline code */
export const declineOf = (declineCode: string | null, code: string | null): DeclineReason =>
  declines[declineCode ?? ''] ?? declines[code ?? ''] ?? 'declined'
