/**
 * Mail to customers: sent by SMTP, or, in test mode without an SMTP server, captured for a look with `bursar mail`.
 */
import type { App, Ctx } from '../../core/context.ts'
import { type Database, sql, type Tx } from '../../db/db.ts'
import { withDeadline } from '../../lib/deadline.ts'
import { refuse } from '../../lib/errors.ts'
import { type Id, newId } from '../../lib/ids.ts'

export type Mail = {
  id: Id
  invoice_id: Id
  recipient: string
  subject: string
  body: string
  status: 'captured' | 'queued' | 'sent' | 'dropped' | 'failed'
  created_at: Date
  sent_at: Date | null
}

export type Attachment = { filename: string; content: Uint8Array; contentType: string }

const columns = 'id, invoice_id, recipient, subject, body, status, created_at, sent_at'

const insertMail = sql<Mail>(
  'mail.insert',
  `insert into mails (business_id, livemode, id, invoice_id, recipient, subject, body, status, created_at, sent_at,
                      reminder_day)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
   on conflict (business_id, livemode, invoice_id, reminder_day) where reminder_day is not null do nothing
   returning ${columns}`,
)
const selectMail = sql<Mail>(
  'mail.select',
  `select ${columns} from mails where business_id = $1 and livemode = $2 and id = $3`,
)
const markEnd = sql<Mail>(
  'mail.mark_end',
  `update mails set status = $4, sent_at = $5
    where business_id = $1 and livemode = $2 and id = $3 and status = 'queued' returning ${columns}`,
)

/** How long an SMTP server may take for a step. */
const smtpTimeoutMs = 15_000
/** How long it may take for a whole mail: one that answers now and then, and never ends, must not hold a worker. */
const deadlineMs = 60_000

/**
 * Writes a mail, in the caller's transaction: captured, or queued for a job of the caller's that calls `deliver`.
 * @param mail.day of a reminder: days after the due date, below zero before it; null for any other mail
 * @returns null when this reminder was written before
 * @throws {Refusal} `smtp_not_configured` in live mode without an SMTP server
 */
export async function writeMail(
  ctx: Ctx,
  mail: { invoice: Id; recipient: string; subject: string; body: string; day: number | null },
): Promise<Mail | null> {
  const { businessId, livemode, now } = ctx.scope
  const smtp = ctx.config.SMTP_URL !== null
  if (!smtp && livemode)
    refuse('smtp_not_configured', 'This server has no SMTP_URL, so nothing can be mailed in live mode.')
  return (ctx.tx as Tx).row(insertMail, [
    businessId,
    livemode,
    newId(now),
    mail.invoice,
    mail.recipient,
    mail.subject,
    mail.body,
    smtp ? 'queued' : 'captured',
    now,
    smtp ? null : now,
    mail.day,
  ])
}

/** A mail that waits to be sent, or null. */
export async function queuedMail(ctx: Ctx, id: Id): Promise<Mail | null> {
  const row = await ctx.db.row(selectMail, [ctx.scope.businessId, ctx.scope.livemode, id])
  return row?.status === 'queued' ? row : null
}

/**
 * Hands a mail to the SMTP server. A crash between its word and the mark that follows sends the mail once more: at least once.
 * @returns `failed` when the server refuses it for good, such as for a mailbox that does not exist
 * @throws {Error} when the server does not take it now; the job tries again
 */
export async function deliver(app: App, mail: Mail, attachments: Attachment[]): Promise<'sent' | 'failed'> {
  const url = new URL(app.config.SMTP_URL as string)
  for (const name of ['connectionTimeout', 'greetingTimeout', 'socketTimeout'])
    if (!url.searchParams.has(name)) url.searchParams.set(name, String(smtpTimeoutMs))
  // Loaded by the first mail: most servers of a group, and all without an SMTP server, send none.
  const { createTransport } = await import('nodemailer')
  const transport = createTransport(url.href)
  try {
    const sending = transport.sendMail({
      from: app.config.MAIL_FROM,
      to: mail.recipient,
      subject: mail.subject,
      text: mail.body,
      attachments: attachments.map((one) => ({ ...one, content: Buffer.from(one.content) })),
      messageId: `<${mail.id}@bursar>`,
    })
    await withDeadline(deadlineMs, sending)
    return 'sent'
  } catch (error) {
    if (!refusedForGood(error as SmtpError)) throw error
    app.log.error({ err: error, mail: mail.id }, 'the SMTP server refused a mail for good')
    return 'failed'
  } finally {
    transport.close()
  }
}

type SmtpError = { code?: string; command?: string; responseCode?: number }

/** Whether this mail or its recipient was refused for good; a login or a sender that is refused is ours to mend. */
function refusedForGood({ code, command, responseCode = 0 }: SmtpError): boolean {
  const final = responseCode >= 500 && responseCode <= 599
  return final && ((code === 'EENVELOPE' && command?.startsWith('RCPT') === true) || code === 'EMESSAGE')
}

/** Marks what became of a queued mail, in the caller's transaction. @returns null when it was marked before */
export function noteEnd(ctx: Ctx, id: Id, end: 'sent' | 'dropped' | 'failed'): Promise<Mail | null> {
  const { businessId, livemode, now } = ctx.scope
  return (ctx.tx as Tx).row(markEnd, [businessId, livemode, id, end, end === 'sent' ? now : null])
}

/** The latest mails of a server, for the operator. */
export function latestMails(db: Database, limit: number): Promise<(Mail & { business_id: Id; livemode: boolean })[]> {
  return db.query(`select business_id, livemode, ${columns} from mails order by created_at desc, id desc limit $1`, [
    limit,
  ])
}
