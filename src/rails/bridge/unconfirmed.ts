/**
 * Unconfirmed facts about Bridge, each marked [U], in this file, and in `refusals.ts` the lines
 * whose source says so. The first run with a real key confirms or corrects them here. Names of
 * fields and states are those of Bridge's pages, read on 2026-11-28.
 *
 * [U] beyond these: a wallet pays for a transfer when it is created; and Bridge bills its fees
 * separately, so the sent amount arrives.
 */

import { asObject, textOf } from '../http/values.ts'
import type { FailureReason } from '../ports/rail.ts'

/** [U] Requests per minute. No limit is published. */
export const perMinute = 300

/**
 * The meaning of a transfer's state; others are unknown. [U] That `undeliverable` and `canceled`
 * are final, so that they pay no money later. `error` is not: documented is that it waits for
 * people at Bridge, who may still pay it.
 */
export const transferStates: Readonly<
  Record<string, 'open' | 'stopped' | 'done' | 'back' | 'failed'>
> = {
  // Seen only in samples.
  pending: 'open',
  awaiting_funds: 'open',
  in_review: 'open',
  funds_received: 'open',
  funds_scheduled: 'open',
  payment_submitted: 'open',
  missing_return_policy: 'open',
  error: 'stopped',
  payment_processed: 'done',
  returned: 'back',
  refund_in_flight: 'back',
  refund_failed: 'back',
  refunded: 'back',
  canceled: 'failed',
  undeliverable: 'failed',
}

/** [U] States after which Bridge owes the money, because it is not in the wallet again. */
export const isOwed = (state: unknown): boolean =>
  ['returned', 'refund_in_flight', 'refund_failed', 'undeliverable'].includes(String(state))

/**
 * [U] Why a transfer was returned, by the words of the banks' return codes. The first match counts.
 */
const reasons: readonly [RegExp, FailureReason][] = [
  [
    /R02|R03|R04|R13|R20|no account|account (number|closed)|invalid account|unable to locate/i,
    'invalid_account',
  ],
  [/R17|name|beneficiary/i, 'name_mismatch'],
  [/R16|frozen|R29|not authorized|refused/i, 'rejected'],
  [/limit/i, 'limit_exceeded'],
]
export function reasonIn(transfer: Record<string, unknown>): FailureReason {
  const details = asObject(transfer.return_details)
  const said = [
    details?.reason,
    details?.risk_rejection_reason,
    details?.code,
    transfer.return_reason,
    transfer.reason,
  ]
    .map(textOf)
    .filter((text) => text !== null)
    .join(' ')
  return reasons.find(([pattern]) => pattern.test(said))?.[1] ?? 'bank_unavailable'
}

/** [U] Whether a history row is money from outside, not a credit from a transfer of ours. */
export const isTopUp = (row: Record<string, unknown>): boolean =>
  asObject(row.destination)?.payment_rail === 'bridge_wallet' &&
  !['ach', 'ach_same_day', 'wire', 'bridge_wallet'].includes(
    String(asObject(row.source)?.payment_rail),
  )
