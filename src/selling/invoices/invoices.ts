/**
 * Invoices are drafts that become requests for payment. A finalized invoice has a number, a payment
 * and a page, and changes only when it is paid or voided.
 */
import { recordAct } from '../../books/audit/audit.ts'
import {
  getBusiness,
  localeOf,
  rangeOf,
  sellerOf,
  timeZoneOf,
} from '../../books/profiles/profiles.ts'
import * as customers from '../../collecting/customers/customers.ts'
import * as payments from '../../collecting/payments/payments.ts'
import { insert, type View, type Work } from '../../core/inside.ts'
import type { Ctx } from '../../core/outside.ts'
import { listPage, type Match, type PageOf } from '../../db/lists/list.ts'
import { matchAmount, matchesOfText, matchId, parseAmounts } from '../../db/lists/matches.ts'
import { dayOf, startOfDay } from '../../lib/days.ts'
import { refuseInput } from '../../lib/errors.ts'
import { wholeFile } from '../../lib/files.ts'
import { type Id, newId } from '../../lib/ids.ts'
import { allocate, assertCarryable, formatDecimal, multiplyDown } from '../../lib/money.ts'
import type { Static } from '../../lib/schema.ts'
import { emit } from '../../platform/events/events.ts'
import { creditSale } from '../distributions/distributions.ts'
import { invoiceEvents } from './events.ts'
import { readLines, storeLines } from './lines.ts'
import { scheduleReminders } from './mailing.ts'
import { invoicePdf } from './pdf.ts'
import { find, type Invoice, linesOf, lock, toRecord, toRecords, transition } from './record.ts'
import { refuse } from './refusals.ts'
import type { InvoiceChange, InvoiceIn, InvoiceQuery, PreviewIn, PreviewRecord } from './schema.ts'
import type { InvoiceRow, LineRow, Reminders } from './sql.ts'
import * as statements from './sql.ts'
import { netOf, taxTotals } from './tax.ts'

export {
  drawHead,
  drawParties,
  drawTotals,
  type Fact,
  paper,
  type Total as PdfTotal,
} from './letter.ts'
export { invoiceTasks, mailTasks, send } from './mailing.ts'
export { drawableLogo, pdfOfPayment } from './pdf.ts'
export { find, type Invoice, linesOf } from './record.ts'
export { invoiceRefusals } from './refusals.ts'
export { rateColumns, Taxes } from './schema.ts'
export type { InvoiceRow } from './sql.ts'
export {
  groupByRate,
  type RatePart,
  ratedParts,
  rowsByRate,
  shareBack,
  showRate,
  taxTotals,
} from './tax.ts'

/**
 * Creates a draft.
 * @throws {Refusal} `customer_not_found`, `product_not_found`, `product_archived`,
 * `mixed_currencies`, `amount_too_large`; `validation_failed` for an invalid due date, and for
 * reminders without one
 */
export async function create(work: Work, input: Static<typeof InvoiceIn>): Promise<Invoice> {
  const { now } = work.scope
  const due = await readDue(work, input.due_date)
  checkReminders(due.due_date, input.reminders ?? {})
  if (!(await customers.findCustomer(work, input.customer)))
    refuse('customer_not_found', `There is no customer '${input.customer}'.`)
  const { lines, currency, total } = await readLines(work, input, [])
  const row = (await insert(work, statements.invoices, {
    id: newId(now),
    customer_id: input.customer,
    currency,
    total,
    ...due,
    memo: input.memo ?? null,
    status: 'draft',
    reminders: input.reminders ?? {},
    metadata: input.metadata ?? {},
    created_at: now,
    updated_at: now,
  })) as InvoiceRow
  await storeLines(work, row.id, lines)
  return toRecord(work, row)
}

type Due = Pick<InvoiceRow, 'due_date' | 'due_day'>

/**
 * Reads the due day of an invoice, and the time at which it starts.
 * @throws {Refusal} `validation_failed` for a time that no clock shows, such as a leap second
 */
async function readDue(view: View, text: string | null | undefined): Promise<Due> {
  if (text == null) return { due_date: null, due_day: null }
  const given = new Date(text)
  const year = given.getUTCFullYear()
  if (!(year >= 1 && year <= 9_999))
    refuseInput([
      {
        path: 'due_date',
        message: 'due_date must be a time, or a day, of the years 1 to 9999',
        location: 'body',
      },
    ])
  const timeZone = await timeZoneOf(view)
  if (!isDay(text)) return { due_date: given, due_day: dayOf(given, timeZone) }
  const begins = startOfDay(text, timeZone)
  const same = [0, 10_000].includes(begins.getUTCFullYear()) ? given : begins
  return { due_date: same, due_day: text }
}

const isDay = (text: string): boolean => text.length === 10

/** Whether a change keeps the due day: it names none, or the same one, as a form does. */
const isSameDue = (old: Due, text: string | null | undefined): boolean =>
  text === undefined || (text !== null && text === old.due_day)

/** @throws {Refusal} `validation_failed` for reminders without a due date */
function checkReminders(
  dueDate: Date | null,
  { days_before: before = [], days_after: after = [] }: Reminders,
): void {
  if (dueDate !== null || before.length + after.length === 0) return
  const message =
    'due_date is required for reminders, which are counted from it; add a due_date or remove the reminders'
  refuseInput([{ path: 'due_date', message, location: 'body' }])
}

/**
 * Changes a draft. New lines copy their products again.
 * @throws {Refusal} `not_found`, `invoice_not_draft`, and as `create`
 */
export async function update(
  work: Work,
  id: string,
  input: Static<typeof InvoiceChange>,
): Promise<Invoice> {
  const old = await lock(work, id)
  if (old.status !== 'draft')
    refuse('invoice_not_draft', `The invoice is ${old.status}; only a draft can be changed.`)
  if (input.currency !== undefined && input.lines === undefined)
    refuseInput([
      { path: 'currency', message: 'currency is changed with the lines only', location: 'body' },
    ])
  const due = isSameDue(old, input.due_date)
    ? { due_date: old.due_date, due_day: old.due_day }
    : await readDue(work, input.due_date)
  const reminders = input.reminders ?? old.reminders
  checkReminders(due.due_date, reminders)
  const patch: Partial<InvoiceRow> = {
    ...due,
    memo: input.memo === undefined ? old.memo : input.memo,
    reminders,
    metadata: input.metadata ?? old.metadata,
  }
  if (input.lines) {
    const { lines, currency, total } = await readLines(
      work,
      { lines: input.lines, currency: input.currency },
      await linesOf(work, [old.id]),
    )
    await work.rows(statements.deleteLines, [old.id])
    await storeLines(work, old.id, lines)
    Object.assign(patch, { currency, total })
  }
  return toRecord(work, await transition(work, old, 'change', patch))
}

/** Returns what an invoice of these lines would ask for. @throws {Refusal} as `create` */
export async function preview(
  view: View,
  input: Static<typeof PreviewIn>,
): Promise<Static<typeof PreviewRecord>> {
  const { lines, currency, total } = await readLines(view, input, [])
  const shown = lines.map(({ distribution_id: _plan, product_id, ...line }) => ({
    product: product_id,
    ...line,
  }))
  return { currency, lines: shown, total, ...taxTotals({ total }, lines) }
}

/**
 * Deletes a draft.
 * @returns its last state
 * @throws {Refusal} `not_found`, `invoice_not_draft`
 */
export async function remove(work: Work, id: string): Promise<Invoice> {
  const old = await lock(work, id)
  if (old.status !== 'draft')
    refuse(
      'invoice_not_draft',
      `The invoice is ${old.status}; only a draft can be deleted. Void an open one instead.`,
    )
  const last = await toRecord(work, old)
  await work.rows(statements.deleteInvoice, [old.id])
  await recordInvoiceAct(work, 'invoice.deleted', old)
  return last
}

/**
 * Finalizes a draft: it gets the next number, a payment, and a page where it is paid.
 * @throws {Refusal} `not_found`, `invoice_not_draft`, `customer_not_found`, `unsupported_currency`,
 * `rail_not_configured`
 */
export async function finalize(work: Work, id: string): Promise<Invoice> {
  const draft = await lock(work, id)
  if (draft.status !== 'draft')
    refuse('invoice_not_draft', `The invoice is ${draft.status} already.`)
  if (!(await customers.findCustomer(work, draft.customer_id)))
    refuse('customer_not_found', 'The customer of the invoice was deleted.')
  const { name, email, address } = await customers.get(work, draft.customer_id)
  const collect = amountToCollect(work, draft)
  const seller = sellerOf(await getBusiness(work))
  // After everything that can be refused, because other requests wait for this row.
  const number = (await work.row(statements.nextNumber))?.last as bigint
  const numbered = {
    ...draft,
    ...collect,
    number,
    bill_to: { name, email, address: address as never },
  }
  const payment = await openPayment(work, numbered)
  const open = await transition(work, draft, 'finalize', {
    ...collect,
    number,
    bill_to: numbered.bill_to,
    seller,
    payment_id: payment.id,
    slug: payment.slug,
    finalized_at: work.scope.now,
  })
  await scheduleReminders(work, open)
  const invoice = await toRecord(work, open)
  await emit(work, invoiceEvents, 'invoice.finalized', invoice)
  return invoice
}

/** Returns the amount to collect: the total, or for euros its worth in dollars at today's rate. */
function amountToCollect(
  view: View,
  { currency, total }: InvoiceRow,
): Pick<InvoiceRow, 'exchange_rate' | 'collect_currency' | 'collect_amount'> {
  if (currency !== 'eur')
    return { exchange_rate: null, collect_currency: currency, collect_amount: total }
  const rate = view.pricing.rate('eur', 'usd')
  if (!rate) return refuse('unsupported_currency', 'This server has no rate from eur to usd.')
  const amount = multiplyDown(total, rate)
  return {
    exchange_rate: formatDecimal(rate),
    collect_currency: 'usd',
    collect_amount: assertCarryable(amount > 0n ? amount : 1n),
  }
}

/** Opens the payment of an invoice. It stays open as long as the invoice. */
async function openPayment(work: Work, invoice: InvoiceRow): Promise<{ id: Id; slug: string }> {
  const { id } = await payments.create(
    work,
    {
      amount: Number(invoice.collect_amount),
      currency: invoice.collect_currency as 'usd' | 'ngn',
      customer: invoice.customer_id,
      description: `Invoice ${invoice.number}`,
      metadata: invoice.metadata,
    },
    { invoice: invoice.id },
  )
  return payments.find(work, id)
}

/**
 * Voids an open invoice and cancels its payment. Partial payments stay in the wallet, and can be
 * refunded.
 * @throws {Refusal} `not_found`, `invoice_not_open`, `payment_processing` while a card is being
 * charged
 */
export async function voidInvoice(work: Work, id: string): Promise<Invoice> {
  const found = await find(work, id)
  if (found.payment_id === null)
    refuse('invoice_not_open', 'The invoice is a draft: delete it instead.')
  await payments.lock(work, found.payment_id)
  const open = await lock(work, id)
  if (open.payment_id !== found.payment_id || open.status !== 'open')
    refuse('invoice_not_open', `The invoice is ${open.status}; only an open invoice can be voided.`)
  const row = await transition(work, open, 'void', { voided_at: work.scope.now })
  await payments.cancel(work, open.payment_id, open.id)
  await recordInvoiceAct(work, 'invoice.voided', open)
  const invoice = await toRecord(work, row)
  await emit(work, invoiceEvents, 'invoice.voided', invoice)
  return invoice
}

const recordInvoiceAct = (
  work: Work,
  action: 'invoice.deleted' | 'invoice.voided',
  { id, number, total, currency }: InvoiceRow,
): Promise<void> =>
  recordAct(work, { action, subject: id, about: { number, amount: Number(total), currency } })

/** Returns the PDF of an invoice, in one chunk. @throws {Refusal} `not_found` */
export async function pdf(ctx: Ctx, id: string): Promise<AsyncIterable<Uint8Array>> {
  return wholeFile(await invoicePdf(ctx, await find(ctx, id)))
}

export type SoldInvoice = { invoice: InvoiceRow; lines: LineRow[] }

/** Returns the lines that a payer sees; null when the payment does not belong to an invoice. */
export async function linesOfPayment(view: View, invoice: Id | null): Promise<SoldInvoice | null> {
  return invoice === null
    ? null
    : { invoice: await find(view, invoice), lines: await linesOf(view, [invoice]) }
}

/** @throws {Refusal} `not_found` */
export async function get(ctx: Ctx, id: string): Promise<Invoice> {
  return toRecord(ctx, await find(ctx, id))
}

export async function list(ctx: Ctx, query: Static<typeof InvoiceQuery>): Promise<PageOf<Invoice>> {
  const overdueBefore = query.overdue ? dayOf(ctx.scope.now, await timeZoneOf(ctx)) : undefined
  const page = await listPage<InvoiceRow>(ctx, statements.invoices, query, {
    facets: { currency: query.currency, status: query.status },
    filters: [
      ['customer_id = ?', query.customer],
      [`status = 'open' and due_day is not null and due_day < ?::text::date`, overdueBefore],
    ],
    ...(await rangeOf(ctx, query)),
    searches: [
      query.number === undefined ? undefined : [withNumber(query.number)],
      query.email === undefined ? undefined : [await customers.ofCustomersWith(ctx, query.email)],
      await matchesOfText(query.search, (text) => matchesOf(ctx, text)),
      query.amount === undefined ? undefined : [matchAmount([query.amount], 'total')],
    ],
  })
  return { ...page, docs: await toRecords(ctx, page.docs) }
}

const withNumber = (number: number | string): Match => ({
  each: 'number = ?',
  values: [number],
  type: 'bigint',
})

/** Returns the fields of an invoice that a typed search text may match. */
async function matchesOf(ctx: Ctx, text: string): Promise<Match[]> {
  return [
    ...(/^\d{1,15}$/.test(text) ? [withNumber(text)] : []),
    matchId(text),
    await customers.ofCustomersNamed(ctx, text),
    matchAmount(parseAmounts(text, await localeOf(ctx)), 'total'),
  ]
}

/** The strategy of invoices for their payments: a completed payment pays the invoice. */
export const invoiceOrigin: payments.PaymentOrigin = {
  async receiving(work, id) {
    await lock(work, id)
  },
  async ended(work, id, payment) {
    if (payment.status !== 'completed') return
    const invoice = await lock(work, id)
    // The money is booked in any case; only an open invoice changes.
    if (invoice.status === 'open') await markPaid(work, invoice, payment)
  },
}

/** Marks an invoice as paid, and credits the shares of its lines. */
async function markPaid(
  work: Work,
  invoice: InvoiceRow,
  payment: payments.PaymentRow,
): Promise<void> {
  const row = await transition(work, invoice, 'pay', { paid_at: work.scope.now })
  const lines = await linesOf(work, [invoice.id])
  // For euros, the collected amount differs from the sum of converted lines, so it is allocated
  // among them exactly, by net and tax.
  const parts = allocate(
    payment.amount,
    lines.flatMap((line) => [netOf(line), line.tax]),
  )
  await creditSale(
    work,
    payment,
    lines.map(({ distribution_id, quantity }, i) => {
      const [net = 0n, tax = 0n] = parts.slice(2 * i)
      return { distribution_id, quantity, net, tax }
    }),
    invoice.exchange_rate ?? '1',
  )
  await emit(work, invoiceEvents, 'invoice.paid', await toRecord(work, row))
}
