/**
 * Goal: a credit note is mailed only where it can arrive, and what refuses it changes nothing.
 * Method: over HTTP, with and without a real SMTP server.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { assertRefused, type Json, must, newMerchant } from '../../../test/support/actors.ts'
import { settled, startServer, type TestServer } from '../../../test/support/harness.ts'
import { startMailServer } from '../../../test/support/mail-server.ts'
import { mostAskedInDay } from '../../platform/mail/mail.ts'

/** Copies a credit note into live mode, as if its payment had been taken and refunded there. */
async function copyToLive({ app }: TestServer, note: Json, customer: Json): Promise<void> {
  const copies: [string, string, object][] = [
    ['payments', 'id = (select payment_id from refunds where id = $1)', { slug: 'Live'.repeat(6) }],
    ['refunds', 'id = $1', {}],
    [
      'invoices',
      'id = (select invoice_id from credit_notes where refund_id = $1)',
      { slug: 'Live'.repeat(6), customer_id: customer.id },
    ],
    ['credit_notes', 'refund_id = $1', { sent_at: null }],
  ]
  for (const [table, where, changed] of copies)
    await app.db.query(
      `insert into ${table} select (jsonb_populate_record(one, $2)).*
         from ${table} one where not livemode and ${where}`,
      [note.refund, { ...changed, livemode: true }],
    )
}

describe('the mail of a credit note', () => {
  let server: TestServer
  let smtp: Awaited<ReturnType<typeof startMailServer>>
  before(async () => {
    smtp = await startMailServer()
  })
  after(() => smtp.stop())

  const creditedLive = async (): Promise<() => ReturnType<TestServer['call']>> => {
    server.leaveBooksUnverified()
    const note = await newMerchant(server).creditedInvoice()
    const call = server.callAs(server.liveKey)
    const live = newMerchant(server, { call })
    await copyToLive(server, note, await live.addCustomer())
    return () => call('POST', `/credit-notes/${note.id}/send`)
  }

  it('needs an SMTP server in live mode, and in any mode a customer', async (t) => {
    server = await startServer()
    t.after(() => server.stop())
    await assertRefused(server, 400, 'smtp_not_configured', await creditedLive())
    const merchant = newMerchant(server)
    const note = await merchant.creditedInvoice()
    const send = () => server.call('POST', `/credit-notes/${note.id}/send`)
    assert.ok((await must(send())).sent_at)
    const { customer } = await merchant.ask('GET', `/invoices/${note.invoice}`)
    await merchant.ask('DELETE', `/customers/${customer}`)
    await assertRefused(server, 400, 'customer_not_found', send)
  })

  it('goes to one recipient ten times a day in live mode', async (t) => {
    server = await startServer({
      SMTP_URL: `smtp://127.0.0.1:${smtp.port}`,
      MAIL_FROM: 'Zuma <bills@zuma.example>',
    })
    t.after(() => server.stop())
    const send = await creditedLive()
    for (let n = 0; n < mostAskedInDay; n++) await must(send())
    await settled(server.app)
    assert.equal(smtp.received.length, mostAskedInDay)
    await assertRefused(server, 429, 'too_many_mails', send)
  })
})
