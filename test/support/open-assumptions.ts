/** Which line of a check asks about what is in each provider's `unconfirmed.ts`, by the name that it is exported by. */
import type { PlaceName } from './assumptions.ts'

const dva = 'dedicated_account'
export const openAssumptions: Record<Exclude<PlaceName, 'stripe_cards'>, Record<string, string>> = {
  paystack: {
    ...{ accountLifeMs: 'one_time_account', askedIn: 'approvals', cardBrands: 'card_brands' },
    ...{ declinePatterns: 'declines', disputeStateOf: 'disputes', failurePatterns: 'transfer_failures' },
    ...{ isAboutAccount: 'recipient_at_no_bank', isBalanceTooLow: 'beyond_balance', isDisputeWon: 'disputes' },
    ...{ isDuplicate: 'duplicate_transfer', isDuplicateTransaction: 'duplicate_transaction' },
    ...{ isIdentified: 'identified_again', isIdentityFailure: 'identity_failure', isNameless: 'ledger_refund' },
    ...{ isNoRecipient: 'unknown_recipient', isNotEnabled: 'starter_business', isTopUp: 'top_ups' },
    ...{ isUnknownAccount: 'unknown_account', isUnknownAccountId: `unknown_${dva}` },
    ...{ isUnknownCustomer: 'unknown_customer', isUnknownTransaction: 'unknown_transaction' },
    ...{ isUnknownTransfer: 'unknown_transfer', ledgerModels: 'ledger_refund', mostResetSeconds: 'rate_limit_reset' },
    ...{ mostTransferFee: 'transfer_fee', noteIn: 'refund_list', noteOf: 'refund_list', pageGraceMs: 'page_life' },
    ...{ pageMs: 'page_life', refusalOf: 'account_refusals', requestIdHeaders: 'request_ids', timeIn: 'refund_list' },
  },
  monnify: {
    ...{ isAboutAmount: 'beyond_wallet', isBalanceTooLow: 'beyond_wallet', isDuplicateAccount: 'reserve_again' },
    ...{
      isDuplicateReference: 'duplicate_transfer',
      isNotEnabled: 'unlisted_address',
      isOfPayout: 'webhook_signature',
    },
    ...{
      isOfTransfer: 'transfer_rows',
      isSameAgain: 'same_again',
      isTopUp: 'top_ups',
      isUnknownAccount: 'account_name',
    },
    ...{ isUnknownReference: 'unknown_transfer', needsIdentity: 'reserve', paidEvent: 'webhook_signature' },
    ...{ perMinute: 'rate_limit', reasonIn: 'failure_words', sameAgainMs: 'same_again', settlementIn: 'settlements' },
    ...{ settlementsIn: 'settlements', timeIn: 'time_form', transferStates: 'expired', usualBank: 'reserve' },
  },
  dojah: { numberIn: 'bvn_number', lowWallet: 'price', perMinute: 'rate_limit' },
  bridge: {
    ...{ isAboutAmount: 'beyond_balance', isBalanceTooLow: 'beyond_balance', isOwed: 'returned_money' },
    ...{ isNoExternalAccount: 'unknown_external_account', isNotEnabled: 'account_refusals', isTopUp: 'top_ups' },
    ...{ isSpentKey: 'same_key_other_body', isUnknownTransfer: 'unknown_transfer', keyLifeMs: 'same_key_same_body' },
    ...{ perMinute: 'rate_limit', reasonIn: 'return_reasons', sameAccountIn: 'external_account' },
    ...{ transferIn: 'webhook_signature', transferStates: 'transfer_states' },
  },
  stripe: {
    ...{ cardBrands: 'card_brands', declineOf: 'declines', isAboutAmount: 'quota', isBalanceTooLow: 'beyond_balance' },
    ...{ isNoRecipient: 'recipient_without_capability', isNotEnabled: 'accounts_not_enabled' },
    ...{ isUnknown: 'unknown_payment', listLagMs: 'list_lag', mostFee: 'payment_fee', reasonOf: 'returns' },
    whatOf: 'entry_categories',
  },
}
