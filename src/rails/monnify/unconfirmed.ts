/**
 * What nobody has confirmed of Monnify yet, each marked [U], in this one place. Monnify publishes its interface as pages to read
 * (https://developers.monnify.com); what is read here are their samples' fields and no schema's, so that the first run with a real key settles it,
 * and changes a line here.
 *
 * [U] beyond this file: the names of all fields that are read of transfers, wallets, statements and webhooks; that a wallet pays the amount and `totalFee`
 * as soon as a transfer is taken, and has both again of one that failed or came back; that a transfer is found by its reference as soon as it is taken;
 * the names of all fields that are read of reserved accounts and transactions; and that what payers paid is settled into the wallet, by `settlementAmount`.
 */
import type { FailureReason } from '../rail.ts'

type Said = { status: number; code: string; message: string }

/** [U] Requests each minute. No limit is published. */
export const perMinute = 300

/** [U] How it says that the wallet holds too little. */
export const isBalanceTooLow = ({ code, message }: Said): boolean =>
  /insufficient|not enough|balance/i.test(`${code} ${message}`)

/** D06 where the server's address is not on Monnify's list: documented. [U] How else it says that the operator may not pay out. */
export const isNotEnabled = ({ code, message }: Said): boolean =>
  code === 'D06' || /whitelist|not (enabled|activated|permitted|allowed)/i.test(message)

/**
 * D07 where the same amount went to the same account within two minutes: documented. [U] Whether it is said of a request with the same reference too: whoever
 * refuses for now is asked whether that is so.
 */
export const isSameAgain = ({ code }: Said): boolean => code === 'D07'
/** How long D07 is said for, and a little more. */
export const sameAgainMs = 125_000

/** [U] How it says that it has a transfer of this reference. */
export const isDuplicateReference = (said: Said): boolean =>
  !isSameAgain(said) && /duplicate|already exist|same reference/i.test(said.message)

/** [U] How it says that it knows no such transfer. */
export const isUnknownReference = ({ status, message }: Said): boolean =>
  status === 404 || /not found|does not exist|could not find|no transaction/i.test(message)

/** [U] How it says that a customer has a reserved account already. */
export const isDuplicateAccount = ({ message }: Said): boolean =>
  /reserved|reference/i.test(message) && /already|exist|duplicate/i.test(message)

/** [U] How it says that it wants a customer's BVN or NIN, which it is not told. */
export const needsIdentity = ({ message }: Said): boolean => /\b(bvn|nin)\b/i.test(message)

/** [U] Which bank gives reserved accounts where nobody says: Moniepoint, Monnify's own. */
export const usualBank = '50515'

/** The webhook of a payment: documented. */
export const paidEvent = 'SUCCESSFUL_TRANSACTION'

/** [U] Which rows of a wallet's statement are settlements of payments, and where they have their reference. */
export const settlementIn = (row: Record<string, unknown>): string | null =>
  row.transactionType === 'CREDIT' ? (/settlement\s+(\S+)/i.exec(String(row.narration ?? ''))?.[1] ?? null) : null

/** [U] How it says that nobody has this account. */
export const isUnknownAccount = ({ message }: Said): boolean => /account/i.test(message)

/** [U] How it says that an amount is too small or too large. */
export const isAboutAmount = ({ message }: Said): boolean => /amount|limit|minimum|maximum/i.test(message)

/**
 * What each status of a transfer means: documented. `code`: it waits for a code that Monnify has sent to the operator by mail. Those that are not here are not
 * known. [U] That `EXPIRED` is final, so that nobody is paid by it any more.
 */
export const transferStates: Readonly<Record<string, 'open' | 'code' | 'done' | 'back' | 'failed'>> = {
  ...{ PENDING: 'open', AWAITING_PROCESSING: 'open', IN_PROGRESS: 'open' },
  ...{ PENDING_AUTHORIZATION: 'code', OTP_EMAIL_DISPATCH_FAILED: 'code' },
  ...{ SUCCESS: 'done', COMPLETED: 'done', REVERSED: 'back', FAILED: 'failed', EXPIRED: 'failed' },
}

/** [U] Where a transfer says why it failed, and in which words. The first that fits counts. */
const reasons: readonly [RegExp, FailureReason][] = [
  [/name/i, 'name_mismatch'],
  [/account|beneficiary/i, 'invalid_account'],
  [/limit/i, 'limit_exceeded'],
  [/declin|reject|not permitted|fraud/i, 'rejected'],
]
export const reasonIn = (transfer: Record<string, unknown>): FailureReason =>
  reasons.find(([pattern]) => pattern.test(String(transfer.transactionDescription ?? '')))?.[1] ?? 'bank_unavailable'

/** [U] Which rows of a wallet's statement are money that came from outside: not what a transfer took or brought back. */
export const isTopUp = (row: Record<string, unknown>): boolean =>
  row.transactionType === 'CREDIT' && !/reversal|disbursement|settlement/i.test(String(row.narration ?? ''))

/** [U] Which rows are of transfers. */
export const isOfTransfer = (row: Record<string, unknown>): boolean =>
  /reversal|disbursement/i.test(String(row.narration ?? ''))

/** [U] Monnify writes times as ISO 8601 with an offset, `2022-11-03T14:13:38.140+0000`. */
export function timeIn(value: unknown): Date | null {
  const at = new Date(String(value ?? '').replace(/([+-]\d\d)(\d\d)$/, '$1:$2'))
  return Number.isNaN(at.getTime()) ? null : at
}

/** Webhooks of payouts: documented. */
export const isOfPayout = (type: string): boolean => /^(SUCCESSFUL|FAILED|REVERSED)_DISBURSEMENT$/.test(type)
