/** Mails credit notes on request, with their PDF. */
import { getBusiness, signatureLines } from '../../books/profiles/profiles.ts'
import { addressOf } from '../../collecting/customers/customers.ts'
import { checkoutUrl } from '../../collecting/payments/payments.ts'
import { update, type Work } from '../../core/inside.ts'
import type { Task } from '../../core/module.ts'
import type { Ctx } from '../../core/outside.ts'
import type { Id } from '../../lib/ids.ts'
import { showMoney } from '../../lib/money.ts'
import { enqueue } from '../../platform/jobs/timers.ts'
import {
  deliver,
  enclose,
  lookOf,
  queuedMail,
  recordEnd,
  writeMail,
} from '../../platform/mail/mail.ts'
import * as invoices from '../invoices/invoices.ts'
import { type CreditNote, find, toCreditNote, unknown } from './credit-notes.ts'
import { creditNotePdf } from './pdf.ts'
import { refuse } from './refusals.ts'
import type { CreditNoteRow } from './sql.ts'
import * as statements from './sql.ts'

export const mailTask = 'credit_notes.mail'

/**
 * Mails an issued credit note to the customer of its invoice.
 * @throws {Refusal} `not_found`, `credit_note_void`, `customer_not_found` once the customer is
 * deleted, `smtp_not_configured`, `too_many_mails`
 */
export async function send(work: Work, id: string): Promise<CreditNote> {
  const row = (await work.row(statements.lockCreditNote, [id])) ?? unknown(id)
  if (row.status !== 'issued')
    refuse('credit_note_void', 'The credit note is void: the refund came back.')
  const invoice = await invoices.find(work, row.invoice_id)
  const recipient = await addressOf(work, invoice.customer_id)
  if (recipient === null)
    return refuse('customer_not_found', 'The customer was deleted, so there is no recipient.')
  const business = await getBusiness(work)
  const subject = `Credit note ${row.number} from ${business.name}`
  const written = await writeMail(work, {
    invoice: null,
    creditNote: row.id,
    recipient,
    subject,
    body: [
      `Hello ${invoice.bill_to?.name ?? ''},`,
      '',
      `${business.name} has credited ${showMoney(row.amount, row.currency)} of invoice ${invoice.number}. ${attached(row)}`,
      '',
      ...signatureLines(business, row.livemode),
    ].join('\n'),
    day: null,
  })
  const after = written?.status === 'captured' ? await markSent(work, row) : row
  if (written?.status === 'queued')
    await enqueue(work, [
      {
        task: mailTask,
        subject: row.id,
        payload: { mail_id: written.id, credit_note_id: row.id },
      },
    ])
  return toCreditNote(after, await work.rows(statements.selectParts, [[row.id]]))
}

const attached = ({ number }: CreditNoteRow): string => `Credit note ${number} is attached.`

const markSent = (work: Work, { id }: CreditNoteRow): Promise<CreditNoteRow> =>
  update(work, statements.creditNotes, id, { sent_at: work.scope.now, updated_at: work.scope.now })

/** Sends a queued mail, unless the credit note was voided or its customer deleted meanwhile. */
async function deliverMail(ctx: Ctx, mailId: Id, id: Id): Promise<void> {
  const waiting = await queuedMail(ctx, mailId)
  if (!waiting) return
  const row = await find(ctx, id)
  const invoice = await invoices.find(ctx, row.invoice_id)
  const isWanted = row.status === 'issued' && (await addressOf(ctx, invoice.customer_id)) !== null
  if (!isWanted) {
    await ctx.write((work) => recordEnd(work, mailId, 'dropped'))
    return
  }
  const pdf = async () => {
    const parts = await ctx.rows(statements.selectParts, [[row.id]])
    const content = await creditNotePdf(ctx, row, parts)
    return { filename: `credit-note-${row.number}.pdf`, content }
  }
  const withoutPdf = (body: string): string =>
    body.replace(
      attached(row),
      `The PDF of credit note ${row.number} could not be made, so it is not attached. The invoice is here:\n${checkoutUrl(ctx, invoice.slug ?? '')}`,
    )
  const { body, attachments } = await enclose(ctx, waiting, pdf, withoutPdf)
  const end = await deliver(ctx, { ...waiting, body }, attachments, await lookOf(ctx))
  await ctx.write(async (work) => {
    const now = (await work.row(statements.lockCreditNote, [id])) ?? unknown(id)
    if ((await recordEnd(work, mailId, end, body)) && end === 'sent') await markSent(work, now)
  })
}

/** Jobs that wait for the SMTP server. */
export const mailTasks: Record<string, Task> = {
  [mailTask]: (ctx, { mail_id, credit_note_id }) =>
    deliverMail(ctx, mail_id as Id, credit_note_id as Id),
}
