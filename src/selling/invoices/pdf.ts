/**
 * An invoice as a PDF: text that can be selected, fonts that are embedded, money aligned to the right.
 */
import {
  addressLines,
  type Business,
  getBusiness,
  logoOf,
  numbersOf,
  type Seller,
  sellerOf,
} from '../../books/profiles/profiles.ts'
import { checkoutUrl } from '../../collecting/payments/payments.ts'
import type { Ctx } from '../../core/outside.ts'
import { dayOf } from '../../lib/clock.ts'
import { toJson } from '../../lib/json.ts'
import { showMoney } from '../../lib/money.ts'
import { bottom, type Canvas, lineHeight, openCanvas, type Style } from '../../lib/pdf/canvas.ts'
import { find, linesOf } from './record.ts'
import type { BillTo, InvoiceRow, LineRow } from './sql.ts'

const left = 56
const right = 539
const grey = '#5b6472'
const black = '#12161d'
const rule = '#d8dce2'

const plain: Style = { size: 10 }
/** Between two columns, at least. */
const gap = 14

/** Where the columns of numbers end, and how wide the names may be. */
type Columns = { quantity: number; amount: number; total: number; name: number }
const usual: Columns = { quantity: 330, amount: 435, total: right, name: 210 }

/** A cache of PDFs, by all that they show: to make one takes long, and an invoice hardly changes. */
const cache = new Map<string, Promise<Uint8Array>>()
const maxCached = 100

/** The PDF of an invoice, in any state: what it is stands on it. */
export async function invoicePdf(ctx: Ctx, row: InvoiceRow): Promise<Uint8Array> {
  const business = await getBusiness(ctx)
  const key = [row.id, row.updated_at.toISOString(), row.status, toJson(business), ctx.origin.url].join(' ')
  const known = cache.get(key)
  if (known) return known
  if (cache.size >= maxCached) cache.delete(cache.keys().next().value as string)
  const pdf = makePdf(ctx, row, business)
  cache.set(key, pdf)
  pdf.catch(() => cache.delete(key))
  return pdf
}

async function makePdf(ctx: Ctx, row: InvoiceRow, business: Business): Promise<Uint8Array> {
  const [lines, logo] = await Promise.all([linesOf(ctx, [row.id]), business.logo && logoOf(ctx)])
  const seller = sellerIn(row, business)
  const canvas = await openCanvas(ctx.config.PDF_FONTS, {
    title: row.number === null ? 'Draft invoice' : `Invoice ${row.number}`,
    author: seller.name,
    at: row.finalized_at ?? row.created_at,
  })
  // No PDF can hold a WebP picture.
  const shown = logo?.media_type === 'image/webp' ? null : logo
  let y = head(canvas, row, seller.name, shown?.content ?? null)
  y = parties(canvas, row, seller, business, y)
  y = table(canvas, row, lines, y)
  y = totals(canvas, row, y)
  if (row.memo !== null) y = canvas.wrap(row.memo, left, y + 18, right - left, { size: 10 }) + 6
  if (row.status === 'open' && row.slug !== null) payLink(canvas, checkoutUrl(ctx, row.slug), y)
  return canvas.close()
}

/** Who sells: as it was when the invoice was finalized. Of those from before there were profiles, the name is known. */
function sellerIn(row: InvoiceRow, business: Business): Seller {
  if (row.seller !== null) return row.seller
  if (row.status === 'draft') return sellerOf(business)
  return { name: business.name, address: null, tax_id: null, registration_number: null }
}

const titles = { draft: 'Draft invoice', open: 'Invoice', paid: 'Invoice', void: 'Void invoice' }

function head(canvas: Canvas, row: InvoiceRow, seller: string, logo: Uint8Array | null): number {
  const title = row.number === null ? titles.draft : `${titles[row.status]} ${row.number}`
  const top = logo === null ? 56 : 56 + canvas.picture(logo, left, 56, { width: 160, height: 44 }) + 10
  const end = canvas.wrap(seller, left, top, 260, { size: 15, bold: true })
  canvas.right(title, right, 56, { size: 18, bold: true })
  let y = 82
  const fact = (label: string, value: string): void => {
    canvas.right(value, right, y, { size: 10 })
    canvas.right(label, right - 130, y, { size: 10, color: grey })
    y += 16
  }
  if (row.finalized_at) fact('Issued', dayOf(row.finalized_at))
  if (row.due_date) fact('Due', dayOf(row.due_date))
  if (row.paid_at) fact('Paid', dayOf(row.paid_at))
  if (row.voided_at) fact('Voided', dayOf(row.voided_at))
  if (!row.livemode) fact('Test mode', 'no real money moves')
  return Math.max(y, end) + 22
}

function parties(canvas: Canvas, row: InvoiceRow, seller: Seller, business: Business, from: number): number {
  const column = (label: string, lines: string[], x: number): number => {
    canvas.text(label, x, from, { size: 9, color: grey })
    return lines.reduce((y, line, i) => canvas.wrap(line, x, y, 220, { size: 10, bold: i === 0 }) + 2, from + 14)
  }
  const billTo: BillTo | null = row.bill_to
  // Whom to ask is who can be asked today.
  const ways = [business.support_email, business.support_phone].filter((way) => way !== null)
  const sender = [seller.name, ...addressLines(seller.address), ...numbersOf(seller), ...ways]
  const b = column('From', sender, left + 260)
  const page = canvas.pages()
  // Last, since who has a long name and address may need another page.
  const receiver = billTo ? [billTo.name, billTo.email, ...addressLines(billTo.address)] : ['–']
  const a = column('Billed to', receiver, left)
  return (canvas.pages() > page ? a : Math.max(a, b)) + 20
}

const quantityOf = (line: LineRow): string => line.quantity.toString().replaceAll(/\B(?=(\d{3})+$)/g, ',')

/** The usual columns, moved to the left as far as large numbers need it. */
function columnsFor(canvas: Canvas, row: InvoiceRow, lines: LineRow[]): Columns {
  const widest = (texts: string[]): number => Math.max(...texts.map((text) => canvas.width(text, plain)))
  const totalFrom = right - widest(lines.map((line) => showMoney(line.total, row.currency)))
  const amount = Math.min(usual.amount, totalFrom - gap)
  const amountFrom = amount - widest(['Unit price', ...lines.map((line) => showMoney(line.amount, row.currency))])
  const quantity = Math.min(usual.quantity, amountFrom - gap)
  const quantityFrom = quantity - widest(['Quantity', ...lines.map(quantityOf)])
  return { total: right, amount, quantity, name: Math.min(usual.name, quantityFrom - gap - left) }
}

function table(canvas: Canvas, row: InvoiceRow, lines: LineRow[], from: number): number {
  const ends = columnsFor(canvas, row, lines)
  const header = (y: number): number => {
    const style = { size: 9, color: grey }
    canvas.text('Description', left, y, style)
    canvas.right('Quantity', ends.quantity, y, style)
    canvas.right('Unit price', ends.amount, y, style)
    canvas.right('Amount', ends.total, y, style)
    canvas.line(left, right, y + 15, rule)
    return y + 23
  }
  let y = header(from > bottom - 60 ? canvas.page() : from)
  for (const line of lines) {
    const height = canvas.break(line.name, ends.name, plain).length * lineHeight(plain)
    if (y + height > bottom) y = header(canvas.page())
    canvas.right(quantityOf(line), ends.quantity, y, plain)
    canvas.right(showMoney(line.amount, row.currency), ends.amount, y, plain)
    canvas.right(showMoney(line.total, row.currency), ends.total, y, plain)
    y = canvas.wrap(line.name, left, y, ends.name, plain) + 6
  }
  canvas.line(left, right, y, rule)
  return y + 10
}

function totals(canvas: Canvas, row: InvoiceRow, from: number): number {
  let y = from > bottom - 70 ? canvas.page() : from
  const total = (label: string, value: string, bold: boolean): void => {
    const begins = canvas.right(value, right, y, { size: bold ? 13 : 10, bold })
    canvas.right(label, Math.min(usual.amount - 20, begins - gap), y + (bold ? 2 : 0), { size: 10, color: grey })
    y += bold ? 24 : 17
  }
  total(row.currency === 'eur' ? 'Total in euros' : 'Total', showMoney(row.total, row.currency), row.currency !== 'eur')
  if (row.currency === 'eur' && row.collect_amount !== null) {
    total('Rate', `€1 = $${row.exchange_rate}`, false)
    total('Total', showMoney(row.collect_amount, 'usd'), true)
  }
  return y
}

function payLink(canvas: Canvas, url: string, from: number): void {
  const y = from > bottom - 110 ? canvas.page() : from + 16
  canvas.qr(url, left, y, 84)
  canvas.text('Pay online', left + 100, y + 8, { size: 12, bold: true, color: black })
  canvas.wrap('Scan the code with your phone, or open', left + 100, y + 28, right - left - 100, {
    size: 10,
    color: grey,
  })
  canvas.link(url, left + 100, y + 44, right - left - 100, plain)
}

/** The PDF behind an invoice's page, by its payment; null when the payment is no invoice's. */
export async function pdfOfPayment(
  ctx: Ctx,
  payment: { invoice_id: string | null },
): Promise<{ name: string; content: Uint8Array } | null> {
  if (payment.invoice_id === null) return null
  const row = await find(ctx, payment.invoice_id)
  return { name: `invoice-${row.number}.pdf`, content: await invoicePdf(ctx, row) }
}
