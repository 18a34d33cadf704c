/**
 * Mails receipts of payments and refunds to payers with an email address, unless the business's
 * profile switches them off. The checkout writes the text, in the payer's language.
 */
import { type Business, getBusiness } from '../../books/profiles/profiles.ts'
import type { View, Work } from '../../core/inside.ts'
import { mailOnce } from '../../platform/mail/mail.ts'
import { addressOf } from '../customers/customers.ts'
import { checkoutUrl } from './record.ts'
import type { PaymentMethod } from './schema.ts'
import type { PaymentRow } from './sql.ts'

/** The subject, before the payment's id, of a mail that has the receipt attached. */
export const paidMail = 'payment.completed'

/** The contents of a receipt. Amounts in minor units. */
export type ReceiptMail = {
  of: 'payment' | 'refund'
  business: Business
  payment: PaymentRow
  /** What was paid or refunded, in the payment's currency. */
  amount: bigint
  method: PaymentMethod | null
  /** The payment's page. */
  url: string
  at: Date
}

declare module '../../core/app.ts' {
  interface Strategies {
    /** Writes a receipt. @param language the payer's, or null when it is not known */
    receipts(
      view: View,
      receipt: ReceiptMail,
      language: string | null,
    ): Promise<{ subject: string; body: string; language: string }>
  }
}

/** Mails the receipt of a completed payment, without any excess that was sent back. */
export function mailReceipt(work: Work, payment: PaymentRow): Promise<void> {
  const { id, amount_counted: amount, method } = payment
  return mailPayer(work, payment, `${paidMail} ${id}`, { of: 'payment', amount, method })
}

/** Mails the receipt of a completed refund. Its amount is in the payment's currency. */
export function mailRefundReceipt(
  work: Work,
  payment: PaymentRow,
  { id, amount, method }: { id: string; amount: bigint; method: PaymentMethod },
): Promise<void> {
  return mailPayer(work, payment, `refund.completed ${id}`, { of: 'refund', amount, method })
}

/**
 * Returns the payer's email address. An invoice may be paid long after it was made, so its receipt
 * goes to the customer's current address.
 */
async function recipientOf(
  work: Work,
  { email, payer_email, customer_id, invoice_id }: PaymentRow,
): Promise<string | null> {
  return invoice_id === null || customer_id === null
    ? (email ?? payer_email)
    : addressOf(work, customer_id)
}

async function mailPayer(
  work: Work,
  payment: PaymentRow,
  about: string,
  what: Pick<ReceiptMail, 'of' | 'amount' | 'method'>,
): Promise<void> {
  const recipient = await recipientOf(work, payment)
  if (recipient === null) return
  const business = await getBusiness(work)
  if (!business.receipts) return
  const url = checkoutUrl(work, payment.slug)
  const receipt = { ...what, business, payment, url, at: work.scope.now }
  const mail = await work.strategies.receipts(work, receipt, payment.language)
  await mailOnce(work, { about, recipient, membersInTest: true, ...mail })
}
