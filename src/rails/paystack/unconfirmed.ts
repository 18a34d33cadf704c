/**
 * What nobody has confirmed of Paystack yet, each marked [U], in this one place: the first run with
 * real keys settles it, and changes a line here.
 */

import { asObject, textOf, wholeOf } from '../http/values.ts'
import type { AccountRefusal } from '../ports/bank-accounts.ts'
import type { DisputeAnswer } from '../ports/disputes.ts'
import type { TransferToApprove } from '../ports/inbound.ts'
import type { CardBrands } from '../ports/rail.ts'

/**
 * [U] Whether `x-ratelimit-reset` is seconds from now, as documented; a time of day would be larger
 * than this.
 */
export const mostResetSeconds = 3_600

/**
 * [U] What Paystack keeps for a transfer at most, stamp duty included, in kobo: so much must be
 * there beyond the amount.
 */
export const mostTransferFee = 10_000n

/**
 * [U] How long a payer is sent to a hosted page: at least, that it can be paid at all; at most,
 * since it may not live for ever.
 */
export const pageMs = { least: 900_000, most: 3_600_000 }
/**
 * [U] How long after that Paystack may still say that it was paid, before its `failed` and
 * `abandoned` count as the end.
 */
export const pageGraceMs = 3_600_000

/** [U] Why a card was declined is free text too. The first that fits counts. */
export const declinePatterns = [
  [/insufficient/i, 'insufficient_funds'],
  [/expired/i, 'expired_card'],
  [/cvv|cvc/i, 'incorrect_cvc'],
  [/fraud|stolen|lost/i, 'fraudulent'],
  [/3d|otp|\bpin\b|authenti/i, 'challenge_failed'],
  [/time-?out|switch|system/i, 'processing_error'],
] as const
/** [U] Paystack's reasons are free text: what of it means what. The first that fits counts. */
export const failurePatterns = [
  [/account/i, 'invalid_account'],
  [/name/i, 'name_mismatch'],
  [/limit/i, 'limit_exceeded'],
] as const

/**
 * [U] Whether a row of the balance's history about a refund names none: 1 has been seen in place of
 * its number (nanafox/paystack_sdk, test API of 2026-10-09, one row). Both are read.
 */
export const isNameless = ({ model_row }: { model_row?: unknown }): boolean =>
  (wholeOf(model_row) ?? 0n) <= 1n

/** [U] How the balance's history names what the operator put in. */
export const isTopUp = (row: { model_responsible?: unknown; reason?: unknown }): boolean =>
  /top.?up|fund|deposit/i.test(`${row.model_responsible ?? ''} ${row.reason ?? ''}`)

/** [U] How `POST /customer/{code}/identification` says that it has verified the customer before. */
export const isIdentified = ({ code, message }: { code: string; message: string }): boolean =>
  code === 'customer_already_validated' || /already (validated|identified)/i.test(message)

/** [U] How it says that there is no dedicated account of a number any more. */
export const isUnknownAccountId = ({
  status,
  message,
}: {
  status: number
  message: string
}): boolean => status === 404 || /account not found/i.test(message)

/**
 * [U] How soon and how late a one-time account may end: what Paystack answers counts. Milliseconds.
 */
export const accountLifeMs = { least: 15 * 60_000, most: 8 * 3_600_000 } as const

/**
 * [U] What a refusal of an account or a customer means. Of these `feature_unavailable` alone has
 * been recorded.
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
 * [U] What Paystack sends to have a transfer approved, and that it signs it: taken to be the
 * transfer as `verify` shows it, bare or as the `data` of an event. A transfer that does not say
 * all of this is not approved.
 * @throws {Error} that names the fields which are there, without their values: the first run shows
 * by it what must be read instead
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
 * [U] How a dispute that is over says that the money came back: `declined` is the merchant's no to
 * the payer that stood. One that is archived without a word counts as lost, so that what is held
 * for it is a person's to release.
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

/** [U] Which cards every account takes: others are agreed on with Paystack. */
export const cardBrands: CardBrands = { ngn: ['visa', 'mastercard', 'verve'] }
