/**
 * Goal: whatever befalls the begin of a payment at Paystack, or an ask about it, its payer is led to one page or told to try again, and what is
 * paid there is booked once. Method: every fault of the double's answers, by payers over HTTP.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { answerFaults, applies } from './doubles/paystack.ts'
import { until } from './harness.ts'
import { minuteMs } from './paystack.ts'
import { openShop, type Shop } from './paystack-cards.ts'

const hourMs = 60 * minuteMs
const paid = { status: 'completed', received: 500_000, attempts: 'succeeded', events: ['payment.completed'] }
/** What Paystack has certainly not taken: the payer is told to try again. Of the rest nobody has seen a page, and it is begun once more. */
const refusals = ['no_connection', 'rate_limited', 'unauthorized', 'status_false']

describe('the begin of a payment at Paystack', () => {
  let shop: Shop
  before(async () => {
    shop = await openShop()
  })
  after(() => shop.stop())

  for (const fault of answerFaults.filter((one) => applies('initialize', one)))
    it(`is befallen by ${fault}`, async () => {
      await shop.pass(minuteMs)
      const payment = await shop.open()
      const payer = shop.payerOf(payment)
      await shop.double.fault('initialize', fault)
      const first = await shop.leave(payer)
      await shop.double.clearFaults()
      if (refusals.includes(fault)) {
        assert.match(first, /\?method=card$/)
        assert.match((await payer.open('?method=card')).text, /could not be opened\. You have not been charged/)
        assert.deepEqual(await shop.stands(payment), { status: 'pending', received: 0, attempts: 'failed', events: [] })
        await shop.pass(minuteMs)
        assert.match(await shop.leave(payer), /\/leave$/)
      } else assert.match(first, /\/leave$/, fault)
      const url = await shop.wayOf(payer)
      const transactions = await shop.transactionsOf(payment)
      const shown = transactions.filter(({ accessCode }) => url === `${shop.double.checkoutUrl}/${accessCode}`)
      assert.equal(shown.length, 1, 'the page that is shown is none of the double’s')
      shop.double.live.payer.pay(shown[0]?.reference as string)
      assert.match((await shop.back(payer)).text, /Payment complete/)
      const attempts = refusals.includes(fault) ? 'failed succeeded' : 'succeeded'
      assert.deepEqual(await shop.stands(payment), { ...paid, attempts })
      assert.equal(transactions.filter(({ paidAt }) => paidAt !== null).length, 1)
      await shop.assertSound()
    })

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
      ...{ method: 'POST', body, redirect: 'manual', signal: gone.signal },
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

  for (const fault of answerFaults.filter((one) => applies('verify_transaction', one)))
    it(`is befallen by ${fault}`, async () => {
      await shop.pass(minuteMs)
      const { payment, payer, reference } = await shop.begin()
      shop.double.live.payer.pay(reference)
      await shop.double.fault('verify_transaction', fault)
      const page = await shop.back(payer)
      if (fault !== 'slow') {
        assert.match(page.text, /Waiting for the bank/, fault)
        assert.equal((await shop.stands(payment)).received, 0)
      }
      await shop.double.clearFaults()
      const odd = (await shop.incidents()).filter(({ kind }) => kind === 'quarantined')
      const [attempt] = await shop.attemptsOf(payment)
      assert.equal(
        odd.some(({ subject }) => subject === attempt?.id),
        fault.startsWith('other_'),
      )
      await shop.pass(40_000)
      await shop.pass(minuteMs)
      assert.deepEqual(await shop.stands(payment), paid)
      await shop.assertSound()
    })

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
      ...{ account_name: 'ADA OKAFOR', account_number: 'XXXXXX6789', bank_name: 'Guaranty Trust Bank' },
    })
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
