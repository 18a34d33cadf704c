/**
 * Unconfirmed facts about Monnify, each marked [U], in this file; `confirmed.ts` and `refusals.ts`
 * have the confirmed ones. The first run with a real key confirms or corrects them here.
 *
 * [U] beyond this file: the field names of the wallet's statement; a wallet pays the amount and the
 * fee when a transfer is accepted, and gets both back from a failed or returned one; a transfer is
 * found by its reference as soon as it is accepted; payments are settled into the wallet, by
 * `settlementAmount`.
 */
import type { FailureReason } from '../ports/rail.ts'
import { whyIn } from './confirmed.ts'

/** [U] Requests per minute. No limit is published. */
export const perMinute = 300

/** [U] The default bank of reserved accounts: Moniepoint, Monnify's own. */
export const usualBank = '50515'

/**
 * [U] Possible settlement references in a statement row; no such row was recorded. A reference
 * looks like that in Monnify's sample of the webhook `SETTLEMENT`, `LB8HG1PNZT4ATJGZXQBY`, or
 * follows the word. Monnify's list of its payments confirms it.
 */
export function settlementsIn(row: Record<string, unknown>): string[] {
  if (row.transactionType !== 'CREDIT') return []
  const narration = String(row.narration ?? '')
  const named = /settlement\s+(\S+)/i.exec(narration)?.[1]
  return [
    ...(named === undefined ? [] : [named]),
    ...(narration.match(/\b(?=[A-Z0-9]*[A-Z])[A-Z0-9]{20}\b/g) ?? []),
  ]
}

/**
 * [U] The meaning of a failed transfer's text: the error list has them, without a status. The first
 * match counts.
 */
const reasons: readonly [RegExp, FailureReason][] = [
  [/not available|response code/i, 'bank_unavailable'],
  [/name/i, 'name_mismatch'],
  [/limit/i, 'limit_exceeded'],
  [/declin|reject|not permitted|fraud/i, 'rejected'],
  [/account|beneficiary|bank code/i, 'invalid_account'],
]
export const reasonIn = (transfer: Record<string, unknown>): FailureReason =>
  reasons.find(([pattern]) => pattern.test(whyIn(transfer)))?.[1] ?? 'bank_unavailable'

/** [U] Whether a statement row is money from outside: not a debit or credit of a transfer. */
export const isTopUp = (row: Record<string, unknown>): boolean =>
  row.transactionType === 'CREDIT' &&
  !/reversal|disbursement|settlement/i.test(String(row.narration ?? ''))

/** [U] Whether a row is of a transfer. */
export const isOfTransfer = (row: Record<string, unknown>): boolean =>
  /reversal|disbursement/i.test(String(row.narration ?? ''))
