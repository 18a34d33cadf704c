/**
 * Receipts as payers are mailed them: in the language that they had at the hosted page.
 */
import { addressLines } from '../../books/profiles/profiles.ts'
import type { ReceiptMail } from '../../collecting/payments/payments.ts'
import * as payments from '../../collecting/payments/payments.ts'
import type { View } from '../../core/inside.ts'
import type { Ctx } from '../../core/outside.ts'
import type { Id } from '../../lib/ids.ts'
import { type Enclosed, enclose, type Mail } from '../../platform/mail/mail.ts'
import { amountText, keptLanguage } from './languages.ts'
import { type Contents, contentsOf } from './receipt-contents.ts'
import { receiptFile } from './receipt-pdf.ts'
import { momentText, type Strings, stringsFor } from './view/strings.ts'

/** Lines of a mail; null and false are left out. */
type Lines = (string | null | false)[]

/**
 * Writes a receipt. @param kept the language that the payer had; where there is none, it is that of
 * the business
 */
export async function writeReceipt(
  view: View,
  { of, business, payment, amount: paid, method, url, at }: ReceiptMail,
  kept: string | null,
): Promise<{ subject: string; body: string; language: string }> {
  const { currency, reference, livemode } = payment
  const language = keptLanguage(kept, business.locale)
  const t = stringsFor(language)
  const words = t.receipt
  const amount = amountText(t, paid, currency)
  const said = of === 'payment' ? words.paid : words.refunded
  const contents = await contentsOf(view, t, payment)
  const blocks: Lines[] = [
    [words.hello],
    [
      said.means(business.name, amount),
      of === 'refund' && method !== 'crypto' && words.bankMayTake,
    ],
    of === 'payment' ? sold(t, contents) : [],
    of === 'payment' ? sums(t, contents) : [],
    [
      contents.about !== null && words.what(contents.about),
      method !== null && said.by(of === 'payment' ? (contents.paidBy ?? '') : t.methods[method]),
      words.date(momentText(t, at.toISOString(), business.time_zone)),
      words.reference(reference),
    ],
    [of === 'payment' && words.attached],
    // Addresses stand as they are: what isolates them would be taken for a part of them.
    [words.see, url],
    signature(t, business),
    [!livemode && words.test],
  ]
  const body = blocks
    .map((lines) => lines.filter(Boolean).join('\n'))
    .filter((block) => block !== '')
  return { subject: said.subject(business.name, amount), body: `${body.join('\n\n')}\n`, language }
}

/** What was bought, line by line. */
const sold = (t: Strings, { lines }: Contents): Lines =>
  lines.map(({ name, each, total }) =>
    t.receipt.line(each === null ? name : `${name}, ${each}`, total),
  )

/** How the amount comes about, where there is more to it than the price. */
const sums = (t: Strings, { taxes, fee }: Contents): Lines =>
  [...taxes, ...fee].map(({ label, amount }) => t.receipt.line(label, amount))

/** Who was paid, and how to reach them. */
function signature(t: Strings, business: ReceiptMail['business']): Lines {
  const { address, tax_id, registration_number, support_email, support_phone, terms_url } = business
  const ways = [support_email, support_phone].filter((way) => way !== null)
  return [
    business.name,
    addressLines(address).join(', '),
    registration_number,
    tax_id !== null && t.taxId(tax_id),
    ways.length > 0 && `${t.questions} ${ways.join(` ${t.receipt.or} `)}`,
    terms_url !== null && `${t.receipt.terms} ${terms_url}`,
  ]
}

/** Makes the PDF that goes with the mail of a completed payment. */
export async function attachReceipt(ctx: Ctx, id: Id, mail: Mail): Promise<Enclosed> {
  const payment = await payments.find(ctx, id)
  const pdf = async () => {
    const { name: filename, content } = await receiptFile(ctx, payment, mail.language)
    return { filename, content }
  }
  const { attached, notAttached } = stringsFor(keptLanguage(mail.language, 'en')).receipt
  return enclose(ctx, mail, pdf, (body) => body.replace(attached, notAttached))
}
