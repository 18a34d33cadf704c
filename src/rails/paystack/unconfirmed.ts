/**
 * What nobody has confirmed of Paystack yet, each marked [U], in this one place: the first run with real keys settles it, and changes a line
 * here.
 */
import type { AccountRefusal } from '../bank-accounts.ts'
import type { TransferAsked } from '../inbound.ts'
import type { CardBrands } from '../rail.ts'
import { asObject, textOf, wholeOf } from '../values.ts'

/**
 * [U] How `POST /transfer` says that the reference is taken. The documented code, and the sentence that has been seen. It never means that
 * nothing happened: the transfer is asked about.
 */
export const isDuplicate = ({ code, message }: { code: string; message: string }): boolean =>
  code === 'duplicate_transfer_reference' || /unique reference|reference already exists/i.test(message)

/** [U] How transfers and refunds say that the balance is too low: the sentence has been seen of transfers, the code is not documented. */
export const isBalanceTooLow = ({ message }: { message: string }): boolean => /balance is not enough/i.test(message)

/** [U] How it says that the business may not pay others yet. */
export const isNotEnabled = ({ message }: { message: string }): boolean => /third party payouts/i.test(message)

/** [U] How it says that a recipient is no more. */
export const isNoRecipient = ({ code }: { code: string }): boolean => code === 'invalid_transfer_recipient'

/** [U] How `verify` says that it has never taken a reference: 404 is documented, 400 has been seen of transactions. */
export const isUnknownTransfer = ({ status, code, message }: { status: number; code: string; message: string }) =>
  (status === 404 || status === 400) && (code === 'transfer_not_found' || /transfer not found/i.test(message))

/** [U] How `resolve` says that there is no such account, with 400 or 422. */
export const isUnknownAccount = ({ message }: { message: string }): boolean => /could not resolve/i.test(message)

/** [U] Whether a refusal of a recipient is about the account, or about something else. */
export const isAboutAccount = ({ code, message }: { code: string; message: string }): boolean =>
  /account|bank/i.test(`${code} ${message}`)

/** [U] Where an answer names its request, for Paystack's support; the first that is there is logged. */
export const requestIdHeaders = ['x-request-id', 'x-paystack-request-id', 'cf-ray'] as const

/** [U] Whether `x-ratelimit-reset` is seconds from now, as documented; a time of day would be larger than this. */
export const mostResetSeconds = 3_600

/** [U] What Paystack keeps for a transfer at most, stamp duty included, in kobo: so much must be there beyond the amount. */
export const mostTransferFee = 10_000n

/** [U] How `initialize` says that the reference is taken, and how `verify` says that it has never taken one: with 400 or 404. */
export const isDuplicateTransaction = ({ code, message }: { code: string; message: string }): boolean =>
  code === 'duplicate_reference' || /duplicate transaction reference/i.test(message)
export const isUnknownTransaction = ({ status, code, message }: { status: number; code: string; message: string }) =>
  (status === 404 || status === 400) && (code === 'transaction_not_found' || /reference not found/i.test(message))

/** [U] How long a payer is sent to a hosted page: at least, that it can be paid at all; at most, since it may not live for ever. */
export const pageMs = { least: 900_000, most: 3_600_000 }
/** [U] How long after that Paystack may still say that it was paid, before its `failed` and `abandoned` count as the end. */
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
/**
 * [U] Whether `merchant_note` comes back unchanged in every answer about a refund: what surrounds ours is overlooked. Where it does not come back at
 * all, a refund whose answer was lost is for a person to look at.
 */
export const noteOf = (id: string, attempt: number): string => `bursar ${id}${attempt > 1 ? `-${attempt}` : ''}`

/** Whose refund it is by its note, or null when it has none of ours. */
export const noteIn = ({ merchant_note: note }: Record<string, unknown>): string | null =>
  (typeof note === 'string' && /\bbursar ([0-9a-f]{24})(-\d+)?\b/.exec(note)?.[1]) || null

/** [U] Paystack's reasons are free text: what of it means what. The first that fits counts. */
export const failurePatterns = [
  [/account/i, 'invalid_account'],
  [/name/i, 'name_mismatch'],
  [/limit/i, 'limit_exceeded'],
] as const

/** [U] What a row of the balance's history is about, in lower case: its spelling is not published. */
export const ledgerModels = ({ model_responsible }: { model_responsible?: unknown }): string =>
  String(model_responsible ?? '').toLowerCase()

/** [U] How the balance's history names what the operator put in. */
export const isTopUp = (row: { model_responsible?: unknown; reason?: unknown }): boolean =>
  /top.?up|fund|deposit/i.test(`${row.model_responsible ?? ''} ${row.reason ?? ''}`)

/** [U] A time of a list; where it names no zone, as in the list of refunds, it is taken for UTC. */
export function timeIn(value: unknown): Date | null {
  if (typeof value !== 'string' || value === '') return null
  const time = new Date(/[zZ]$|[+-]\d\d:?\d\d$/.test(value) ? value : `${value.replace(' ', 'T')}Z`)
  return Number.isNaN(time.getTime()) ? null : time
}

/** [U] How `POST /customer/{code}/identification` says that it has verified the customer before. */
export const isIdentified = ({ code, message }: { code: string; message: string }): boolean =>
  code === 'customer_already_validated' || /already (validated|identified)/i.test(message)

/** [U] Of which event a customer who is not identified was looked into and did not fit: no answer says so. */
export const isIdentityFailure = (event: string): boolean => event === 'customeridentification.failed'

/** [U] How it says that it knows no such customer. */
export const isUnknownCustomer = ({
  status,
  code,
  message,
}: {
  status: number
  code: string
  message: string
}): boolean => status === 404 || code === 'customer_not_found' || /customer not found/i.test(message)
/** [U] How it says that there is no dedicated account of a number any more. */
export const isUnknownAccountId = ({ status, message }: { status: number; message: string }): boolean =>
  status === 404 || /account not found/i.test(message)

/** [U] How soon and how late a one-time account may end: what Paystack answers counts. Milliseconds. */
export const accountLifeMs = { least: 15 * 60_000, most: 8 * 3_600_000 } as const

/** [U] What a refusal of an account or a customer means: the sentences have been seen or are made up, and the codes are not documented. */
const refusalPatterns: [RegExp, AccountRefusal][] = [
  [/limit/i, 'limit_reached'],
  [/not (been )?(identified|validated|verified)|customer_not_identified|identification/i, 'identity_required'],
  [/not available|not enabled|unavailable|feature/i, 'not_enabled'],
  [/(first|last) name|phone/i, 'customer_incomplete'],
]
export const refusalOf = ({ code, message }: { code: string; message: string }): AccountRefusal =>
  refusalPatterns.find(([pattern]) => pattern.test(`${code} ${message}`))?.[1] ?? 'rejected'

/**
 * [U] What Paystack sends to have a transfer approved, and that it signs it: taken to be the transfer as `verify` shows it, bare or as the
 * `data` of an event. A transfer that does not say all of this is not approved.
 * @throws {Error} that names the fields which are there, without their values: the first run shows by it what must be read instead
 */
export function askedIn(body: unknown, mode: 'live' | 'test'): TransferAsked {
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
  throw new Error(`it does not say what is to be paid to whom; it has: ${names.join(' / ').slice(0, 1_000)}`)
}

/** [U] How a dispute that is resolved says that the money came back: `declined` is the merchant's no to the payer that stood. */
export const isDisputeWon = ({ resolution }: { resolution?: unknown }): boolean => resolution === 'declined'

/** [U] Which cards every account takes: others are agreed on with Paystack. */
export const cardBrands: CardBrands = { ngn: ['visa', 'mastercard', 'verve'] }
