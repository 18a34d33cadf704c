/**
 * An SMTP server that keeps what it is given, for tests of mail.
 */
import type { AddressInfo } from 'node:net'
import { SMTPServer } from 'smtp-server'
import { startServer, type TestServer } from './harness.ts'

export type Received = { to: string; text: string }

/** Starts one on a free port. `answer` may refuse a recipient by throwing. */
export async function startSmtp(answer: (to: string) => void = () => {}) {
  const received: Received[] = []
  const server = new SMTPServer({
    disabledCommands: ['STARTTLS', 'AUTH'],
    authOptional: true,
    onRcptTo({ address }, _session, callback) {
      try {
        answer(address)
        callback()
      } catch (error) {
        callback(error as Error)
      }
    },
    onData(stream, session, callback) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        // Long lines are broken by nodemailer with `=` at their ends.
        const text = Buffer.concat(chunks)
          .toString('utf8')
          .replaceAll('=\r\n', '')
          .replaceAll('=3D', '=')
        for (const { address } of session.envelope.rcptTo) received.push({ to: address, text })
        callback()
      })
    },
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  const { port } = server.server.address() as AddressInfo
  return {
    url: `smtp://127.0.0.1:${port}`,
    received,
    /** The token of the link in the latest mail to an address, or null. */
    linkTo(to: string): string | null {
      const mail = received.findLast((one) => one.to === to)
      return /\/dashboard\/(?:invite|reset)\/([0-9A-Za-z]{43})/.exec(mail?.text ?? '')?.[1] ?? null
    },
    stop: () => new Promise<void>((resolve) => server.close(() => resolve())),
  }
}

export type MailingServer = Awaited<ReturnType<typeof startMailingServer>>

/**
 * Starts a server that mails by an SMTP server of its own, with some further settings. `stop` stops
 * both.
 */
export async function startMailingServer(env: Record<string, string> = {}) {
  const smtp = await startSmtp()
  const server: TestServer = await startServer({
    SMTP_URL: smtp.url,
    MAIL_FROM: 'bursar@example.com',
    ...env,
  })
  const stop = async (): Promise<void> => {
    await server.stop()
    await smtp.stop()
  }
  return { server, smtp, stop }
}
