/**
 * A mail server that keeps what it gets, asks for a login or refuses recipients; and the mails of
 * an invoice, as they are kept and told of.
 */
import type { AddressInfo } from 'node:net'
import { SMTPServer } from 'smtp-server'
import type { App } from '../../src/core/app.ts'
import type { Json, Merchant } from './actors.ts'

export type MailRow = {
  id: string
  recipient: string
  subject: string
  body: string
  status: string
  sent_at: Date | null
}

/** The mails of an invoice, oldest first. */
export const mailsOfInvoice = ({ db }: App, { id }: { id: string }): Promise<MailRow[]> =>
  db.query(
    'select id, recipient, subject, body, status, sent_at from mails where invoice_id = $1 order by created_at, id',
    [id],
  )

/** What `invoice.sent` has told a merchant of an invoice, oldest first. */
export const sentEventsOf = async (by: Merchant, invoice: { id: string }): Promise<Json[]> =>
  (await by.eventsOf(invoice)).filter((event) => event.type === 'invoice.sent')

export type Received = { from: string; to: string[]; raw: string }

/** Starts a real SMTP server that keeps what it gets. `refuse` turns every recipient away. */
export async function startMailServer(
  port = 0,
  options: { refuse?: boolean; login?: [string, string] } = {},
) {
  const received: Received[] = []
  const seen = { recipients: 0 }
  const smtp = new SMTPServer({
    disabledCommands: ['STARTTLS', ...(options.login ? [] : ['AUTH' as const])],
    authOptional: !options.login,
    allowInsecureAuth: true,
    onAuth({ username, password }, _session, callback) {
      const right = username === options.login?.[0] && password === options.login?.[1]
      callback(right ? null : new Error('wrong password'), { user: username })
    },
    onRcptTo(_address, _session, callback) {
      seen.recipients += 1
      callback(
        options.refuse ? Object.assign(new Error('no such mailbox'), { responseCode: 550 }) : null,
      )
    },
    onData(stream, session, callback) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        const from = session.envelope.mailFrom
        received.push({
          from: from ? from.address : '',
          to: session.envelope.rcptTo.map(({ address }) => address),
          raw: Buffer.concat(chunks).toString('latin1'),
        })
        callback()
      })
    },
  })
  await new Promise<void>((resolve) => smtp.listen(port, '127.0.0.1', () => resolve()))
  return {
    port: (smtp.server.address() as AddressInfo).port,
    received,
    seen,
    stop: () => new Promise<void>((resolve) => smtp.close(() => resolve())),
  }
}
