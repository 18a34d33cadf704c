/** Draws the receipt of a completed payment as a PDF, in the payer's language. */
import { addressLines, type Business, getBusiness, logoOf } from '../../books/profiles/profiles.ts'
import { checkoutUrl, type PaymentRow } from '../../collecting/payments/payments.ts'
import type { Ctx } from '../../core/outside.ts'
import { bottom, type Canvas, drawDocument, type Style } from '../../lib/pdf/canvas.ts'
import {
  drawableLogo,
  drawHead,
  drawTotals,
  type PdfTotal,
  paper,
} from '../../selling/invoices/invoices.ts'
import { amountText, keptLanguage } from './languages.ts'
import { type Contents, contentsOf } from './receipt-contents.ts'
import { momentText, type Strings, stringsFor } from './view/strings.ts'

const { left, right, grey, rule } = paper
const plain: Style = { size: 10 }
const small: Style = { size: 9, color: grey }
/** Where the facts begin, beside their labels. */
const factsAt = left + 150

/** Returns the PDF. @param kept the payer's language, or null: that of the business */
export async function receiptFile(
  ctx: Ctx,
  payment: PaymentRow,
  kept: string | null,
): Promise<{ name: string; content: Uint8Array }> {
  const business = await getBusiness(ctx)
  const t = stringsFor(keptLanguage(kept, business.locale))
  const [contents, logo] = await Promise.all([
    contentsOf(ctx, t, payment),
    business.logo && logoOf(ctx),
  ])
  const about = {
    title: `${t.receipt.title} ${payment.reference}`,
    author: business.name,
    at: payment.paid_at ?? payment.created_at,
    pageNumber: t.receipt.page,
    direction: t.dir,
  }
  const content = await drawDocument(ctx.config.PDF_FONTS, about, (canvas) => {
    let y = drawHead(canvas, business.name, drawableLogo(logo), t.receipt.title, [])
    y = drawBusiness(canvas, t, business, y - 16)
    if (!payment.livemode) y = canvas.wrap(testLine(t), left, y + 4, right - left, small) + 4
    y = drawFacts(canvas, factsOf(t, business, payment, contents), y + 12)
    y = drawLines(canvas, contents, y + 12)
    y = drawTotals(canvas, totalsOf(t, payment, contents), y)
    canvas.link(checkoutUrl(ctx, payment.slug), left, y + 12, right - left, { size: 9 })
  })
  const name = `receipt-${payment.reference.replaceAll(/[^\w.-]/g, '-')}.pdf`
  return { name, content }
}

const testLine = (t: Strings): string => `${t.testMode}: ${t.testModeMeans}`

function drawBusiness(canvas: Canvas, t: Strings, business: Business, from: number): number {
  const { registration_number, tax_id, support_email, support_phone } = business
  const lines = [
    addressLines(business.address, t.locale).join(', '),
    registration_number,
    tax_id && t.taxId(tax_id),
    [support_email, support_phone].filter(Boolean).join(' · '),
  ]
  return lines
    .filter((line): line is string => Boolean(line))
    .reduce((y, line) => canvas.wrap(line, left, y, right - left, small), from)
}

type Fact = [label: string, value: string | null]

const factsOf = (
  t: Strings,
  { time_zone }: Business,
  { paid_at, reference }: PaymentRow,
  { about, billedTo, paidBy }: Contents,
): Fact[] => [
  [t.done.date, paid_at && momentText(t, paid_at.toISOString(), time_zone)],
  [t.done.paidBy, paidBy],
  [t.billedTo, billedTo],
  [t.receipt.about, about],
  [t.reference, reference],
]

function drawFacts(canvas: Canvas, facts: Fact[], from: number): number {
  let y = from
  for (const [label, value] of facts) {
    if (value === null) continue
    const end = canvas.wrap(label, left, y, factsAt - left - 10, { size: 10, color: grey })
    y = Math.max(end, canvas.wrap(value, factsAt, y, right - factsAt, plain)) + 3
  }
  return y
}

function drawLines(canvas: Canvas, { lines }: Contents, from: number): number {
  canvas.line(left, right, from, rule)
  if (lines.length === 0) return from + 10
  let y = from + 8
  for (const { name, each, tax, total } of lines) {
    if (y + 40 > bottom) y = canvas.page()
    const begins = canvas.right(total, right, y, plain)
    y = canvas.wrap(name, left, y, begins - left - 14, plain)
    const more = [each, tax].filter(Boolean).join(' · ')
    if (more !== '') y = canvas.wrap(more, left, y, begins - left - 14, small)
    y += 5
  }
  canvas.line(left, right, y, rule)
  return y + 10
}

function totalsOf(t: Strings, payment: PaymentRow, { taxes, fee }: Contents): PdfTotal[] {
  const { amount_counted, amount_refunded, currency } = payment
  const shown = (amount: bigint): string => amountText(t, amount, currency)
  return [
    ...[...taxes, ...fee].map(({ label, amount }): PdfTotal => [label, amount]),
    [t.receipt.sum, shown(amount_counted), true],
    ...(amount_refunded > 0n
      ? [[t.receipt.refundedSoFar, shown(amount_refunded)] satisfies PdfTotal]
      : []),
  ]
}
