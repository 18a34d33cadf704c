/**
 * What nobody has confirmed of Bridge yet, each marked [U], in this one place. Bridge publishes its interface as pages to read; what is read here is their
 * samples' and no schema's, so that the first run with a real key settles it, and changes a line here.
 *
 * [U] beyond this file: the names of all fields that are read of wallets, external accounts, transfers, histories and events; that a wallet pays for a transfer
 * as soon as it is made; and that what Bridge charges is billed apart, so that what arrives is what was sent.
 */
import type { FailureReason } from '../rail.ts'
import { asObject, textOf } from '../values.ts'

type Said = { status: number; code: string; message: string }

/** [U] Requests each minute. No limit is published. */
export const perMinute = 300

/** [U] How it says that the wallet holds too little. */
export const isBalanceTooLow = ({ code, message }: Said): boolean =>
  /insufficient|not enough|balance/i.test(`${code} ${message}`)

/** [U] How it says that the customer may not do this yet. */
export const isNotEnabled = ({ code, message }: Said): boolean =>
  /endorsement|not_active|not active|kyc|under review/i.test(`${code} ${message}`)

/** [U] How it says that an external account is no more, or cannot be paid to. */
export const isNoExternalAccount = ({ code, message }: Said): boolean =>
  /external_account|external account/i.test(`${code} ${message}`)

/**
 * [U] How it says that a key of idempotency is used up, which is no refusal of what was taken under it. Documented is 422, for one that is older than a day or
 * came with another body, and none of its words: 422 is that, unless it says what else it is.
 */
export const isSpentKey = (said: Said): boolean =>
  /idempoten/i.test(`${said.code} ${said.message}`) ||
  (said.status === 422 && !isBalanceTooLow(said) && !isNotEnabled(said) && !isNoExternalAccount(said))

/** [U] How it says that an amount is too small or too large for the way of paying. */
export const isAboutAmount = ({ code, message }: Said): boolean =>
  /minimum|maximum|amount|limit/i.test(`${code} ${message}`)

/** [U] How it says that an external account is there already, and which it is; null where it does not say so. */
export const sameAccountIn = ({ code, body }: Said & { body: Record<string, unknown> }): string | null =>
  /duplicate/i.test(code) ? textOf(body.id) : null

/** [U] How it says that it knows no such transfer. */
export const isUnknownTransfer = ({ status }: Said): boolean => status === 404

/**
 * What each state of a transfer means. Those that are not here are not known. [U] That `undeliverable` and `canceled` are final, so that nobody is paid by them
 * any more. `error` is not: documented is that it waits for people at Bridge, after whom it may be paid all the same.
 */
export const transferStates: Readonly<Record<string, 'open' | 'stopped' | 'done' | 'back' | 'failed'>> = {
  ...{ awaiting_funds: 'open', in_review: 'open', funds_received: 'open', funds_scheduled: 'open' },
  ...{ payment_submitted: 'open', missing_return_policy: 'open', error: 'stopped', payment_processed: 'done' },
  ...{ returned: 'back', refund_in_flight: 'back', refund_failed: 'back', refunded: 'back' },
  ...{ canceled: 'failed', undeliverable: 'failed' },
}

/** [U] Those after which the money is Bridge's to give back, and not in the wallet again. */
export const isOwed = (state: unknown): boolean =>
  ['returned', 'refund_in_flight', 'refund_failed', 'undeliverable'].includes(String(state))

/** [U] Where a transfer says why it came back, and in which words: those of the banks' return codes. The first that fits counts. */
const reasons: readonly [RegExp, FailureReason][] = [
  [/R02|R03|R04|R13|R20|no account|account (number|closed)|invalid account|unable to locate/i, 'invalid_account'],
  [/R17|name|beneficiary/i, 'name_mismatch'],
  [/R16|frozen|R29|not authorized|refused/i, 'rejected'],
  [/limit/i, 'limit_exceeded'],
]
export function reasonIn(transfer: Record<string, unknown>): FailureReason {
  const details = asObject(transfer.return_details)
  const said = [details?.reason, details?.risk_rejection_reason, details?.code, transfer.return_reason, transfer.reason]
    .map(textOf)
    .filter((text) => text !== null)
    .join(' ')
  return reasons.find(([pattern]) => pattern.test(said))?.[1] ?? 'bank_unavailable'
}

/** [U] Which row of a wallet's history is money that came from outside: not what a transfer of ours brought back. */
export const isTopUp = (row: Record<string, unknown>): boolean =>
  asObject(row.destination)?.payment_rail === 'bridge_wallet' &&
  !['ach', 'ach_same_day', 'wire', 'bridge_wallet'].includes(String(asObject(row.source)?.payment_rail))

/** [U] Which webhooks are of transfers, and where they name theirs. */
export const transferIn = (event: Record<string, unknown>): { id: string | null; reference: string | null } | null =>
  event.event_category === 'transfer'
    ? { id: textOf(event.event_object_id), reference: textOf(asObject(event.event_object)?.client_reference_id) }
    : null

/** How long Bridge keeps what a key of idempotency was answered with: documented. */
export const keyLifeMs = 24 * 3_600_000
