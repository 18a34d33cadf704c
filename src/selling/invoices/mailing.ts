/** Mails invoices on request, and reminders around their due dates. */
import {
  type Business,
  getBusiness,
  signatureLines,
  timeZoneOf,
} from '../../books/profiles/profiles.ts'
import { addressOf } from '../../collecting/customers/customers.ts'
import { checkoutUrl } from '../../collecting/payments/payments.ts'
import type { View, Work } from '../../core/inside.ts'
import type { Task } from '../../core/module.ts'
import type { Ctx } from '../../core/outside.ts'
import { type Day, dayAfter, dayOf, daysBetween, longDay, momentAfter } from '../../lib/days.ts'
import type { Id } from '../../lib/ids.ts'
import { showMoney } from '../../lib/money.ts'
import { emit } from '../../platform/events/events.ts'
import { enqueue, schedule } from '../../platform/jobs/timers.ts'
import {
  deliver,
  enclose,
  lookOf,
  queuedMail,
  recordEnd,
  writeMail,
} from '../../platform/mail/mail.ts'
import { invoiceEvents } from './events.ts'
import { invoicePdf } from './pdf.ts'
import {
  find,
  findSumsOf,
  type Invoice,
  lock,
  mailTask,
  remindTask,
  type Sums,
  save,
  toRecord,
} from './record.ts'
import { refuse } from './refusals.ts'
import type { InvoiceRow } from './sql.ts'

/**
 * Mails an open invoice to its customer, with the PDF and the link to its page.
 * @throws {Refusal} `not_found`, `invoice_not_open`, `customer_not_found` once the customer is
 * deleted, `smtp_not_configured`, `too_many_mails`
 */
export async function send(work: Work, id: string): Promise<Invoice> {
  const row = await lock(work, id)
  if (row.status !== 'open')
    refuse('invoice_not_open', `The invoice is ${row.status}; only an open invoice is mailed.`)
  const address = await addressOf(work, row.customer_id)
  if (address === null)
    return refuse(
      'customer_not_found',
      'The customer of the invoice was deleted, so it has no recipient. Void it, or send its `payment_url` yourself.',
    )
  return toRecord(work, await mailInvoice(work, row, address, null))
}

/**
 * Queues an invoice mail for a job of this commit. Captured mail counts as sent at once.
 * @param to the customer's current address; the invoice itself keeps the one that it was made with
 * @param day of a reminder, which is mailed once; null for a requested mail
 */
async function mailInvoice(
  work: Work,
  row: InvoiceRow,
  to: string,
  day: number | null,
): Promise<InvoiceRow> {
  const business = await getBusiness(work)
  const sums = await findSumsOf(work, row)
  const reminder =
    day === null ? null : reminderText(row, sums, dayOf(work.scope.now, business.time_zone))
  const subject = `${reminder === null ? '' : 'Reminder: '}Invoice ${row.number} from ${business.name}`
  const written = await writeMail(work, {
    invoice: row.id,
    recipient: to,
    subject,
    body: bodyOf(work, row, business, reminder ?? sentenceOn(row, sums, business)),
    day,
  })
  if (!written) return row
  if (written.status === 'captured') return markSent(work, row)
  await enqueue(work, [
    { task: mailTask, subject: row.id, payload: { mail_id: written.id, invoice_id: row.id } },
  ])
  return row
}

/** Marks an invoice as mailed. */
async function markSent(work: Work, row: InvoiceRow): Promise<InvoiceRow> {
  const saved = await save(work, row, { sent_at: work.scope.now })
  await emit(work, invoiceEvents, 'invoice.sent', await toRecord(work, saved))
  return saved
}

const money = (row: InvoiceRow, amount: bigint): string =>
  showMoney(amount, row.collect_currency ?? row.currency)

/** Returns a sentence on the invoice and what is left to pay. */
function sentenceOn(
  row: InvoiceRow,
  { amount_paid: paid, amount_due: due }: Sums,
  business: Business,
): string {
  const sent = `${business.name} has sent you invoice ${row.number} for ${showMoney(row.total, row.currency)}.`
  return paid === 0n
    ? sent
    : `${sent} ${money(row, paid)} was paid, and ${money(row, due)} is still to be paid.`
}

const seeAndPay = 'See it and pay it here:'

/** Says in an invoice mail that its PDF is missing, above the link to the page. */
const withoutPdf = (body: string): string =>
  body.replace(seeAndPay, `Its PDF could not be made, so it is not attached.\n${seeAndPay}`)

function bodyOf(view: View, row: InvoiceRow, business: Business, first: string): string {
  const due = row.due_day ? `It is due on ${longDay(row.due_day)}.` : null
  const collected =
    row.currency === 'eur' && row.collect_amount !== null
      ? `It is paid in dollars: ${showMoney(row.collect_amount, 'usd')}.`
      : null
  return [
    `Hello ${row.bill_to?.name ?? ''},`,
    '',
    first,
    ...[due, collected].filter((line) => line !== null),
    '',
    seeAndPay,
    checkoutUrl(view, row.slug ?? ''),
    '',
    ...(row.memo === null ? [] : [row.memo, '']),
    ...signatureLines(business, row.livemode),
  ].join('\n')
}

/** Schedules an invoice's reminders, except those in the past. */
export async function scheduleReminders(work: Work, row: InvoiceRow): Promise<void> {
  const { due_date: due, reminders } = row
  if (!due) return
  const timeZone = await timeZoneOf(work)
  const days = [...(reminders.days_before ?? []).map((n) => -n), ...(reminders.days_after ?? [])]
  for (const day of new Set(days)) {
    const dueAt = momentAfter(due, day, timeZone)
    if (dueAt > work.scope.now)
      await schedule(work, {
        task: remindTask,
        subject: row.id,
        dueAt,
        payload: { invoice_id: row.id, day },
      })
  }
}

/**
 * Returns a sentence on when the invoice is or was due. @param today in the business's time zone
 */
function reminderText(
  row: InvoiceRow,
  { amount_paid: paid, amount_due: due }: Sums,
  today: Day,
): string {
  const day = row.due_day === null ? 0 : daysBetween(row.due_day, today)
  const whole = `nvoice ${row.number} for ${showMoney(row.total, row.currency)}`
  const what =
    paid === 0n
      ? `I${whole}`
      : `Of i${whole}, ${money(row, paid)} was paid. The remaining ${money(row, due)}`
  const days = `${Math.abs(day)} ${Math.abs(day) === 1 ? 'day' : 'days'}`
  if (day === 0) return `${what} is due today.`
  return day < 0
    ? `${what} is due in ${days}.`
    : `${what} was due ${days} ago, and has not been paid yet.`
}

/** Mails a reminder, if the invoice is still open. */
function remind(ctx: Ctx, id: Id, day: number): Promise<void> {
  return ctx.write(async (work) => {
    const row = await lock(work, id)
    if (row.status !== 'open') return
    // After an outage of a day or more, the text of the reminder is no longer true.
    const today = dayOf(work.scope.now, await timeZoneOf(work))
    if (row.due_day !== null && today > dayAfter(row.due_day, day)) return
    if (row.livemode && ctx.config.SMTP_URL === null) {
      ctx.log.warn({ invoice: id }, 'a reminder was not sent: there is no SMTP_URL')
      return
    }
    const address = await addressOf(work, row.customer_id)
    if (address !== null) await mailInvoice(work, row, address, day)
  })
}

/**
 * Sends a queued mail, and marks its invoice once the SMTP server has accepted it. Drops the mail
 * when the invoice is no longer open.
 */
async function deliverMail(ctx: Ctx, mailId: Id, invoiceId: Id): Promise<void> {
  const waiting = await queuedMail(ctx, mailId)
  if (!waiting) return
  const invoice = await find(ctx, invoiceId)
  const isWanted = invoice.status === 'open' && (await addressOf(ctx, invoice.customer_id)) !== null
  if (!isWanted) {
    await ctx.write((work) => recordEnd(work, mailId, 'dropped'))
    return
  }
  const filename = `invoice-${invoice.number}.pdf`
  const pdf = async () => ({ filename, content: await invoicePdf(ctx, invoice) })
  const { body, attachments } = await enclose(ctx, waiting, pdf, withoutPdf)
  const end = await deliver(ctx, { ...waiting, body }, attachments, await lookOf(ctx))
  await ctx.write(async (work) => {
    const row = await lock(work, invoiceId)
    if ((await recordEnd(work, mailId, end, body)) && end === 'sent') await markSent(work, row)
  })
}

/** Jobs that wait for the SMTP server. */
export const mailTasks: Record<string, Task> = {
  [mailTask]: (ctx, payload) => deliverMail(ctx, payload.mail_id as Id, payload.invoice_id as Id),
}

export const invoiceTasks: Record<string, Task> = {
  [remindTask]: (ctx, payload) => remind(ctx, payload.invoice_id as Id, Number(payload.day)),
}
