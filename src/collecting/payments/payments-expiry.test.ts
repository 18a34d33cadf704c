import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { day, type Json, type Merchant, minute, newMerchant } from '../../../test/support/actors.ts'
import { newDatabase } from '../../../test/support/cluster.ts'
import {
  makeCall,
  shareServer,
  startServer,
  type TestServer,
  until,
} from '../../../test/support/harness.ts'
import { open, serve, verifyBooks } from '../../app/main.ts'
import { createBusiness } from '../../books/businesses/businesses.ts'
import { manualClock } from '../../lib/clock.ts'
import { readConfig } from '../../lib/config.ts'
import { fireDue } from '../../platform/jobs/timers.ts'

let server: TestServer
let merchant: Merchant

describe('payments whose card is being charged', () => {
  before(async () => {
    // An answer that is lost stays lost for an hour.
    server = await shareServer({ SANDBOX_DELAY: '1h' })
    merchant = newMerchant(server)
  })
  after(() => server.stop())

  it('are neither canceled nor failed nor expired until the outcome is known', async () => {
    const payment = await merchant.openPayment({
      expires_at: new Date(Date.now() + 10 * minute).toISOString(),
    })
    await merchant.payerOf(payment).payByCard('4000000000000259')
    assert.deepEqual(
      await merchant
        .readPayment(payment)
        .then((now) => [now.status, now.attempts, now.amount_received]),
      ['pending', 1, 0],
    )
    await merchant.isRefused(
      'POST',
      `/payments/${payment.id}/cancel`,
      undefined,
      400,
      'payment_processing',
    )
    for (const outcome of ['failed', 'expired'])
      await merchant.isRefused(
        'POST',
        `/payments/${payment.id}/simulate`,
        { outcome },
        400,
        'payment_processing',
      )
    // Its time is over, but the card may have been charged: the expiry waits.
    await merchant.advance('30m')
    assert.equal((await merchant.readPayment(payment)).status, 'pending')
    await merchant.advance('31m')
    const paid = await until(async () => {
      const now = await merchant.readPayment(payment)
      return now.status === 'pending' ? null : now
    })
    assert.deepEqual(
      [paid.status, paid.variance, paid.amount_received],
      ['completed', 'exact', 1_000_000],
    )
    assert.deepEqual(await merchant.eventTypesOf(payment), ['payment.completed'])
  })

  it('expire once the card turns out not to be charged', async () => {
    const payment = await merchant.openPayment({
      expires_at: new Date(Date.now() + 2 * 60 * minute).toISOString(),
    })
    await merchant.payerOf(payment).payByCard('4000000000000119')
    await merchant.advance('3h')
    const ended = await until(async () => {
      const now = await merchant.readPayment(payment)
      return now.status === 'pending' ? null : now
    })
    assert.deepEqual([ended.status, ended.failure_reason], ['expired', 'processing_error'])
    assert.deepEqual(await merchant.eventTypesOf(payment), ['payment.expired'])
  })
})

describe('payments whose time is over', () => {
  it('expire, though the clock of who does it is behind that of who found it over', async (t) => {
    const server = await startServer()
    t.after(() => server.stop())
    const merchant = newMerchant(server)
    const payment = await merchant.openPayment({
      expires_at: new Date(Date.now() + 10 * minute).toISOString(),
    })
    // As a process finds it whose clock is ten minutes ahead, or one just before its clock was set
    // back.
    await server.app.db.rows(fireDue, [new Date(payment.expires_at), 500, []])
    await until(async () => (await merchant.readPayment(payment)).status === 'expired')
    assert.deepEqual(await merchant.eventTypesOf(payment), ['payment.expired'])
  })
})

describe('payments of a server that stops', () => {
  it('expire after the restart, when their time came while it was down; once', async () => {
    const database = await newDatabase()
    const clock = manualClock(new Date())
    const config = readConfig({
      PORT: '0',
      DATABASE_URL: database.url,
      SECRETS_KEY: 'ab'.repeat(32),
      RATE_LIMIT_MAX: '0',
      LOG_LEVEL: 'fatal',
    })
    const { app, url, close } = await open(config, 'all', { clock })
    const made = await createBusiness(app, 'Down')
    let running = await serve({ app, url, evm: null })
    let call = makeCall(running.url, made.test_key)
    const body = { amount: 1_000, currency: 'ngn' }
    const due = (await call('POST', '/payments', body)).data
    const later = (
      await call('POST', '/payments', {
        ...body,
        expires_at: new Date(+clock.now() + 5 * day).toISOString(),
      })
    ).data
    const account = (await call('POST', '/virtual-accounts', { ...body, kind: 'dynamic' })).data

    await running.stop()
    clock.advance(2 * day)
    running = await serve({ app, url, evm: null })
    call = makeCall(running.url, made.test_key)
    await until(async () => (await call('GET', `/payments/${due.id}`)).data.status === 'expired')
    await until(
      async () => (await call('GET', `/virtual-accounts/${account.id}`)).data.status === 'expired',
    )
    assert.equal((await call('GET', `/payments/${later.id}`)).data.status, 'pending')

    // Another restart tells nothing twice.
    await running.stop()
    clock.advance(minute)
    running = await serve({ app, url, evm: null })
    call = makeCall(running.url, made.test_key)
    clock.advance(4 * day)
    await until(async () => (await call('GET', `/payments/${later.id}`)).data.status === 'expired')
    const { data } = await call('GET', '/events')
    assert.deepEqual(
      data.docs.map((event: Json) => [event.type, event.payload.id]),
      [
        ['payment.expired', later.id],
        ['payment.expired', due.id],
      ],
    )
    assert.deepEqual((await verifyBooks(app)).differences, [])
    await running.stop()
    await close()
    await database.drop()
  })
})
