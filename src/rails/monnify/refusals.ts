/**
 * Monnify's certain refusals and their meaning. All others are queried: code `99` means an unknown
 * outcome, and many texts of its error list end in "re-query the transaction".
 */

import type { CertainRefusal } from '../http/refusals.ts'
import type { AccountRefusal } from '../ports/bank-accounts.ts'
import type { FailureReason } from '../ports/rail.ts'

const page = 'developers.monnify.com/docs/error-codes (2026-11)'

/** Texts of the error list that demand a query, with any code. */
const unless =
  /timed out|delayed processing|not available|session id|invalid response code|malfunction|unable to complete|could not be processed|in progress/i

/**
 * `sent_before`: a transfer with this reference exists; its state counts. `same_again`: Monnify
 * accepts it two minutes later.
 */
export type PayoutRefusal =
  | FailureReason
  | 'sent_before'
  | 'same_again'
  | 'balance_too_low'
  | 'not_enabled'

/** Refusals of `POST /api/v2/disbursements/single`. */
export const payoutRefusals: readonly CertainRefusal<PayoutRefusal>[] = [
  {
    message: /does not belong to merchant/i,
    means: 'not_enabled',
    source: `${page}, by its text: the wallet of the settings is another's`,
  },
  {
    code: /^D07$/,
    means: 'same_again',
    source: `${page}. [U] whether a request with the same reference is refused so too`,
  },
  { code: /^D05$/, means: 'sent_before', source: page },
  { message: /reference already exist/i, means: 'sent_before', source: `${page}, by its text` },
  { code: /^D04$/, means: 'balance_too_low', source: page },
  { code: /^D06$/, means: 'not_enabled', source: page },
  { code: /^D03$/, unless, means: 'invalid_account', source: page },
  { code: /^D02$/, unless, means: 'rejected', source: `${page}: "treat as failed"` },
  {
    code: /^D01$/,
    message: /name mismatch/i,
    unless,
    means: 'name_mismatch',
    source: `${page}, code and text`,
  },
  {
    code: /^D01$/,
    message: /account number|account details|bank code|dormant|no credit/i,
    unless,
    means: 'invalid_account',
    source: `${page}, code and text`,
  },
  {
    code: /^D01$/,
    message: /limit|invalid amount/i,
    unless,
    means: 'limit_exceeded',
    source: `${page}, code and text`,
  },
  { code: /^D01$/, unless, means: 'rejected', source: `${page}: "treat as failed"` },
]

/**
 * Refusals of `POST /api/v2/bank-transfer/reserved-accounts`. `sent_before`: the customer has one.
 */
export const accountRefusals: readonly CertainRefusal<AccountRefusal | 'sent_before'>[] = [
  {
    message: /two accounts with the same reference/i,
    means: 'sent_before',
    source: `${page}, by its text; recorded with status 422 and code 99`,
  },
  { code: /^D06$/, means: 'not_enabled', source: page },
  { message: /invalid contract code/i, means: 'not_enabled', source: `${page}, by its text` },
  {
    message: /do not support virtual accounts/i,
    means: 'not_enabled',
    source: `${page}, by its text`,
  },
  {
    message: /\b(bvn|nin)\b/i,
    means: 'not_enabled',
    source: '[U] how it says that it wants an identity number, which it is not given',
  },
]
