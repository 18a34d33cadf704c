/**
 * What Paystack's refusals mean. A refusal that no line of these tables fits is certain of nothing:
 * its order is asked about.
 *
 * Sources, for short: GEM is nanafox/paystack_sdk, whose README and specs have answers of the test
 * API of 2026-10-08 and 2026-10-09. VCR is darthrighteous/paystack-gateway, cassettes of the test
 * API of 2024-11. SPEC is PaystackOSS/openapi, DOC PaystackOSS/doc-code-snippets of 2026-02-23.
 * "Clients" are clients by others that handle a sentence of the live API.
 */

import type { CertainRefusal, Refusal } from '../http/refusals.ts'
import { isTransient } from '../http/refusals.ts'

/** Refusals of `POST /transfer` after which nothing was sent. */
export const payoutRefusals: readonly CertainRefusal<
  'no_recipient' | 'balance_too_low' | 'not_enabled'
>[] = [
  {
    code: /^invalid_transfer_recipient$/,
    means: 'no_recipient',
    source: '[U] the published list of codes',
  },
  {
    status: [400],
    message: /balance is not enough/i,
    means: 'balance_too_low',
    source:
      'DOC, and clients: "Your balance is not enough to fulfil this request"; its code is open',
  },
  {
    status: [400, 403],
    message: /third party payouts/i,
    means: 'not_enabled',
    source:
      'clients, 2026-08: "You cannot initiate third party payouts as a starter business"; its status is open',
  },
]

/**
 * Refusals of `POST /transferrecipient`, of which nothing is ever sent, that are about the account
 * itself.
 */
export const recipientRefusals: readonly CertainRefusal<'invalid_account'>[] = [
  {
    code: /^invalid_(bank_code|account_number)$/,
    means: 'invalid_account',
    source: 'GEM, of look-ups; [U] here',
  },
  {
    message: /account number is invalid|(could not|cannot) resolve account/i,
    means: 'invalid_account',
    source: 'GEM, of look-ups; clients',
  },
]

/** Refusals of `POST /refund` after which nothing was given back by it; an earlier try may have. */
export const refundRefusals: readonly CertainRefusal<'balance_too_low' | 'rejected'>[] = [
  {
    status: [400],
    message: /balance is not enough/i,
    means: 'balance_too_low',
    source: '[U] the sentence of transfers',
  },
  { status: [400], code: /^transaction_not_found$/, means: 'rejected', source: 'GEM' },
  {
    status: [400],
    code: /^refund_amount_exceeds_transaction_amount$/,
    means: 'rejected',
    source: 'GEM',
  },
  {
    status: [400],
    code: /^transaction_reversed$/,
    means: 'rejected',
    source: 'clients that record it with "Transaction has been fully reversed"',
  },
]

type UntypedRefusal = Omit<Refusal, 'type'>

/**
 * Whether `POST /transfer` says that the reference is taken, so that the transfer may have been
 * made. Clients, with both.
 */
export const isDuplicate = ({ code, message }: Omit<UntypedRefusal, 'status'>): boolean =>
  code === 'duplicate_transfer_reference' ||
  /unique reference|reference already exists/i.test(message)

/**
 * Whether `verify` has never taken the reference of a transfer. DOC has 404; 400 was seen of
 * transactions.
 */
export const isUnknownTransfer = ({ status, code, message }: UntypedRefusal): boolean =>
  (status === 404 || status === 400) &&
  (code === 'transfer_not_found' || /transfer not found/i.test(message))

/**
 * Whether a business of this kind may pay nobody: what a 403 with this sentence is about is not the
 * key.
 */
export const isStarter = ({ message }: Pick<UntypedRefusal, 'message'>): boolean =>
  /starter business/i.test(message)

/**
 * Whether there is no such account: 422 with the first sentence (clients), 400 with the second for
 * a number of wrong form (GEM).
 */
export const isUnknownAccount = ({ message }: Pick<UntypedRefusal, 'message'>): boolean =>
  /could not resolve|account number is invalid/i.test(message) && !isTransient({ message })

/** Whether the reference of a transaction is taken. SPEC. */
export const isDuplicateTransaction = ({
  code,
  message,
}: Omit<UntypedRefusal, 'status'>): boolean =>
  code === 'duplicate_reference' || /duplicate transaction reference/i.test(message)

/**
 * Whether there is no such transaction: clients have both statuses; GEM has the code, of refunds.
 */
export const isUnknownTransaction = ({ status, code, message }: UntypedRefusal): boolean =>
  (status === 404 || status === 400) &&
  (code === 'transaction_not_found' || /reference not found/i.test(message))

/**
 * Whether there is no such customer, as of another integration: GEM of reading one; VCR, 400, of
 * opening an account for one.
 */
export const isUnknownCustomer = ({ status, code, message }: UntypedRefusal): boolean =>
  status === 404 ||
  code === 'customer_not_found' ||
  /customer not found/i.test(message) ||
  (code === 'invalid_params' && /parameter "?customer"?/i.test(message))

/**
 * Whether a business has no dedicated accounts: every call about them answers 403 with this code,
 * reading ones too. GEM.
 */
export const isFeatureOff = ({ code }: Pick<UntypedRefusal, 'code'>): boolean =>
  code === 'feature_unavailable'

/** Whether there is nothing of a number: 404 of refunds, settlements and disputes. GEM. */
export const isNotFound = ({ status }: Pick<UntypedRefusal, 'status'>): boolean => status === 404
