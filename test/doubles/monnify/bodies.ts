/**
 * What the double of Monnify says of a transfer, in the forms that Monnify's sandbox has answered.
 */
import type { AnswerFault } from '../paystack/faults.ts'
import { withOffset } from './times.ts'

// biome-ignore lint/suspicious/noExplicitAny: bodies of every shape
type Json = any

export type Status =
  | ('PENDING' | 'IN_PROGRESS' | 'PENDING_AUTHORIZATION')
  | ('SUCCESS' | 'FAILED' | 'REVERSED' | 'EXPIRED')
/** Kobo. */
export type Transfer = {
  id: string
  reference: string
  amount: number
  fee: number
  bank: string
  number: string
  status: Status
  why: string
  at: Date
}

export const naira = (kobo: number): number => kobo / 100

const destinationOf = ({ number, bank }: Transfer): Json => ({
  destinationAccountNumber: number,
  destinationBankCode: bank,
  destinationAccountName: 'ADA OKAFOR',
  destinationBankName: 'GTBank',
})

/** The answer to the transfer itself: it has neither Monnify's name of it nor its currency. */
export const sentBody = (one: Transfer): Json => ({
  amount: naira(one.amount),
  reference: one.reference,
  status: one.status,
  dateCreated: withOffset(one.at),
  totalFee: naira(one.fee),
  comment: one.why,
  ...destinationOf(one),
})

/** What lists, summaries and webhooks say of it. */
export const transferBody = (one: Transfer): Json => ({
  amount: naira(one.amount),
  reference: one.reference,
  narration: 'Payout',
  currency: 'NGN',
  fee: naira(one.fee),
  twoFaEnabled: false,
  status: one.status,
  transactionDescription: one.why,
  transactionReference: one.id,
  createdOn: withOffset(one.at),
  ...destinationOf(one),
})

/** The answer with what a fault changes of it. */
export function falsified(body: Json, fault: AnswerFault): Json {
  const said = body.responseBody
  if ('contractCode' in said)
    return { ...body, responseBody: { ...said, accountReference: 'vc-another' } }
  if ('amountPaid' in said)
    return { ...body, responseBody: { ...said, transactionReference: 'another' } }
  if (fault === 'other_amount')
    return { ...body, responseBody: { ...said, amount: said.amount + 1 } }
  return 'accountName' in said
    ? { ...body, responseBody: { ...said, accountNumber: '0000000001' } }
    : { ...body, responseBody: { ...said, reference: `${said.reference}0` } }
}
