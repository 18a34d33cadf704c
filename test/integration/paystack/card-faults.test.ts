/**
 * Goal: what else befalls a payment at Paystack than single answers, which the matrix has: answers
 * that never come, other amounts, other pages. It is booked once or not at all. Method: payers over
 * HTTP, and the double's faults.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { until } from '../../support/harness.ts'
import { minuteMs } from '../../support/paystack.ts'
import { openShop, type Shop } from '../../support/paystack-cards.ts'

const hourMs = 60 * minuteMs
const paid = {
  status: 'completed',
  received: 500_000,
  attempts: 'succeeded',
  events: ['payment.completed'],
}
describe('the begin of a payment at Paystack', () => {
  let shop: Shop
  before(async () => {
    shop = await openShop()
  })
  after(() => shop.stop())

  it('is begun again by a timer when its process is gone between the commit and the answer', async () => {
    const payment = await shop.open()
    const payer = shop.payerOf(payment)
    const port = shop.server.app.rails.live.accounts.paystack?.ports.card
    assert.ok(port)
    const { start } = port
    let called = false
    port.start = () => {
      called = true
      return new Promise(() => {})
    }
    await payer.open('?method=card')
    const gone = new AbortController()
    const body = new URLSearchParams({ token: payer.token })
    const sent = fetch(`${payer.url}/leave`, {
      method: 'POST',
      body,
      redirect: 'manual',
      signal: gone.signal,
      headers: { cookie: payer.cookie },
    })
    await until(async () => called)
    gone.abort()
    await sent.catch(() => {})
    port.start = start
    assert.match((await payer.open('?method=card')).text, /Getting the payment page ready/)
    await shop.pass(31_000)
    const [there] = await shop.transactionsOf(payment)
    assert.match(there?.reference as string, /^tr-[0-9a-f]{24}-2$/)
    assert.match((await payer.open('?method=card')).text, /Waiting for the bank/)
    shop.double.live.payer.pay(there?.reference as string)
    await shop.pass(30_000)
    assert.deepEqual(await shop.stands(payment), paid)
  })

  it('asks for the payer’s address again when Paystack refuses to begin with it', async () => {
    const payment = await shop.open({ email: undefined })
    const payer = shop.payerOf(payment)
    await shop.double.fault('initialize', 'status_false')
    await shop.leave(payer, { email: 'wrong@example.com' })
    await shop.double.clearFaults()
    assert.match((await payer.open('?method=card')).html, /name="email"/)
    assert.match((await payer.send('leave', { email: 'right@example.com' })).location, /\/leave$/)
    assert.equal((await shop.read(payment)).email, 'right@example.com')
  })

  it('is given up when Paystack never answers, and nobody is charged', async () => {
    const payment = await shop.open()
    const payer = shop.payerOf(payment)
    await shop.double.fault('initialize', 'error_after', { times: 9 })
    assert.match(await shop.leave(payer), /\?method=card$/)
    assert.match((await payer.open('?method=card')).text, /could not be opened/)
    assert.equal((await shop.transactionsOf(payment)).length, 3)
    await shop.double.clearFaults()
    assert.match(await shop.leave(payer), /\/leave$/)
    assert.equal((await shop.read(payment)).status, 'pending')
    await shop.assertSound()
  })
})

describe('an ask about a payment at Paystack', () => {
  let shop: Shop
  before(async () => {
    shop = await openShop()
  })
  after(() => shop.stop())

  it('never books another amount, however often it is asked', async () => {
    const { payment, payer, reference } = await shop.begin()
    const there = shop.double.live.payer.pay(reference)
    there.requested = 499_999
    await shop.back(payer)
    await shop.double.live.events.deliver()
    for (let i = 0; i < 10; i++) await shop.pass(12 * hourMs)
    const { received, attempts } = await shop.stands(payment)
    assert.deepEqual([received, attempts], [0, 'away'])
    const [attempt] = await shop.attemptsOf(payment)
    const found = (await shop.incidents()).find(
      ({ kind, subject }) => kind === 'quarantined' && subject === attempt?.id,
    )
    assert.ok(found && found.times > 3)
    there.requested = 500_000
    await shop.pass(25 * hourMs)
    assert.equal((await shop.stands(payment)).received, 500_000)
    await shop.assertSound()
  })
})

describe('payers whose fee is on top at Paystack', () => {
  it('pay what was asked for and the fee, and only the former is booked', async (t) => {
    const shop = await openShop({ settings: { feeBearer: 'customer' } })
    t.after(() => shop.stop())
    const { payment, payer, reference } = await shop.begin()
    const there = shop.double.live.payer.pay(reference)
    assert.ok(there.amount > 500_000)
    await shop.back(payer)
    assert.deepEqual(await shop.stands(payment), paid)
    await shop.assertSound()
  })
})

describe('channels of Paystack’s page', () => {
  it('are those that the operator lists, and how it was paid is kept', async (t) => {
    const account = { channels: { 'card.ngn': ['bank_transfer', 'ussd'] } }
    const shop = await openShop({ account })
    t.after(() => shop.stop())
    const { payment, payer, reference } = await shop.begin()
    const there = shop.double.live.payer.pay(reference)
    assert.deepEqual(there.channels, ['bank_transfer', 'ussd'])
    assert.match((await shop.back(payer)).text, /Payment complete/)
    const [attempt] = await shop.attemptsOf(payment)
    assert.deepEqual([attempt?.channel, attempt?.last4], ['bank_transfer', null])
    const { docs } = await shop.live('GET', '/transactions?type=payment').then(({ data }) => data)
    assert.deepEqual(docs[0].source, {
      account_name: 'ADA OKAFOR',
      account_number: 'XXXXXX6789',
      bank_name: 'Guaranty Trust Bank',
    })
    await shop.assertSound()
  })
})

describe('an account that takes nothing', () => {
  it('is passed over for the next of the route, which the record keeps', async (t) => {
    const shop = await openShop({ spare: true })
    t.after(() => shop.stop())
    const { payment, payer, reference } = await shop.begin()
    assert.match(reference, /-2$/)
    shop.double.live.payer.pay(reference)
    await shop.back(payer)
    assert.deepEqual(await shop.stands(payment), paid)
    const [attempt] = await shop.attemptsOf(payment)
    assert.deepEqual([attempt?.rail, attempt?.starts], ['paystack', 2])
    await shop.assertSound()
  })
})

describe('a page at another host', () => {
  it('is never shown to a payer: a person is told', async (t) => {
    const shop = await openShop({ pagesHost: 'checkout.paystack.com' })
    t.after(() => shop.stop())
    const payment = await shop.open()
    const payer = shop.payerOf(payment)
    assert.match(await shop.leave(payer), /\?method=card$/)
    assert.equal(await shop.wayOf(payer), null)
    assert.deepEqual(
      (await shop.incidents()).map(({ kind }) => kind),
      ['quarantined'],
    )
    assert.deepEqual((await shop.stands(payment)).attempts, 'failed')
  })
})

describe('whoever is asked outside', () => {
  it('is asked while no transaction is open', async (t) => {
    const shop = await openShop()
    t.after(() => shop.stop())
    const card = shop.server.app.rails.live.accounts.paystack?.ports.card
    assert.ok(card)
    const found: string[] = []
    const asked: string[] = []
    const idle = () =>
      shop.server.app.db.query<{ pid: number; since: string; query: string }>(
        `select pid, state_change::text as since, query from pg_stat_activity
          where datname = current_database() and state like 'idle in transaction%'`,
      )
    for (const name of ['start', 'ask'] as const) {
      const call = card[name]
      card[name] = async (order) => {
        asked.push(name)
        let open = await idle()
        const isEnded = async (): Promise<boolean> => {
          const now = await idle()
          open = open.filter((one) =>
            now.some(({ pid, since }) => pid === one.pid && since === one.since),
          )
          return open.length === 0
        }
        await until(isEnded, 500).catch(() => found.push(...open.map(({ query }) => query)))
        return call(order)
      }
    }
    const { payer, reference } = await shop.begin()
    await shop.pass(5_000)
    shop.double.live.payer.pay(reference)
    await shop.double.live.events.deliver()
    await shop.back(payer)
    await shop.pass(minuteMs)
    assert.deepEqual(new Set(asked), new Set(['start', 'ask']))
    assert.deepEqual(found, [])
  })
})
