/** Draws invoices as PDFs with selectable text, embedded fonts and right-aligned amounts. */
import {
  type Business,
  getBusiness,
  logoOf,
  type Seller,
  sellerOf,
} from '../../books/profiles/profiles.ts'
import { checkoutUrl } from '../../collecting/payments/payments.ts'
import type { Ctx } from '../../core/outside.ts'
import { type Day, dayOf, longDay } from '../../lib/days.ts'
import { toJson } from '../../lib/json.ts'
import { showMoney } from '../../lib/money.ts'
import { bottom, type Canvas, drawDocument, lineHeight, type Style } from '../../lib/pdf/canvas.ts'
import {
  drawHead,
  drawParties,
  drawTotals,
  type Fact,
  gap,
  grey,
  left,
  right,
  rule,
  type Total,
} from './letter.ts'
import { find, findSumsOf, linesOf, type Sums } from './record.ts'
import type { InvoiceRow, LineRow } from './sql.ts'
import { showRate, taxTotals } from './tax.ts'

const black = '#12161d'
const green = '#12733f'

const plain: Style = { size: 10 }

/** The right ends of number columns, and the width of names. `tax` is null without taxes. */
type Columns = { quantity: number; amount: number; tax: number | null; total: number; name: number }
const widestColumns = { quantity: 330, amount: 435, total: right, name: 210 }

/** A cache of PDFs by their contents: drawing is slow, and invoices rarely change. */
const cache = new Map<string, Promise<Uint8Array>>()
const maxCached = 100

/** Returns the PDF of an invoice, in any state. */
export async function invoicePdf(ctx: Ctx, row: InvoiceRow): Promise<Uint8Array> {
  const business = await getBusiness(ctx)
  const sums = await findSumsOf(ctx, row)
  const key = [
    row.id,
    sums.amount_paid,
    row.updated_at.toISOString(),
    row.status,
    toJson(business),
    ctx.origin.url,
  ].join(' ')
  const known = cache.get(key)
  if (known) return known
  if (cache.size >= maxCached) cache.delete(cache.keys().next().value as string)
  const pdf = makePdf(ctx, row, business, sums)
  cache.set(key, pdf)
  pdf.catch(() => cache.delete(key))
  return pdf
}

async function makePdf(
  ctx: Ctx,
  row: InvoiceRow,
  business: Business,
  sums: Sums,
): Promise<Uint8Array> {
  const [lines, logo] = await Promise.all([linesOf(ctx, [row.id]), business.logo && logoOf(ctx)])
  const seller = sellerOn(row, business)
  const about = {
    title: row.number === null ? 'Draft invoice' : `Invoice ${row.number}`,
    author: seller.name,
    at: row.finalized_at ?? row.created_at,
  }
  return drawDocument(ctx.config.PDF_FONTS, about, (canvas) => {
    const [title, facts] = [titleOf(row, lines), factsOf(row, business.time_zone)]
    let y = drawHead(canvas, seller.name, drawableLogo(logo), title, facts)
    y = drawParties(canvas, row.bill_to, seller, business, y)
    y = drawLines(canvas, row, lines, y)
    if (row.status === 'paid') y = drawPaidMark(canvas, y)
    y = drawTotals(canvas, [...totalsOf(row, lines), ...paidTotals(row, sums)], y)
    if (row.memo !== null) y = canvas.wrap(row.memo, left, y + 18, right - left, { size: 10 }) + 6
    const { status, slug } = row
    if (status === 'open' && slug !== null) drawPayLink(canvas, checkoutUrl(ctx, slug), y)
  })
}

/** Returns the logo; null for WebP, which PDF does not support. */
export const drawableLogo = (logo: Awaited<ReturnType<typeof logoOf>>): Uint8Array | null =>
  logo === null || logo.media_type === 'image/webp' ? null : logo.content

/** Returns the seller at the time of finalizing; for a draft, the current one. */
function sellerOn(row: InvoiceRow, business: Business): Seller {
  return row.seller ?? sellerOf(business)
}

const titles = { draft: 'Draft invoice', open: 'Invoice', paid: 'Invoice', void: 'Void invoice' }

function titleOf({ number, status }: InvoiceRow, lines: LineRow[]): string {
  if (number === null) return titles.draft
  return `${isTaxed(lines) && status !== 'void' ? 'Tax invoice' : titles[status]} ${number}`
}

const isTaxed = (lines: LineRow[]): boolean => lines.some((line) => line.tax_rate_bps !== null)

function factsOf(row: InvoiceRow, timeZone: string): Fact[] {
  const day = (moment: Date | null): Day | null => moment && dayOf(moment, timeZone)
  const days: [string, Day | null][] = [
    ['Issued', day(row.finalized_at)],
    ['Due', row.due_day],
    ['Paid', day(row.paid_at)],
    ['Voided', day(row.voided_at)],
  ]
  return [
    ...days.flatMap(([label, of]): Fact[] => (of === null ? [] : [[label, longDay(of)]])),
    ...(row.livemode ? [] : [['Test mode', 'no real money moves'] satisfies Fact]),
  ]
}

const quantityOf = (line: LineRow): string =>
  line.quantity.toString().replaceAll(/\B(?=(\d{3})+$)/g, ',')

/** Returns the rate of a line, and whether its price includes the tax. */
function taxShown({ tax_rate_bps, tax_inclusive }: LineRow): string {
  if (tax_rate_bps === null) return '–'
  return tax_inclusive ? `incl. ${showRate(tax_rate_bps)}` : showRate(tax_rate_bps)
}

/** Returns the columns, moved to the left as far as large numbers and tax rates need it. */
function columnsFor(canvas: Canvas, row: InvoiceRow, lines: LineRow[]): Columns {
  const widest = (texts: string[]): number =>
    Math.max(...texts.map((text) => canvas.width(text, plain)))
  const totalFrom =
    right - widest(['Amount', ...lines.map((line) => showMoney(line.total, row.currency))])
  const tax = isTaxed(lines) ? totalFrom - gap : null
  const taxFrom = tax === null ? totalFrom : tax - widest(['Tax', ...lines.map(taxShown)])
  const amount = Math.min(widestColumns.amount, taxFrom - gap)
  const amountFrom =
    amount - widest(['Unit price', ...lines.map((line) => showMoney(line.amount, row.currency))])
  const quantity = Math.min(widestColumns.quantity, amountFrom - gap)
  const quantityFrom = quantity - widest(['Quantity', ...lines.map(quantityOf)])
  return {
    total: right,
    tax,
    amount,
    quantity,
    name: Math.min(widestColumns.name, quantityFrom - gap - left),
  }
}

/** Returns the name of a line, with its discount below it. */
function nameOf(
  { name, discount, discount_bps }: LineRow,
  currency: InvoiceRow['currency'],
): string {
  if (discount === 0n) return name
  const share = discount_bps === null ? '' : ` of ${showRate(discount_bps)}`
  return `${name}\nDiscount${share}: −${showMoney(discount, currency)}`
}

function drawLines(canvas: Canvas, row: InvoiceRow, lines: LineRow[], from: number): number {
  const ends = columnsFor(canvas, row, lines)
  const header = (y: number): number => {
    const style = { size: 9, color: grey }
    canvas.text('Description', left, y, style)
    canvas.right('Quantity', ends.quantity, y, style)
    canvas.right('Unit price', ends.amount, y, style)
    if (ends.tax !== null) canvas.right('Tax', ends.tax, y, style)
    canvas.right('Amount', ends.total, y, style)
    canvas.line(left, right, y + 15, rule)
    return y + 23
  }
  let y = header(from > bottom - 60 ? canvas.page() : from)
  for (const line of lines) {
    const name = nameOf(line, row.currency)
    const height = canvas.break(name, ends.name, plain).length * lineHeight(plain)
    if (y + height > bottom) y = header(canvas.page())
    canvas.right(quantityOf(line), ends.quantity, y, plain)
    canvas.right(showMoney(line.amount, row.currency), ends.amount, y, plain)
    if (ends.tax !== null) canvas.right(taxShown(line), ends.tax, y, plain)
    canvas.right(showMoney(line.total, row.currency), ends.total, y, plain)
    y = canvas.wrap(name, left, y, ends.name, plain) + 6
  }
  canvas.line(left, right, y, rule)
  return y + 10
}

function totalsOf(row: InvoiceRow, lines: LineRow[]): Total[] {
  const { currency, total } = row
  const { subtotal, taxes } = taxTotals(row, lines)
  const shown = (amount: bigint): string => showMoney(amount, currency)
  return [
    ...(taxes.length === 0 ? [] : [['Without tax', shown(subtotal)] satisfies Total]),
    ...taxes.map(
      ({ rate_bps, net, tax: of }): Total => [
        `Tax of ${showRate(rate_bps)} on ${shown(net)}`,
        shown(of),
      ],
    ),
    [currency === 'eur' ? 'Total in euros' : 'Total', shown(total), currency !== 'eur'],
    ...(currency === 'eur' && row.collect_amount !== null
      ? ([
          ['Rate', `€1 = $${row.exchange_rate}`],
          ['Total', showMoney(row.collect_amount, 'usd'), true],
        ] satisfies Total[])
      : []),
  ]
}

/** Returns the paid and remaining amounts of an invoice for which money came. */
function paidTotals(row: InvoiceRow, { amount_paid: paid, amount_due: due }: Sums): Total[] {
  if (paid === 0n || (row.status !== 'open' && row.status !== 'paid')) return []
  const shown = (amount: bigint): string => showMoney(amount, row.collect_currency ?? row.currency)
  return [
    ['Paid', shown(paid), row.status === 'paid'],
    ['Still due', shown(due), row.status === 'open'],
  ]
}

/** Says in large letters that the invoice is paid, as a stamp does. */
function drawPaidMark(canvas: Canvas, from: number): number {
  const y = from + 40 > bottom ? canvas.page() : from
  canvas.text('PAID', left, y, { size: 26, bold: true, color: green })
  return y
}

function drawPayLink(canvas: Canvas, url: string, from: number): void {
  const y = from > bottom - 110 ? canvas.page() : from + 16
  canvas.qr(url, left, y, 84)
  canvas.text('Pay online', left + 100, y + 8, { size: 12, bold: true, color: black })
  canvas.wrap('Scan the code with your phone, or open', left + 100, y + 28, right - left - 100, {
    size: 10,
    color: grey,
  })
  canvas.link(url, left + 100, y + 44, right - left - 100, plain)
}

/** Returns the PDF for a payment's page; null when the payment does not belong to an invoice. */
export async function pdfOfPayment(
  ctx: Ctx,
  payment: { invoice_id: string | null },
): Promise<{ name: string; content: Uint8Array } | null> {
  if (payment.invoice_id === null) return null
  const row = await find(ctx, payment.invoice_id)
  return { name: `invoice-${row.number}.pdf`, content: await invoicePdf(ctx, row) }
}
