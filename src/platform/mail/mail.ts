/**
 * Mail: sent by SMTP, or, in test mode, captured for `bursar mail`, except mail to the team itself.
 */
import { isIPv4 } from 'node:net'
import type { App } from '../../core/app.ts'
import { insert, type View, type Work } from '../../core/inside.ts'
import type { Task } from '../../core/module.ts'
import type { Ctx } from '../../core/outside.ts'
import { type Database, sql, sqlOfMany } from '../../db/db.ts'
import {
  byId,
  columnsOf,
  defaulted,
  integer,
  nullable,
  type RowOf,
  table,
  text,
  time,
} from '../../db/table.ts'
import { later } from '../../lib/clock.ts'
import type { Config } from '../../lib/config.ts'
import { withDeadline } from '../../lib/deadline.ts'
import { asciiEmail, emailSpellings } from '../../lib/email.ts'
import { type Id, newId } from '../../lib/ids.ts'
import { UndrawableError } from '../../lib/pdf/canvas.ts'
import { enqueue } from '../jobs/timers.ts'
import { directionOf, htmlOf, type Look, lookOf } from './look.ts'
import { refuse } from './refusals.ts'

export { directionOf, type Look, lookOf } from './look.ts'
export { forgetOldMails } from './personal.ts'
export { mailRefusals } from './refusals.ts'

const mails = table('mails', {
  id: text<Id>(),
  invoice_id: nullable(text<Id>()),
  credit_note_id: defaulted(nullable(text<Id>())),
  recipient: text(),
  subject: text(),
  body: text(),
  status: text<'captured' | 'queued' | 'sent' | 'dropped' | 'failed'>(),
  /** For a reminder: days after the due date, below zero before it; null for other mails. */
  reminder_day: nullable(integer()),
  /**
   * The subject of a mail that is sent once per recipient: 'payment.completed 6925…'; null for a
   * mail that is sent on each request.
   */
  about: defaulted(nullable(text())),
  /** Null: English. */
  language: defaulted(nullable(text())),
  created_at: time(),
  sent_at: nullable(time()),
})
export type Mail = RowOf<typeof mails>
const columns = columnsOf(mails)

export type Attachment = { filename: string; content: Uint8Array; contentType: string }

/** A mail's files, and its text as it leaves with them or without. */
export type Enclosed = { attachments: Attachment[]; body: string }

declare module '../../core/app.ts' {
  interface Strategies {
    /**
     * Makes the files of a mail of `mailOnce` when it is sent, by the event that the mail is about.
     * @param subject the id of the event's record
     */
    attachments: Readonly<Record<string, (ctx: Ctx, subject: Id, mail: Mail) => Promise<Enclosed>>>
  }
}

const selectMail = byId(mails)
const endQueued = sql<Mail>(
  'mail.end_queued',
  `update mails set status = $4, sent_at = $5, body = case when body = '' then '' else coalesce($6, body) end
    where business_id = $1 and livemode = $2 and id = $3 and status = 'queued' returning ${columns}`,
)

const selectMember = sqlOfMany<{ id: Id }>(
  'mail.select_member',
  'select p.id from memberships m join persons p on p.id = m.person_id where m.business_id = $1 and p.email = lower($2)',
)
const lockRecipient = sqlOfMany(
  'mail.lock_recipient',
  `select pg_advisory_xact_lock(hashtextextended('mail ' || $1::text || ' ' || lower($2), 0))`,
)
const countLatest = sql<{ mails: bigint }>(
  'mail.count_latest',
  `select count(*) as mails from mails
    where business_id = $1 and livemode = $2 and lower(recipient) = any (select lower(unnest($3::text[]))) and created_at > $4 and reminder_day is null and about is null`,
)

/** The most requested mails of a business to one recipient in a day, in live mode. */
export const mostAskedInDay = 10
const dayMs = 86_400_000

/** The timeout of one SMTP step. */
const smtpTimeoutMs = 15_000
/** The timeout of a whole mail, so that a server that never finishes does not hold a worker. */
const deadlineMs = 60_000

/** One reminder per invoice and day. */
const ignoreDuplicate =
  '(business_id, livemode, invoice_id, reminder_day) where reminder_day is not null do nothing'

/**
 * Writes a mail: captures it, or leaves it for the caller's job that calls `deliver`. In test mode
 * only team members get mail, because a test invoice can name any address.
 * @param mail.day for a reminder: days after the due date, below zero before it; null for other
 * mails
 * @returns null when this reminder was written before
 * @throws {Refusal} `smtp_not_configured` in live mode without an SMTP server; `too_many_mails`
 * (429) at the recipient's daily limit
 */
export async function writeMail(
  work: Work,
  mail: {
    invoice: Id | null
    creditNote?: Id
    recipient: string
    subject: string
    body: string
    day: number | null
  },
): Promise<Mail | null> {
  const { livemode, now } = work.scope
  assertCanMail(work)
  if (livemode && mail.day === null) await refuseTooMany(work, mail.recipient)
  const leaves = await mayLeave(work, mail.recipient)
  const written = {
    id: newId(now),
    invoice_id: mail.invoice,
    credit_note_id: mail.creditNote ?? null,
    recipient: mail.recipient,
    subject: oneLine(mail.subject),
    body: mail.body,
    status: leaves ? ('queued' as const) : ('captured' as const),
    reminder_day: mail.day,
    created_at: now,
    sent_at: leaves ? null : now,
  }
  return insert(work, mails, written, ignoreDuplicate)
}

/** @throws {Refusal} `smtp_not_configured` in live mode without an SMTP server */
export function assertCanMail({ config, scope }: Pick<View, 'config' | 'scope'>): void {
  if (config.SMTP_URL === null && scope.livemode)
    refuse(
      'smtp_not_configured',
      'This server has no SMTP_URL, so nothing can be mailed in live mode.',
    )
}

/** Returns a subject that cannot end its header. */
const oneLine = (subject: string): string => subject.replaceAll(/[\r\n]+/g, ' ')

/**
 * Whether a mail is sent instead of captured: in test mode only to team members, because a test can
 * name any address.
 */
async function mayLeave({ config, scope, tx }: Work, recipient: string): Promise<boolean> {
  if (config.SMTP_URL === null) return false
  const { businessId, livemode } = scope
  return livemode || (await tx.row(selectMember, [businessId, asciiEmail(recipient)])) !== null
}

/** @throws {Refusal} `too_many_mails` */
async function refuseTooMany(work: Work, recipient: string): Promise<void> {
  // Each of several concurrent mails counts those before it.
  await work.tx.rows(lockRecipient, [work.scope.businessId, asciiEmail(recipient)])
  const latest = await work.row(countLatest, [
    emailSpellings(recipient),
    later(work.scope.now, -dayMs),
  ])
  if (Number(latest?.mails ?? 0n) >= mostAskedInDay)
    refuse(
      'too_many_mails',
      `${mostAskedInDay} mails were sent to ${recipient} within a day: send the next one later, or give them the link.`,
    )
}

const ignoreToldBefore =
  '(business_id, livemode, about, recipient) where about is not null do nothing'

/**
 * Mails a person unasked, once per subject. In test mode the mail is captured, because people must
 * not get mail about money that does not exist. In live mode without an SMTP server, nothing is
 * written.
 * @param mail.about the event and the id of its record, such as `payment.completed 6925…`
 * @param mail.language of the text, such as `ar`
 * @param mail.membersInTest whether a team member gets it in test mode too, as an invoice
 */
export async function mailOnce(
  work: Work,
  {
    about,
    recipient,
    subject,
    body,
    language = 'en',
    membersInTest = false,
  }: Pick<Mail, 'recipient' | 'subject' | 'body'> & {
    about: string
    language?: string
    membersInTest?: boolean
  },
): Promise<void> {
  const { livemode, now } = work.scope
  if (livemode && work.config.SMTP_URL === null) return
  const leaves = livemode || (membersInTest && (await mayLeave(work, recipient)))
  const status = leaves ? ('queued' as const) : ('captured' as const)
  const written = {
    id: newId(now),
    invoice_id: null,
    about,
    recipient,
    subject: oneLine(subject),
    body,
    status,
    language,
    reminder_day: null,
    created_at: now,
    sent_at: leaves ? null : now,
  }
  const mail = await insert(work, mails, written, ignoreToldBefore)
  if (mail?.status === 'queued')
    await enqueue(work, [{ task: sendTask, subject: mail.id, payload: { mail_id: mail.id } }])
}

/** Queued jobs store this name. */
export const sendTask = 'mail.send'

/** The job that sends such a mail and waits for the SMTP server. */
export const mailTasks: Record<string, Task> = {
  async [sendTask](ctx, payload) {
    const waiting = await queuedMail(ctx, payload.mail_id as Id)
    if (!waiting) return
    const [event = '', subject = ''] = (waiting.about ?? '').split(' ')
    const enclosed = await ctx.strategies.attachments[event]?.(ctx, subject as Id, waiting)
    const { body = waiting.body, attachments = [] } = enclosed ?? {}
    const end = await deliver(ctx, { ...waiting, body }, attachments, await lookOf(ctx))
    await ctx.write((work) => recordEnd(work, waiting.id, end, body))
  },
}

/**
 * Makes the PDF of a mail. One that cannot be drawn must not keep back the mail, so the mail leaves
 * without it, and says so.
 * @param without the text of the mail without the PDF
 * @throws {Error} where the PDF cannot be made now; the job retries
 */
export async function enclose(
  { log }: Pick<Ctx, 'log'>,
  { id, body }: Mail,
  pdf: () => Promise<Omit<Attachment, 'contentType'>>,
  without: (body: string) => string,
): Promise<Enclosed> {
  try {
    return { attachments: [{ ...(await pdf()), contentType: 'application/pdf' }], body }
  } catch (error) {
    if (!(error instanceof UndrawableError)) throw error
    log.error({ err: error, mail: id }, 'a PDF cannot be drawn, so its mail is sent without it')
    return { attachments: [], body: without(body) }
  }
}

/** Returns a queued mail, or null. */
export async function queuedMail(view: View, id: Id): Promise<Mail | null> {
  const row = await view.row(selectMail, [id])
  return row?.status === 'queued' ? row : null
}

/**
 * Returns the SMTP URL for nodemailer. `smtp://` requires STARTTLS, except for a server on this
 * machine or if the operator allows plain text: otherwise nodemailer would send password and mail
 * in clear text to a server without STARTTLS.
 */
export function transportUrl({ SMTP_URL, SMTP_ALLOW_PLAINTEXT }: SmtpConfig): string {
  const url = new URL(SMTP_URL as string)
  for (const name of ['connectionTimeout', 'greetingTimeout', 'socketTimeout'])
    if (!url.searchParams.has(name)) url.searchParams.set(name, String(smtpTimeoutMs))
  // Overrides `ignoreTLS` and `opportunisticTLS`.
  if (url.protocol === 'smtp:' && !isHere(url) && !SMTP_ALLOW_PLAINTEXT)
    url.searchParams.set('requireTLS', 'true')
  return url.href
}

function isHere({ hostname }: URL): boolean {
  const host = hostname.toLowerCase()
  return host === 'localhost' || host === '[::1]' || (isIPv4(host) && host.startsWith('127.'))
}

/** Whether the operator allows mail over a network without TLS. */
export function mayCrossInClear({ SMTP_URL, SMTP_ALLOW_PLAINTEXT }: SmtpConfig): boolean {
  const url = new URL(SMTP_URL as string)
  return url.protocol === 'smtp:' && SMTP_ALLOW_PLAINTEXT && !isHere(url)
}

/**
 * Connects to the SMTP server with TLS and login as for a mail, and sends none.
 * @throws {Error} with what prevents mail from being sent
 */
export async function trySmtp(config: SmtpConfig): Promise<void> {
  const { createTransport } = await import('nodemailer')
  const transport = createTransport(transportUrl(config))
  try {
    await withDeadline(smtpTimeoutMs, transport.verify())
  } catch (error) {
    throw lacksTls(error as SmtpError) ? withoutTls(error) : error
  } finally {
    transport.close()
  }
}

const withoutTls = (cause: unknown): Error =>
  new Error(
    'The SMTP server offers no STARTTLS, so neither password nor mail was sent. Use smtps://, or set SMTP_ALLOW_PLAINTEXT=true.',
    { cause },
  )

type SmtpConfig = Pick<Config, 'SMTP_URL' | 'SMTP_ALLOW_PLAINTEXT'>

/** The parts of a mail that are sent; its id identifies it to the SMTP server. */
type Letter = Pick<Mail, 'id' | 'recipient' | 'subject' | 'body'> & Partial<Pick<Mail, 'language'>>

/**
 * Sends a mail to the SMTP server, at least once: a crash between its answer and `recordEnd` sends
 * it again.
 * @param look of the sending business: the reply address, and, with a logo, a colour or a
 * right-to-left language, the look of its HTML
 * @returns `failed` when the server rejects it for good, such as for a mailbox that does not exist
 * @throws {Error} when the server does not accept it now; the job retries
 */
export async function deliver(
  app: App,
  mail: Letter,
  attachments: Attachment[],
  look: Look | null = null,
): Promise<'sent' | 'failed'> {
  // Loaded with the first mail: many servers never send one.
  const { createTransport } = await import('nodemailer')
  const transport = createTransport(transportUrl(app.config))
  const language = mail.language ?? 'en'
  try {
    const sending = transport.sendMail({
      from: app.config.MAIL_FROM,
      to: asciiEmail(mail.recipient),
      subject: mail.subject,
      text: withoutControls(mail.body),
      ...(look?.replyTo ? { replyTo: look.replyTo } : {}),
      ...(look && (look.color || look.logo || directionOf(language) === 'rtl')
        ? { html: htmlOf(withoutControls(mail.body), look, language) }
        : {}),
      attachments: [
        ...(look?.logo
          ? [{ ...look.logo, cid: 'logo', contentDisposition: 'inline' as const }]
          : []),
        ...attachments.map((one) => ({ ...one, content: Buffer.from(one.content) })),
      ],
      messageId: `<${mail.id}@bursar>`,
    })
    await withDeadline(deadlineMs, sending)
    return 'sent'
  } catch (error) {
    if (lacksTls(error as SmtpError)) throw withoutTls(error)
    if (!refusedForGood(error as SmtpError)) throw error
    app.log.error({ err: error, mail: mail.id }, 'the SMTP server refused a mail for good')
    return 'failed'
  } finally {
    transport.close()
  }
}

/**
 * Removes invisible and direction-changing characters, because strangers type names and reasons.
 */
const withoutControls = (body: string): string =>
  body.replaceAll(/(?![\n\t])[\p{Cc}\p{Bidi_Control}]/gu, '')

type SmtpError = { code?: string; command?: string; responseCode?: number; response?: string }

/** Whether the server said that it has no STARTTLS; one with a rejected certificate has it. */
function lacksTls({ code, response }: SmtpError): boolean {
  return code === 'ETLS' && response !== undefined
}

/**
 * Whether the server rejected this mail or its recipient for good; a rejected login or sender is
 * ours to fix.
 */
function refusedForGood({ code, command, responseCode = 0 }: SmtpError): boolean {
  const final = responseCode >= 500 && responseCode <= 599
  return (
    final && ((code === 'EENVELOPE' && command?.startsWith('RCPT') === true) || code === 'EMESSAGE')
  )
}

/**
 * Records the end of a queued mail. Idempotent: @returns null when that was recorded before
 * @param body as it was sent, if it was changed
 */
export function recordEnd(
  work: Work,
  id: Id,
  end: 'sent' | 'dropped' | 'failed',
  body: string | null = null,
): Promise<Mail | null> {
  return work.row(endQueued, [id, end, end === 'sent' ? work.scope.now : null, body])
}

const selectAbout = sql<Mail>(
  'mail.select_about',
  `select ${columns} from mails where business_id = $1 and livemode = $2 and about = $3 order by id`,
)

/** Returns the mails that `mailOnce` wrote about something. */
export const mailsAbout = (view: View, about: string): Promise<Mail[]> =>
  view.rows(selectAbout, [about])

/** Returns a server's latest mails, for the operator. */
export function latestMails(db: Database, limit: number): Promise<(Mail & { business_id: Id })[]> {
  return db.query(
    `select business_id, ${columns} from mails order by created_at desc, id desc limit $1`,
    [limit],
  )
}
