/**
 * Stripe's certain refusals, which did nothing, and their meaning. API v2 distinguishes them by
 * `type`; the code names the case. All others are uncertain, and their requests are queried.
 */
import type { CertainRefusal } from '../http/refusals.ts'

const library =
  'stripe (npm) 23.1.0: generateV2Error, @throws of outboundPayments.create and outboundSetupIntents.create'
const codes2025 =
  'changelog of API v2, 2025-06-30: docs.stripe.com/changelog, CHANGELOG of stripe-go'
const setupCodes =
  'https://docs.stripe.com/changelog/clover/2026-01-28/outbound-setup-intents-error-codes'
const java = 'https://stripe.dev/stripe-java/com/stripe/exception/package-summary.html'
const thirdParty = '[U] the error table of the create call, as a third party read it on 2026-09-27'

/**
 * `account_not_enabled` concerns the account, and so all its payouts; `payee_not_enabled` and
 * `payee_limit` concern one payee. `recipient_gone`: Stripe no longer has the recipient, and may
 * create a new one.
 */
export type PayoutRefusal =
  | 'balance_too_low'
  | 'account_not_enabled'
  | 'payee_not_enabled'
  | 'payee_limit'
  | 'rate_limited'
  | 'recipient_gone'
  | 'invalid_account'
  | 'limit_exceeded'
  | 'rejected'

/** Refusals of a payment (`POST /v2/money_management/outbound_payments`). */
export const payoutRefusals: readonly CertainRefusal<PayoutRefusal>[] = [
  { type: /^insufficient_funds$/, means: 'balance_too_low', source: library },
  { code: /^insufficient_funds$/, means: 'balance_too_low', source: codes2025 },
  { code: /^recipient_(amount|count)_limit_exceeded$/, means: 'payee_limit', source: codes2025 },
  // If the code names no payee, each payout waits by itself.
  { type: /^quota_exceeded$/, means: 'payee_limit', source: library },
  { code: /^recipient_feature_not_active$/, means: 'payee_not_enabled', source: codes2025 },
  {
    code: /^storer_capability_(missing|not_active)$/,
    means: 'account_not_enabled',
    source: codes2025,
  },
  { type: /^(feature|capability)_not_enabled$/, means: 'account_not_enabled', source: library },
  { type: /^financial_account_not_open$/, means: 'account_not_enabled', source: library },
  {
    code: /^financial_address_creation_required$/,
    means: 'account_not_enabled',
    source: 'https://docs.stripe.com/changelog/basil/2025-07-30/add-financial-address-requirement',
  },
  { type: /^rate_limit$/, means: 'rate_limited', source: library },
  { type: /^blocked_by_stripe$/, means: 'rejected', source: java },
  { type: /^recipient_not_notifiable$/, means: 'rejected', source: java },
  {
    code: /^(payout_method_archived|to_recipient_not_found)$/,
    means: 'recipient_gone',
    source: thirdParty,
  },
  {
    code: /^(payout_method_(disabled|expired|invalid|unusable|unsupported_currency)|account_not_configured_as_recipient)$/,
    means: 'invalid_account',
    source: thirdParty,
  },
  { type: /^invalid_payout_method$/, means: 'invalid_account', source: java },
  { code: /^outbound_payment_not_allowed$/, means: 'payee_not_enabled', source: thirdParty },
  {
    code: /^amount_too_(small|large)_for_(payout_method|selected_delivery_option)$/,
    means: 'limit_exceeded',
    source: thirdParty,
  },
  { code: /^outbound_payment_cannot_be_processed$/, means: 'rejected', source: thirdParty },
  { status: [400], code: /^invalid_fields$/, means: 'rejected', source: library },
]

export type RecipientRefusal =
  | 'account_not_enabled'
  | 'payee_limit'
  | 'rate_limited'
  | 'invalid_account'

/**
 * Refusals of a recipient or its bank account (`POST /v2/core/accounts`,
 * `/v2/money_management/outbound_setup_intents`).
 */
export const recipientRefusals: readonly CertainRefusal<RecipientRefusal>[] = [
  { code: /^limit_payout_method$/, means: 'payee_limit', source: setupCodes },
  { type: /^quota_exceeded$/, means: 'payee_limit', source: library },
  { type: /^(feature|capability)_not_enabled$/, means: 'account_not_enabled', source: library },
  { type: /^rate_limit$/, means: 'rate_limited', source: library },
  {
    code: /^(blocked|unsupported|invalid)_payout_method$/,
    means: 'invalid_account',
    source: setupCodes,
  },
  {
    type: /^(blocked_by_stripe|invalid_payout_method)$/,
    means: 'invalid_account',
    source: library,
  },
  {
    type: /^cannot_proceed$/,
    code: /^(incompatible|unsupported)_payout_method_currency$/,
    means: 'invalid_account',
    source: 'CHANGELOG of stripe-go: error codes of CannotProceedError',
  },
  { status: [400], code: /^invalid_fields$/, means: 'invalid_account', source: library },
]

export type RefundRefusal = 'balance_too_low' | 'rejected'

/** Refusals of a refund (`POST /v1/refunds`), which API v1 distinguishes by code. */
export const refundRefusals: readonly CertainRefusal<RefundRefusal>[] = [
  {
    code: /^(balance_insufficient|insufficient_funds)$/,
    means: 'balance_too_low',
    source: 'https://docs.stripe.com/error-codes',
  },
  {
    type: /^invalid_request_error$/,
    means: 'rejected',
    source: 'https://docs.stripe.com/api/errors',
  },
]
