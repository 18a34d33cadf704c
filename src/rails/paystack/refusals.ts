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

/** Refusals of `POST /transfer` that certainly sent nothing. */
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

/** Refusals of `POST /transferrecipient` about the account itself. This call never sends money. */
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

/** Refusals of `POST /refund` that refunded nothing; an earlier try may have. */
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
 * Whether `POST /transfer` refuses a used reference, so that the transfer may exist. Clients, with
 * both.
 */
export const isDuplicate = ({ code, message }: Omit<UntypedRefusal, 'status'>): boolean =>
  code === 'duplicate_transfer_reference' ||
  /unique reference|reference already exists/i.test(message)

/**
 * Whether `verify` does not know a transfer's reference. DOC has 404; 400 was seen for
 * transactions.
 */
export const isUnknownTransfer = ({ status, code, message }: UntypedRefusal): boolean =>
  (status === 404 || status === 400) &&
  (code === 'transfer_not_found' || /transfer not found/i.test(message))

/** Whether a 403 is about a business that may not pay third parties, and not about the key. */
export const isStarter = ({ message }: Pick<UntypedRefusal, 'message'>): boolean =>
  /starter business/i.test(message)

/**
 * Whether the account does not exist: 422 with the first sentence (clients), 400 with the second
 * for a malformed number (GEM).
 */
export const isUnknownAccount = ({ message }: Pick<UntypedRefusal, 'message'>): boolean =>
  /could not resolve|account number is invalid/i.test(message) && !isTransient({ message })

/** Whether a transaction's reference is used. SPEC. */
export const isDuplicateTransaction = ({
  code,
  message,
}: Omit<UntypedRefusal, 'status'>): boolean =>
  code === 'duplicate_reference' || /duplicate transaction reference/i.test(message)

/**
 * Whether the transaction does not exist: clients have both statuses; GEM has the code, for
 * refunds.
 */
export const isUnknownTransaction = ({ status, code, message }: UntypedRefusal): boolean =>
  (status === 404 || status === 400) &&
  (code === 'transaction_not_found' || /reference not found/i.test(message))

/**
 * Whether the customer does not exist, or belongs to another integration: GEM when read; VCR, 400,
 * when opening its account.
 */
export const isUnknownCustomer = ({ status, code, message }: UntypedRefusal): boolean =>
  status === 404 ||
  code === 'customer_not_found' ||
  /customer not found/i.test(message) ||
  (code === 'invalid_params' && /parameter "?customer"?/i.test(message))

/**
 * Whether a business has no dedicated accounts: every call about them answers 403 with this code,
 * reads included. GEM.
 */
export const isFeatureOff = ({ code }: Pick<UntypedRefusal, 'code'>): boolean =>
  code === 'feature_unavailable'

/** Whether an id has no record: 404 of refunds, settlements and disputes. GEM. */
export const isNotFound = ({ status }: Pick<UntypedRefusal, 'status'>): boolean => status === 404
