/**
 * Goal: a payer who gave an address is mailed what was paid and what has gone back, once, and
 * nobody is mailed about money that there is not. Method: live payments over the double of
 * Paystack, with a real SMTP server on this machine; in test mode, what is captured is read.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { outside, scopeOf } from '../../../src/core/outside.ts'
import { mailOnce } from '../../../src/platform/mail/mail.ts'
import { newMerchant } from '../../support/actors.ts'
import { type Json, must, startServer, until } from '../../support/harness.ts'
import type { Shop } from '../../support/paystack-cards.ts'
import { ended, giveBack, openShop, sell } from '../../support/paystack-refunds.ts'
import { signIn } from '../../support/people.ts'
import { startSmtp } from '../../support/smtp.ts'

const mailed = `select status, recipient, about from mails where livemode order by created_at, id`

describe('the receipts of live money', () => {
  let till: Shop
  let smtp: Awaited<ReturnType<typeof startSmtp>>
  let refusing = false
  before(async () => {
    smtp = await startSmtp((to) => {
      if (refusing) throw Object.assign(new Error(`not now, ${to}`), { responseCode: 451 })
    })
    till = await openShop({ env: { SMTP_URL: smtp.url } })
  })
  after(async () => {
    await till.stop()
    await smtp.stop()
  })
  const change = (input: object): Promise<Json> => must(till.live('PUT', '/business', input))

  it('are mailed for a payment and for its refund, once each, to the address that the payer gave', async () => {
    await change({
      name: 'Ada Bakery',
      support_email: 'help@ada.example',
      time_zone: 'Africa/Lagos',
    })
    const sold = await sell(till, 'card')
    await until(async () => smtp.received.length === 1)
    const [receipt] = smtp.received
    assert.equal(receipt?.to, 'bisi@example.com')
    for (const part of [
      'Reply-To: help@ada.example',
      'Content-Type: application/pdf',
      'Paid by: Card',
      `Reference: ${sold.payment.reference}`,
      '/pay/',
    ])
      assert.ok(receipt?.text.includes(part), `${part}: ${receipt?.text}`)
    await till.double.live.events.deliver()
    await till.pass(600_000)
    const refund = await giveBack(till, sold, { amount: 200_000 })
    assert.equal(smtp.received.length, 1)
    assert.equal((await ended(till, sold, refund)).status, 'completed')
    await until(async () => smtp.received.length === 2)
    assert.ok(smtp.received[1]?.text.includes('Refunded by: Card'), smtp.received[1]?.text)
    await till.pass(600_000)
    await until(async () => {
      const rows = await till.server.app.db.query<Json>(mailed)
      return rows.every(({ status }) => status === 'sent') ? rows : null
    })
    assert.deepEqual(
      (await till.server.app.db.query<Json>(mailed)).map(({ about }) => about),
      [`payment.completed ${sold.payment.id}`, `refund.completed ${refund.id}`],
    )
    const ctx = outside(
      till.server.app,
      await scopeOf(till.server.app, till.server.businessId, true),
    )
    const [about, recipient] = [`refund.completed ${refund.id}`, 'bisi@example.com']
    await ctx.write((work) => mailOnce(work, { about, recipient, subject: 'Again', body: 'Again' }))
    assert.equal((await till.server.app.db.query(mailed)).length, 2)
    assert.equal(smtp.received.length, 2)
  })

  it('wait for an SMTP server that takes none now, and hold up nothing', async () => {
    refusing = true
    const before = smtp.received.length
    const { payment } = await sell(till, 'card')
    assert.equal(payment.status, 'completed')
    await until(async () => {
      const [job] = await till.server.app.db.query<Json>(
        `select last_error from graphile_worker.jobs where task_identifier = 'mail.send' and last_error is not null`,
      )
      return job
    })
    assert.equal(smtp.received.length, before)
    refusing = false
    await till.server.app.db.query(
      `select graphile_worker.reschedule_jobs(array(select id from graphile_worker.jobs where task_identifier = 'mail.send'), now())`,
    )
    await until(async () => smtp.received.length === before + 1)
    assert.ok(smtp.received[before]?.text.includes(payment.reference))
  })

  it('are switched off in the profile', async () => {
    assert.equal((await change({ receipts: false })).receipts, false)
    const before = await till.server.app.db.query(mailed)
    const sold = await sell(till, 'card')
    assert.equal((await ended(till, sold, await giveBack(till, sold))).status, 'completed')
    assert.deepEqual(await till.server.app.db.query(mailed), before)
    await till.assertSound()
  })
})

describe('the receipts of test money', () => {
  it('are captured for a look, and never sent', async (t) => {
    const smtp = await startSmtp()
    t.after(() => smtp.stop())
    const server = await startServer({ SMTP_URL: smtp.url })
    t.after(() => server.stop())
    const merchant = newMerchant(server)
    const payment = await merchant.takePayment('card', {
      email: 'bisi@example.com',
      description: 'Two loaves',
    })
    await merchant.takePayment('card', { email: undefined })
    const refund = await merchant.ask('POST', '/refunds', { payment: payment.id })
    await until(
      async () => (await merchant.ask('GET', `/refunds/${refund.id}`)).status === 'completed',
    )
    const rows = await server.app.db.query<Json>(
      'select about, status, recipient, body from mails order by created_at, id',
    )
    assert.deepEqual(
      rows.map(({ about, status, recipient }) => [about, status, recipient]),
      [
        [`payment.completed ${payment.id}`, 'captured', 'bisi@example.com'],
        [`refund.completed ${refund.id}`, 'captured', 'bisi@example.com'],
      ],
    )
    assert.match(rows[0]?.body, /For: Two loaves\nPaid by: .* ending in \d{4}\n[\s\S]*Test mode/)
    assert.deepEqual(smtp.received, [])
  })

  it('are sent to a member of the team, as invoices are', async (t) => {
    const smtp = await startSmtp()
    t.after(() => smtp.stop())
    const server = await startServer({ SMTP_URL: smtp.url })
    t.after(() => server.stop())
    const { email } = await signIn(server, 'viewer')
    const payment = await newMerchant(server).takePayment('card', { email })
    await until(async () => smtp.received.length === 1)
    assert.ok(smtp.received[0]?.text.includes(payment.reference))
    const [mail] = await server.app.db.query<Json>('select recipient from mails')
    assert.equal(mail?.recipient, email)
  })

  it('are not written where there is no SMTP server for live money, which is booked all the same', async (t) => {
    const till = await openShop()
    t.after(() => till.stop())
    const { payment } = await sell(till, 'card')
    assert.equal(payment.status, 'completed')
    assert.deepEqual(await till.server.app.db.query(mailed), [])
  })
})
