/** How the lines of Paystack's assumptions ask, and which refusals they wait for. */
import { type Refusal, type Seen, whenAnswered } from '../assumptions.ts'
import type { Account } from './account.ts'
import { type Answer, asObject, type Question } from './client.ts'

export type Asking = ReturnType<typeof askingOf>

export const askingOf = ({ client, clock }: Account) => ({
  clock,
  ask: (method: Question['method'], path: Question['path'], more: Partial<Question> = {}): Promise<Answer> =>
    client.ask({ method, path, urgency: 'send', ...more }),
})

/** What is seen of an answer that is assumed to be given: its `data` as an object, and as it is. */
export const answered = (answer: Answer, look: (data: Record<string, unknown>, all: unknown) => Seen): Promise<Seen> =>
  whenAnswered(answer, ({ data }) => look(asObject(data) ?? {}, data))

const isOf =
  (statuses: readonly number[], code: string, message: RegExp) =>
  (refusal: Refusal): boolean =>
    statuses.includes(refusal.status) && (refusal.code === code || message.test(refusal.message))

/** The refusals that are assumed, by what was asked. */
export const refusals = {
  duplicateTransaction: isOf([400, 409], 'duplicate_reference', /duplicate transaction reference/i),
  unknownTransaction: isOf([400, 404], 'transaction_not_found', /reference not found/i),
  unknownCustomer: isOf([400, 404], 'customer_not_found', /customer not found/i),
  unknownAccount: isOf([400, 422], 'invalid_bank_code', /could not resolve|account number is invalid/i),
  recipientAtNoBank: isOf(
    [400, 422],
    'invalid_bank_code',
    /account number is invalid|(could not|cannot) resolve account/i,
  ),
  noRecipient: ({ code }: Refusal): boolean => code === 'invalid_transfer_recipient',
  balanceTooLow: isOf([400], '-', /balance is not enough/i),
  duplicateTransfer: isOf([400], 'duplicate_transfer_reference', /unique reference|reference already exists/i),
  unknownTransfer: isOf([400, 404], 'transfer_not_found', /transfer not found/i),
  refundOfNothing: isOf([400], 'transaction_not_found', /^$/),
  refundTooLarge: isOf([400], 'refund_amount_exceeds_transaction_amount', /^$/),
  featureOff: ({ status, code }: Refusal): boolean => status === 403 && code === 'feature_unavailable',
}
