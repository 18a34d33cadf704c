/**
 * Goal: mail and the password of the mail server cross a network by TLS only, unless the operator
 * says otherwise. Method: real SMTP servers, with and without STARTTLS, behind a wire that is
 * listened to; by the address 0.0.0.0, which is not loopback by its name and leads to this machine.
 */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { describe, it, type TestContext } from 'node:test'
import { generate } from 'selfsigned'
import { SMTPServer } from 'smtp-server'
import { newMerchant } from '../../../test/support/actors.ts'
import { startServer, until } from '../../../test/support/harness.ts'
import { signIn } from '../../../test/support/people.ts'
import type { App } from '../../core/app.ts'
import { readConfig } from '../../lib/config.ts'
import { deliver, type Mail, transportUrl } from './mail.ts'

const password = 'correct-horse-battery'

/** An SMTP server with a login, and what crosses the wire to it in the clear. */
async function startSmtp(t: TestContext, startTls: boolean) {
  const made = await generate([{ name: 'commonName', value: 'localhost' }], {
    keySize: 2048,
    algorithm: 'sha256',
  })
  const logins: unknown[] = []
  const wire: Buffer[] = []
  const smtp = new SMTPServer({
    key: made.private,
    cert: made.cert,
    disabledCommands: startTls ? [] : ['STARTTLS'],
    allowInsecureAuth: true,
    onAuth({ username, password: given }, _session, callback) {
      logins.push(given)
      callback(null, { user: username ?? '' })
    },
    onData(stream, _session, callback) {
      stream.on('end', () => callback()).resume()
    },
  })
  await new Promise<void>((resolve) => smtp.listen(0, '127.0.0.1', () => resolve()))
  const { port: behind } = smtp.server.address() as AddressInfo
  const tap = createServer((socket) => {
    const on = connect(behind, '127.0.0.1')
    socket.on('data', (chunk: Buffer) => wire.push(chunk))
    socket.pipe(on).pipe(socket)
    for (const one of [socket, on]) one.on('error', () => on.destroy())
  }).listen(0, '127.0.0.1')
  await once(tap, 'listening')
  t.after(async () => {
    tap.close()
    await new Promise<void>((resolve) => smtp.close(() => resolve()))
  })
  const received = (): string => {
    const text = Buffer.concat(wire).toString('latin1')
    // A login's words cross as base64: alone, or after a NUL each.
    return (
      text +
      text.replaceAll(
        /[\w+/]{8,}=*/g,
        (word) => ` ${Buffer.from(word, 'base64').toString('latin1')} `,
      )
    )
  }
  return { port: (tap.address() as AddressInfo).port, logins, received }
}

/** Hands a mail to an SMTP server. */
function send(url: string, env: Record<string, string> = {}): Promise<'sent' | 'failed'> {
  const app = {
    config: readConfig({ SMTP_URL: url, ...env }),
    log: { error() {} },
  } as unknown as App
  return deliver(
    app,
    { id: 'mail', recipient: 'ada@example.com', subject: 'Invoice', body: 'Pay here' } as Mail,
    [],
  )
}

describe('mail over a network', () => {
  it('is not sent, shows no password and says what to do, where the SMTP server gives no TLS', async (t) => {
    const smtp = await startSmtp(t, false)
    const url = `smtp://bursar:${password}@0.0.0.0:${smtp.port}`
    const server = await startServer({ SMTP_URL: url })
    t.after(() => server.stop())
    // Nobody else is written to in test mode.
    await signIn(server, 'viewer', { email: 'ada@example.com' })
    const merchant = newMerchant(server, { price: 500_000 })
    await merchant.sendInvoice(await merchant.openInvoice())
    const error = await until(async () => {
      const [job] = await server.app.db.query<{ last_error: string | null }>(
        `select last_error from graphile_worker.jobs where task_identifier = 'invoices.mail'`,
      )
      return job?.last_error
    })
    assert.match(error, /STARTTLS.*SMTP_ALLOW_PLAINTEXT/)
    assert.deepEqual(await server.app.db.query('select status from mails'), [{ status: 'queued' }])
    for (const more of ['?ignoreTLS=true', '?requireTLS=false&opportunisticTLS=true'])
      await assert.rejects(send(url + more), /STARTTLS/)
    assert.match(smtp.received(), /EHLO/)
    assert.doesNotMatch(smtp.received(), /AUTH|MAIL FROM|correct-horse/)
    assert.deepEqual(smtp.logins, [])
  })

  it('goes by TLS where the SMTP server gives it, with nothing to read on the wire', async (t) => {
    const smtp = await startSmtp(t, true)
    const url = `smtp://bursar:${password}@0.0.0.0:${smtp.port}`
    assert.equal(await send(`${url}?tls.rejectUnauthorized=false`), 'sent')
    assert.deepEqual(smtp.logins, [password])
    assert.match(smtp.received(), /STARTTLS/)
    assert.doesNotMatch(smtp.received(), /AUTH|MAIL FROM|correct-horse/)
    await assert.rejects(send(url), /self-signed certificate/)
    assert.deepEqual(smtp.logins, [password])
  })

  it('goes in the clear where the operator says so', async (t) => {
    const smtp = await startSmtp(t, false)
    const url = `smtp://bursar:${password}@0.0.0.0:${smtp.port}`
    assert.equal(await send(url, { SMTP_ALLOW_PLAINTEXT: 'true' }), 'sent')
    // What the other tests would see a password by.
    assert.match(smtp.received(), /AUTH[\s\S]*correct-horse/)
  })

  it('needs TLS but on this machine', () => {
    const requires = (url: string, env: Record<string, string> = {}): boolean =>
      new URL(transportUrl(readConfig({ SMTP_URL: url, ...env }))).searchParams.get(
        'requireTLS',
      ) === 'true'
    for (const url of [
      'smtp://user:pw@mail.example:587',
      'smtp://mail.example',
      'smtp://10.0.0.1:25',
      'smtp://0.0.0.0:25',
      'smtp://[::]:25',
      'smtp://127.0.0.1.example:25',
      'smtp://localhost.example',
      'smtp://mail.example?requireTLS=false&requireTLS=false',
    ])
      assert.equal(requires(url), true, url)
    for (const url of [
      'smtp://localhost:25',
      'smtp://LOCALHOST',
      'smtp://127.0.0.1:25',
      'smtp://127.8.9.1',
      'smtp://[::1]:25',
    ])
      assert.equal(requires(url), false, url)
    assert.equal(requires('smtp://mail.example', { SMTP_ALLOW_PLAINTEXT: 'true' }), false)
    assert.equal(requires('smtps://mail.example'), false)
  })
})
