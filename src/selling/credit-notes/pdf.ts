/**
 * A credit note as a PDF: who gives back what of which invoice, by the rates of its taxes.
 */
import { getBusiness, logoOf } from '../../books/profiles/profiles.ts'
import type { Ctx } from '../../core/outside.ts'
import { dayOf, longDay } from '../../lib/days.ts'
import { showMoney } from '../../lib/money.ts'
import { type Canvas, drawDocument } from '../../lib/pdf/canvas.ts'
import * as invoices from '../invoices/invoices.ts'
import type { CreditNoteRow, PartRow } from './sql.ts'

const { left, right, grey, rule } = invoices.paper
const plain = { size: 10 }
const ends = { net: 330, tax: 435, total: right }

/** The PDF of a credit note: what it is, void or not, stands on it. */
export async function creditNotePdf(
  ctx: Ctx,
  row: CreditNoteRow,
  parts: PartRow[],
): Promise<Uint8Array> {
  const business = await getBusiness(ctx)
  const [invoice, logo] = await Promise.all([
    invoices.find(ctx, row.invoice_id),
    business.logo && logoOf(ctx),
  ])
  const title = `${row.status === 'void' ? 'Void credit note' : 'Credit note'} ${row.number}`
  const day = (moment: Date): string => longDay(dayOf(moment, business.time_zone))
  const facts: invoices.Fact[] = [
    ['Issued', day(row.created_at)],
    ...(row.voided_at === null ? [] : [['Voided', day(row.voided_at)] satisfies invoices.Fact]),
    ['For invoice', `${invoice.number}`],
    ...(invoice.finalized_at === null
      ? []
      : [['Invoice issued', day(invoice.finalized_at)] satisfies invoices.Fact]),
    ...(row.livemode ? [] : [['Test mode', 'no real money moves'] satisfies invoices.Fact]),
  ]
  const tax = parts.reduce((sum, part) => sum + part.tax, 0n)
  const shown = (amount: bigint): string => showMoney(amount, row.currency)
  const totals: invoices.PdfTotal[] = [
    ['Without tax', shown(row.amount - tax)],
    ['Tax', shown(tax)],
    ['Total credited', shown(row.amount), true],
  ]
  const about = { title, author: row.seller.name, at: row.created_at }
  return drawDocument(ctx.config.PDF_FONTS, about, (canvas) => {
    let y = invoices.drawHead(canvas, row.seller.name, invoices.drawableLogo(logo), title, facts)
    y = invoices.drawParties(canvas, invoice.bill_to, row.seller, business, y)
    y = table(canvas, row, parts, y)
    invoices.drawTotals(canvas, totals, y)
  })
}

/** A line for each rate. There are no more of them than an invoice has lines. */
function table(
  canvas: Canvas,
  { currency }: CreditNoteRow,
  parts: PartRow[],
  from: number,
): number {
  const header = (y: number): number => {
    const style = { size: 9, color: grey }
    canvas.text('Credited', left, y, style)
    canvas.right('Without tax', ends.net, y, style)
    canvas.right('Tax', ends.tax, y, style)
    canvas.right('Amount', ends.total, y, style)
    canvas.line(left, right, y + 15, rule)
    return y + 23
  }
  let y = header(from > invoices.paper.bottom - 60 ? canvas.page() : from)
  for (const { rate_bps, net, tax } of parts) {
    if (y + 20 > invoices.paper.bottom) y = header(canvas.page())
    canvas.text(
      rate_bps === null ? 'Sold without tax' : `Sold at ${invoices.showRate(rate_bps)} tax`,
      left,
      y,
      plain,
    )
    canvas.right(showMoney(net, currency), ends.net, y, plain)
    canvas.right(showMoney(tax, currency), ends.tax, y, plain)
    canvas.right(showMoney(net + tax, currency), ends.total, y, plain)
    y += 20
  }
  canvas.line(left, right, y, rule)
  return y + 10
}
