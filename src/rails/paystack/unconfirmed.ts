/**
 * Unconfirmed facts about Paystack, each marked [U], all in this file. The first run with real keys
 * confirms or corrects them here.
 */

import { asObject, textOf, wholeOf } from '../http/values.ts'
import type { AccountRefusal } from '../ports/bank-accounts.ts'
import type { DisputeAnswer } from '../ports/disputes.ts'
import type { TransferToApprove } from '../ports/inbound.ts'
import type { CardBrands } from '../ports/rail.ts'

/**
 * [U] Whether `x-ratelimit-reset` is in seconds from now, as documented; a time of day would be
 * larger than this.
 */
export const mostResetSeconds = 3_600

/**
 * [U] The highest fee of a transfer, stamp duty included, in kobo: the balance must cover it beyond
 * the amount.
 */
export const mostTransferFee = 10_000n

/**
 * [U] How long a payer may use a hosted page: `least`, so that paying is possible at all; `most`,
 * because it may expire.
 */
export const pageMs = { least: 900_000, most: 3_600_000 }
/**
 * [U] How long afterwards Paystack may still report a payment, before its `failed` and `abandoned`
 * are final.
 */
export const pageGraceMs = 3_600_000

/** [U] Reasons of declined cards, which are free text. The first match counts. */
export const declinePatterns = [
  [/insufficient/i, 'insufficient_funds'],
  [/expired/i, 'expired_card'],
  [/cvv|cvc/i, 'incorrect_cvc'],
  [/fraud|stolen|lost/i, 'fraudulent'],
  [/3d|otp|\bpin\b|authenti/i, 'challenge_failed'],
  [/time-?out|switch|system/i, 'processing_error'],
] as const
/** [U] Meanings of Paystack's failure reasons, which are free text. The first match counts. */
export const failurePatterns = [
  [/account/i, 'invalid_account'],
  [/name/i, 'name_mismatch'],
  [/limit/i, 'limit_exceeded'],
] as const

/**
 * [U] Whether a history row about a refund has no id: 1 was seen in its place
 * (nanafox/paystack_sdk, test API of 2026-10-09, one row). Both are read.
 */
export const isNameless = ({ model_row }: { model_row?: unknown }): boolean =>
  (wholeOf(model_row) ?? 0n) <= 1n

/** [U] How the balance's history marks the operator's deposits. */
export const isTopUp = (row: { model_responsible?: unknown; reason?: unknown }): boolean =>
  /top.?up|fund|deposit/i.test(`${row.model_responsible ?? ''} ${row.reason ?? ''}`)

/** [U] How `POST /customer/{code}/identification` says that the customer is already verified. */
export const isIdentified = ({ code, message }: { code: string; message: string }): boolean =>
  code === 'customer_already_validated' || /already (validated|identified)/i.test(message)

/** [U] How Paystack says that a dedicated account does not exist any more. */
export const isUnknownAccountId = ({
  status,
  message,
}: {
  status: number
  message: string
}): boolean => status === 404 || /account not found/i.test(message)

/**
 * [U] The shortest and longest life of a one-time account in milliseconds; Paystack's answer
 * decides.
 */
export const accountLifeMs = { least: 15 * 60_000, most: 8 * 3_600_000 } as const

/**
 * [U] Meanings of refusals of an account or a customer. Only `feature_unavailable` was recorded.
 */
const refusalPatterns: [RegExp, AccountRefusal][] = [
  [/limit/i, 'limit_reached'],
  [
    /not (been )?(identified|validated|verified)|customer_not_identified|identification/i,
    'identity_required',
  ],
  [/not available|not enabled|unavailable|feature/i, 'not_enabled'],
  [/(first|last) name|phone/i, 'customer_incomplete'],
]
export const refusalOf = ({ code, message }: { code: string; message: string }): AccountRefusal =>
  refusalPatterns.find(([pattern]) => pattern.test(`${code} ${message}`))?.[1] ?? 'rejected'

/**
 * [U] The body of a signed request to approve a transfer: assumed to be the transfer as in
 * `verify`, bare or as an event's `data`. A transfer without all of it is not approved.
 * @throws {Error} that names the present fields without their values, so that the first run shows
 * what to read instead
 */
export function askedIn(body: unknown, mode: 'live' | 'test'): TransferToApprove {
  const outer = asObject(body) ?? {}
  const data = asObject(outer.data) ?? outer
  const recipient = asObject(data.recipient) ?? {}
  const details = asObject(recipient.details) ?? {}
  const reference = textOf(data.reference)
  const amount = wholeOf(data.amount)
  const [accountNumber, bankCode] = [textOf(details.account_number), textOf(details.bank_code)]
  if (data.domain !== undefined && data.domain !== mode) throw new Error('it is of another mode')
  if (data.currency !== 'NGN') throw new Error('it is in another currency')
  if (reference !== null && amount !== null && accountNumber !== null && bankCode !== null)
    return { reference, amount, currency: 'ngn', accountNumber, bankCode }
  const names = [outer, data, recipient, details].map((one) =>
    Object.keys(one)
      .join(' ')
      .replace(/[^\w .-]/g, ''),
  )
  throw new Error(
    `it does not say what is to be paid to whom; it has: ${names.join(' / ').slice(0, 1_000)}`,
  )
}

/**
 * [U] How a closed dispute says whose the money is: `declined` means that the merchant's rejection
 * stood. One archived without a resolution counts as lost, so that a person releases its hold.
 */
export function disputeStateOf({ status, resolution }: { status?: unknown; resolution?: unknown }) {
  if (status !== 'resolved' && status !== 'archived') return 'open'
  return resolution === 'declined' ? 'won' : 'lost'
}

/** [U] Which statuses say that Paystack has an answer: after a decline, the bank decides. */
export const isAnsweredDispute = ({ status }: { status?: unknown }): boolean =>
  ['awaiting-bank-feedback', 'resolved', 'archived'].includes(String(status))

/** [U] What the address for a file is asked with, and the type that the file is sent with. */
export const uploadedName = 'evidence.pdf'
export const uploadType = 'application/pdf'

/** [U] That a declined dispute gives nothing back, and how long its message may be. */
export const resolutionOf = ({ accepts, amount, texts }: DisputeAnswer) =>
  accepts
    ? {
        resolution: 'merchant-accepted',
        message: 'The merchant accepts the dispute.',
        refund_amount: Number(amount),
      }
    : {
        resolution: 'declined',
        message: (texts.explanation ?? '').slice(0, 1_000),
        refund_amount: 0,
      }

/** [U] Cards that every account accepts; others need an agreement with Paystack. */
export const cardBrands: CardBrands = { ngn: ['visa', 'mastercard', 'verve'] }
