/**
 * Receipts as payers are mailed them: in the language that they had at the hosted page.
 */
import { addressLines } from '../../books/profiles/profiles.ts'
import type { ReceiptMail } from '../../collecting/payments/payments.ts'
import { dayOf, showDay } from '../../lib/days.ts'
import { amountText, keptLanguage } from './languages.ts'
import { stringsFor } from './view/strings.ts'

/**
 * Writes a receipt. @param kept the language that the payer had; where there is none, it is that of
 * the business
 */
export function writeReceipt(
  { of, business, method, description, reference, url, at, livemode, ...sum }: ReceiptMail,
  kept: string | null,
): { subject: string; body: string; language: string } {
  const language = keptLanguage(kept, business.locale)
  const t = stringsFor(language)
  const words = t.receipt
  const amount = amountText(t, sum.amount, sum.currency)
  const said = of === 'payment' ? words.paid : words.refunded
  const { address, tax_id, registration_number, support_email, support_phone, terms_url } = business
  const place = addressLines(address).join(', ')
  const ways = [support_email, support_phone].filter((way) => way !== null)
  const blocks = [
    [words.hello],
    [
      said.means(business.name, amount),
      of === 'refund' && method !== 'crypto' && words.bankMayTake,
    ],
    [
      description !== null && words.what(description),
      method !== null && said.by(t.methods[method]),
      words.date(showDay(dayOf(at, business.time_zone), t.locale)),
      words.reference(reference),
    ],
    // Addresses stand as they are: what isolates them would be taken for a part of them.
    [words.see, url],
    [
      business.name,
      place,
      registration_number,
      tax_id !== null && t.taxId(tax_id),
      ways.length > 0 && `${t.questions} ${ways.join(` ${words.or} `)}`,
      terms_url !== null && `${words.terms} ${terms_url}`,
    ],
    [!livemode && words.test],
  ]
  const body = blocks
    .map((lines) => lines.filter(Boolean).join('\n'))
    .filter((block) => block !== '')
  return { subject: said.subject(business.name, amount), body: `${body.join('\n\n')}\n`, language }
}
