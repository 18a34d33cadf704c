/**
 * Goal: mail outlasts an SMTP server that is down, refuses, changes its login or hangs; none is
 * lost or sent twice, and no payout waits for it. Method: a real SMTP server on this machine that
 * is away, refuses, or never answers.
 */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { after, before, describe, it } from 'node:test'
import { type Json, type Merchant, newMerchant } from '../../../test/support/actors.ts'
import { runCommand } from '../../../test/support/command-line.ts'
import {
  bankPayout,
  settled,
  startServer,
  type TestServer,
  until,
} from '../../../test/support/harness.ts'
import {
  type MailRow,
  mailsOfInvoice,
  sentEventsOf,
  startMailServer,
} from '../../../test/support/mail-server.ts'
import { signIn } from '../../../test/support/people.ts'
import { freePort } from '../../../test/support/ports.ts'
import type { App } from '../../core/app.ts'
import { DeadlineError } from '../../lib/deadline.ts'
import { deliver, type Mail } from './mail.ts'

let server: TestServer
let merchant: Merchant

const mailsOf = (invoice: { id: string }): Promise<MailRow[]> => mailsOfInvoice(server.app, invoice)
const sentOf = (invoice: { id: string }): Promise<Json[]> => sentEventsOf(merchant, invoice)

describe('mail by an SMTP server that has troubles', () => {
  let smtp: Awaited<ReturnType<typeof startMailServer>> | null = null
  let port: number
  before(async () => {
    port = await freePort()
    server = await startServer({ SMTP_URL: `smtp://127.0.0.1:${port}` })
    await signIn(server, 'viewer', { email: 'ada@example.com' })
    merchant = newMerchant(server, { price: 500_000 })
  })
  after(async () => {
    await server.stop()
    await smtp?.stop()
  })

  const failedTries = async (): Promise<number> => {
    const [row] = await server.app.db.query<{ tries: bigint }>(
      `select coalesce(sum(attempts), 0)::bigint as tries from graphile_worker.jobs
        where task_identifier = 'invoices.mail' and last_error is not null`,
    )
    return Number(row?.tries)
  }

  it('waits while it is down, and goes once when it is up', async () => {
    const open = await merchant.openInvoice()
    await merchant.sendInvoice(open)
    await until(async () => (await failedTries()) > 0)
    const [waiting] = await mailsOf(open)
    assert.deepEqual([waiting?.status, waiting?.sent_at], ['queued', null])
    assert.equal((await merchant.readInvoice(open)).sent_at, null)
    assert.deepEqual(await sentOf(open), [])
    assert.match((await runCommand(server.app, ['mail'])).out, /^[0-9a-f]{24} {2}queued {4}/)

    smtp = await startMailServer(port)
    await until(async () => (await sentOf(open)).length > 0, 30_000)
    await settled(server.app)
    assert.equal(smtp.received.length, 1)
    assert.equal((await sentOf(open)).length, 1)
    assert.deepEqual((await mailsOf(open))[0]?.status, 'sent')
    await smtp.stop()
  })

  it('is given up when the mailbox is refused, and does not count as sent', async () => {
    smtp = await startMailServer(port, { refuse: true })
    const open = await merchant.openInvoice()
    await merchant.sendInvoice(open)
    await until(async () => (await mailsOf(open))[0]?.status === 'failed')
    assert.ok(smtp.seen.recipients > 0)
    assert.deepEqual(smtp.received, [])
    assert.equal((await merchant.readInvoice(open)).sent_at, null)
    assert.deepEqual(await sentOf(open), [])
  })

  it('waits while the server does not take our login, and is not given up', async () => {
    await smtp?.stop()
    smtp = await startMailServer(port, { login: ['bursar', 'another'] })
    const before = await failedTries()
    const open = await merchant.openInvoice()
    await merchant.sendInvoice(open)
    await until(async () => (await failedTries()) > before)
    assert.equal((await mailsOf(open))[0]?.status, 'queued')
    await smtp.stop()
    smtp = await startMailServer(port)
    await until(async () => (await mailsOf(open))[0]?.status === 'sent', 30_000)
    assert.equal(smtp.received.length, 1)
  })

  it('is dropped when the invoice was paid or voided before the server came up', async () => {
    await smtp?.stop()
    const [paid, gone] = [await merchant.openInvoice(), await merchant.openInvoice()]
    for (const open of [paid, gone]) await merchant.sendInvoice(open)
    await until(async () => (await failedTries()) > 1)
    await merchant.simulate(paid.payment, 'completed')
    await merchant.voidInvoice(gone)
    smtp = await startMailServer(port)
    for (const open of [paid, gone]) {
      await until(async () => (await mailsOf(open))[0]?.status === 'dropped', 20_000)
      assert.deepEqual(await sentOf(open), [])
    }
    await settled(server.app)
    // The payer, who is of the team here, gets the receipt of the paid one.
    assert.deepEqual(
      smtp.received.map(({ raw }) => /Subject: .*Your_payment_to/.test(raw)),
      [true],
    )
  })
})

describe('mail by an SMTP server that hangs', () => {
  let smtp: Server
  let url: string
  let meet = (_socket: Socket): void => {}
  const sockets = new Set<Socket>()
  before(async () => {
    smtp = createServer((socket) => {
      sockets.add(socket)
      socket.on('error', () => {})
      meet(socket)
    }).listen(0, '127.0.0.1')
    await once(smtp, 'listening')
    url = `smtp://127.0.0.1:${(smtp.address() as AddressInfo).port}`
  })
  after(() => {
    for (const socket of sockets) socket.destroy()
  })

  it('is given up after a minute, however often the server says that it goes on', async (t) => {
    const heard = new Promise<void>((resolve) => {
      meet = (socket) => {
        socket.write('220 mail.example\r\n')
        socket.once('data', () => socket.write('250-mail.example\r\n', () => resolve()))
      }
    })
    const app = {
      config: { SMTP_URL: url, MAIL_FROM: 'shop@example.com' },
      log: { error() {} },
    } as unknown as App
    const mail = {
      id: 'mail',
      recipient: 'ada@example.com',
      subject: 'Invoice',
      body: 'Pay here',
    } as Mail
    t.mock.timers.enable({ apis: ['setTimeout'] })
    const tried = assert.rejects(deliver(app, mail, []), DeadlineError)
    await heard
    t.mock.timers.tick(60_000)
    await tried
  })

  it('holds up no payout', async () => {
    meet = () => {}
    server = await startServer({ SMTP_URL: url })
    await signIn(server, 'viewer', { email: 'ada@example.com' })
    merchant = newMerchant(server, { price: 500_000 })
    const open = await merchant.openInvoice()
    const known = sockets.size
    for (let i = 0; i < 20; i++) await merchant.sendInvoice(open)
    await until(async () => sockets.size > known)
    await server.fund('ngn', 1_000_000)
    await merchant.ask('POST', '/payouts', bankPayout('beside-mail', 10_000))
    try {
      await until(
        async () => (await merchant.ask('GET', '/payouts/beside-mail')).status === 'completed',
      )
    } finally {
      smtp.close()
      for (const socket of sockets) socket.destroy()
      await server.stop()
    }
  })
})
