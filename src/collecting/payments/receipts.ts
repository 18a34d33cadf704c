/**
 * Receipts: what a payer who gave an address is mailed when a payment is completed, and when some of it has gone back. `receipts` in the
 * business's profile switches them off.
 */
import { type Business, getBusiness, signatureLines } from '../../books/profiles/profiles.ts'
import type { Work } from '../../core/inside.ts'
import { dayOf } from '../../lib/days.ts'
import { showMoney } from '../../lib/money.ts'
import { mailOnce } from '../../platform/mail/mail.ts'
import { checkoutUrl } from './record.ts'
import type { PaymentRow } from './sql.ts'

const methods = { card: 'Card', bank_transfer: 'Bank transfer', crypto: 'Stablecoin' } as const

/** Mails the receipt of a payment that is completed. What went back because more came than was due is not in it. */
export function mailReceipt(work: Work, payment: PaymentRow): Promise<void> {
  const amount = showMoney(payment.amount_counted, payment.currency)
  return mailPayer(work, payment, `payment.completed ${payment.id}`, ({ name }) => ({
    subject: `Your payment to ${name}: ${amount}`,
    lines: [`${name} has received your payment of ${amount}. Thank you.`],
    facts: payment.method === null ? [] : [`Paid by: ${methods[payment.method]}`],
  }))
}

/** Mails the receipt of a refund that has arrived. @param refund its amount in minor units of the payment's currency */
export function mailRefundReceipt(
  work: Work,
  payment: PaymentRow,
  refund: { id: string; amount: bigint; method: keyof typeof methods },
): Promise<void> {
  const amount = showMoney(refund.amount, payment.currency)
  return mailPayer(work, payment, `refund.completed ${refund.id}`, ({ name }) => ({
    subject: `Your refund from ${name}: ${amount}`,
    lines: [
      `${name} has refunded ${amount} of your payment.`,
      ...(refund.method === 'crypto' ? [] : ['Your bank may take a few days to show it.']),
    ],
    facts: [`Refunded by: ${methods[refund.method]}`],
  }))
}

async function mailPayer(
  work: Work,
  payment: PaymentRow,
  about: string,
  write: (business: Business) => { subject: string; lines: string[]; facts: string[] },
): Promise<void> {
  const recipient = payment.email ?? payment.payer_email
  if (recipient === null) return
  const business = await getBusiness(work)
  if (!business.receipts) return
  const { subject, lines, facts } = write(business)
  const body = [
    'Hello,',
    '',
    ...lines,
    '',
    ...(payment.description === null ? [] : [`For: ${payment.description}`]),
    ...facts,
    `Date: ${dayOf(work.scope.now, business.time_zone)}`,
    `Reference: ${payment.reference}`,
    '',
    'See the payment here:',
    checkoutUrl(work, payment.slug),
    '',
    business.name,
    ...signatureLines(business),
    ...(work.scope.livemode ? [] : ['', '(Test mode: no real money moved, and this is not sent.)']),
    '',
  ].join('\n')
  await mailOnce(work, { about, recipient, subject, body })
}
