/**
 * What nobody has confirmed of Monnify yet, each marked [U], in this one place; `confirmed.ts` and
 * `refusals.ts` have what pages and recorded answers settle. The first run with a real key settles
 * the rest, and changes a line here.
 *
 * [U] beyond this file: the names of the fields that are read of the wallet's statement; that a
 * wallet pays the amount and the fee as soon as a transfer is taken, and has both again of one that
 * failed or came back; that a transfer is found by its reference as soon as it is taken; and that
 * what payers paid is settled into the wallet, by `settlementAmount`.
 */
import type { FailureReason } from '../ports/rail.ts'
import { whyIn } from './confirmed.ts'

/** [U] Requests each minute. No limit is published. */
export const perMinute = 300

/** [U] Which bank gives reserved accounts where nobody says: Moniepoint, Monnify's own. */
export const usualBank = '50515'

/**
 * [U] What may be the reference of a settlement in a row of the wallet's statement: no words of
 * such rows were recorded. A reference has the form of that in Monnify's sample of the webhook
 * `SETTLEMENT`, `LB8HG1PNZT4ATJGZXQBY`, or follows the word. Which of them is one, Monnify's list
 * of its payments says.
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
 * [U] What each text of a failed transfer means: its list of errors has them, but not with which
 * status. The first that fits counts.
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

/**
 * [U] Which rows of a wallet's statement are money that came from outside: not what a transfer took
 * or brought back.
 */
export const isTopUp = (row: Record<string, unknown>): boolean =>
  row.transactionType === 'CREDIT' &&
  !/reversal|disbursement|settlement/i.test(String(row.narration ?? ''))

/** [U] Which rows are of transfers. */
export const isOfTransfer = (row: Record<string, unknown>): boolean =>
  /reversal|disbursement/i.test(String(row.narration ?? ''))
