/**
 * Goal: a live payment by card ends as Paystack's books say and is booked once, whoever says so
 * first, and no page ever says that it failed while that is not known. Method: payers over HTTP, on
 * the double's page by its hands, with and without its webhooks.
 */
import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { sign } from '../../doubles/paystack.ts'
import { goodCard, unchanged } from '../../support/actors.ts'
import { type Json, must, until } from '../../support/harness.ts'
import { minuteMs } from '../../support/paystack.ts'
import { openShop, type Shop } from '../../support/paystack-cards.ts'

const hourMs = 60 * minuteMs
const paid = {
  status: 'completed',
  received: 500_000,
  attempts: 'succeeded',
  events: ['payment.completed'],
}
const open = { status: 'pending', received: 0, attempts: 'away', events: [] }

describe('a live payment by card', () => {
  let shop: Shop
  before(async () => {
    shop = await openShop()
  })
  after(() => shop.stop())
  beforeEach(() => {
    shop.double.live.events.queue.splice(0)
  })

  const asks = (): number =>
    shop.double.requests.filter(({ operation }) => operation === 'verify_transaction').length
  const pay = (reference: string): void => void shop.double.live.payer.pay(reference)

  it('is paid on Paystack’s page, and booked when its payer comes back', async () => {
    const { payment, payer, reference, url } = await shop.begin()
    assert.match(url, /^https:/)
    shop.double.live.payer.pay(reference, { brand: 'visa', last4: '4081' })
    const page = await shop.back(payer)
    assert.match(page.text, /Payment complete/)
    assert.match(page.text, /Visa ending in 4081/)
    assert.deepEqual(await shop.stands(payment), paid)
    const { transaction: id } = await shop.read(payment)
    const { docs } = await must(shop.live('GET', '/transactions?type=payment'))
    const { method, source } = docs.find((one: Json) => one.id === id)
    assert.deepEqual([method, source], ['card', { brand: 'visa', last4: '4081' }])
    const [attempt] = await shop.attemptsOf(payment)
    const [there] = await shop.transactionsOf(payment)
    assert.deepEqual([attempt?.provider_reference, attempt?.channel], [String(there?.id), 'card'])
    const [receipt] = await shop.server.app.db.query<Json>(
      'select kind, provider_id, subject, transaction_id, amount, fee from provider_receipts where subject = $1',
      [attempt?.id],
    )
    assert.deepEqual(receipt, {
      kind: 'charge',
      provider_id: String(there?.id),
      subject: attempt?.id,
      transaction_id: id,
      amount: 500_000n,
      fee: BigInt(there?.fees as number),
    })
    await shop.double.live.events.deliver()
    await shop.pass(minuteMs)
    assert.deepEqual(await shop.stands(payment), paid)
    await shop.assertSound()
  })

  it('is booked by a webhook alone, told twice at once and again later', async () => {
    const { payment, payer, reference } = await shop.begin()
    pay(reference)
    const [event] = shop.double.live.events.queue
    await shop.double.live.events.deliver()
    assert.ok(await until(async () => (await shop.read(payment)).status === 'completed'))
    const again = () => shop.double.live.events.inject('charge.success', event?.data as Json)
    assert.deepEqual(await Promise.all([again(), again()]), [200, 200])
    await shop.pass(0)
    assert.match((await shop.back(payer)).text, /Payment complete/)
    assert.deepEqual(await shop.stands(payment), paid)
    await shop.assertSound()
  })

  it('is booked by timers alone, when nobody says anything', async () => {
    const { payment, reference } = await shop.begin()
    await shop.pass(10_000)
    pay(reference)
    await shop.pass(30_000)
    assert.deepEqual(await shop.stands(payment), paid)
    await shop.assertSound()
  })

  it('is not booked by what a browser, a forger or another key says', async () => {
    const { payment, payer, reference } = await shop.begin()
    const before = await shop.back(
      payer,
      `?trxref=${reference}&reference=${reference}&status=success&amount=500000`,
    )
    assert.match(before.text, /Waiting for the bank/)
    const body = JSON.stringify({
      event: 'charge.success',
      data: {
        id: 1,
        reference,
        status: 'success',
        amount: 500_000,
        currency: 'NGN',
        channel: 'card',
      },
    })
    const tell = async (signature: string): Promise<number> =>
      (
        await fetch(shop.double.live.events.url as string, {
          method: 'POST',
          body,
          headers: { 'x-paystack-signature': signature },
        })
      ).status
    assert.equal(await tell('0'.repeat(128)), 401)
    assert.equal(await tell(sign(body, shop.double.keys.test)), 401)
    // Even what is signed is asked about first.
    assert.equal(await tell(sign(body, shop.double.keys.live)), 200)
    await shop.pass(minuteMs)
    assert.deepEqual(await shop.stands(payment), open)
  })

  it('is declined and stays open, and is paid by another card on the same page', async () => {
    const { payment, payer, reference, url } = await shop.begin()
    shop.double.live.payer.decline(reference, 'Insufficient Funds')
    const page = await shop.back(payer)
    assert.match(page.text, /not enough money on this card/)
    assert.doesNotMatch(page.text, /failed/i)
    const { status, failure_reason } = await shop.read(payment)
    assert.deepEqual([status, failure_reason], ['pending', 'insufficient_funds'])
    assert.match((await payer.send('leave')).location, /\/leave$/)
    assert.equal(await shop.wayOf(payer), url)
    pay(reference)
    await shop.pass(3_000)
    assert.match((await shop.back(payer)).text, /Payment complete/)
    assert.equal((await shop.transactionsOf(payment)).length, 1)
    assert.equal((await shop.read(payment)).failure_reason, null)
    await shop.assertSound()
  })

  it('leads every tab and every click to the same page', async () => {
    const payment = await shop.open()
    const payers = [shop.payerOf(payment), shop.payerOf(payment), shop.payerOf(payment)]
    await Promise.all(payers.map((payer) => payer.open('?method=card')))
    await Promise.all([...payers, ...payers].map((payer) => payer.send('leave')))
    const ways = await Promise.all(payers.map((payer) => shop.wayOf(payer)))
    assert.equal(new Set(ways).size, 1)
    assert.equal((await shop.transactionsOf(payment)).length, 1)
    assert.equal((await shop.read(payment)).attempts, 1)
  })

  it('says that it waits for the bank, and never that it failed, when its payer comes back without having paid', async () => {
    const { payment, payer, reference, url } = await shop.begin()
    for (const leave of [() => {}, () => shop.double.live.payer.leave(reference)]) {
      leave()
      const page = await shop.back(payer)
      assert.match(page.text, /Waiting for the bank/)
      assert.doesNotMatch(page.text, /failed|declined/i)
      await shop.pass(3_000)
    }
    assert.equal(await shop.wayOf(payer), url)
    assert.deepEqual(await shop.stands(payment), open)
  })

  it('asks the payer to wait while a bank is at work, and can neither be canceled nor begun anew then', async () => {
    const { payment, payer, reference } = await shop.begin()
    shop.double.live.payer.begin(reference)
    const page = await shop.back(payer)
    assert.match(page.text, /Waiting for the bank/)
    assert.match(page.text, /do not pay again/)
    assert.doesNotMatch(page.html, /\/leave"/)
    assert.equal(
      (await shop.live('POST', `/payments/${payment.id}/cancel`)).code,
      'payment_processing',
    )
    await shop.pass(3 * hourMs)
    await payer.send('leave')
    assert.deepEqual(await shop.stands(payment), open)
    assert.equal((await shop.transactionsOf(payment)).length, 1)
    pay(reference)
    await shop.pass(6 * hourMs)
    assert.deepEqual(await shop.stands(payment), paid)
  })

  it('asks at most once in two seconds for those who come back', async () => {
    const { payer, payment } = await shop.begin()
    await shop.pass(3_000)
    const before = asks()
    await Promise.all([1, 2, 3, 4, 5].map(() => shop.back(payer)))
    assert.equal(asks(), before + 1)
    assert.deepEqual(await shop.stands(payment), open)
  })

  it('does not expire while its payer is at the page, and expires then', async () => {
    const { payment, payer, reference } = await shop.begin({
      expires_at: new Date(shop.server.app.clock.now().getTime() + 6 * minuteMs).toISOString(),
    })
    await shop.pass(10 * minuteMs)
    assert.deepEqual(await shop.stands(payment), open)
    await shop.pass(6 * minuteMs)
    const expired = { ...open, status: 'expired', events: ['payment.expired'] }
    assert.deepEqual(await shop.stands(payment), expired)
    assert.equal(await shop.wayOf(payer), null)
    // Late money is booked all the same.
    pay(reference)
    await shop.pass(2 * hourMs)
    assert.deepEqual(await shop.stands(payment), {
      ...expired,
      received: 500_000,
      attempts: 'succeeded',
    })
    assert.equal((await shop.read(payment)).variance, 'late')
    await shop.assertSound()
  })

  it('is given up only long after its page, and what is paid there even later is booked', async () => {
    const { payment, payer, reference } = await shop.begin()
    await shop.pass(110 * minuteMs)
    assert.deepEqual(await shop.stands(payment), open)
    await shop.pass(15 * minuteMs)
    assert.deepEqual(await shop.stands(payment), { ...open, attempts: 'failed' })
    assert.match((await payer.open('?method=card')).text, /was not finished/)
    pay(reference)
    await shop.double.live.events.deliver()
    assert.ok(await until(async () => (await shop.read(payment)).status === 'completed'))
    assert.deepEqual(await shop.stands(payment), paid)
    await shop.assertSound()
  })

  it('is asked about again where what was said last, of one that was given up, cannot be right', async () => {
    const { payment, reference } = await shop.begin()
    await shop.pass(125 * minuteMs)
    assert.deepEqual(await shop.stands(payment), { ...open, attempts: 'failed' })
    pay(reference)
    await shop.double.fault('verify_transaction', 'other_amount', { times: 100 })
    await shop.pass(26 * hourMs)
    await shop.double.clearFaults()
    await shop.pass(26 * hourMs)
    await shop.pass(26 * hourMs)
    assert.equal((await shop.stands(payment)).received, 500_000)
    await shop.assertSound()
  })

  it('is begun anew once its page is over, and whatever is paid twice is booked', async () => {
    const { payment, payer, reference } = await shop.begin()
    await shop.pass(70 * minuteMs)
    assert.match(await shop.leave(payer), /\/leave$/)
    const transactions = await shop.transactionsOf(payment)
    assert.equal(transactions.length, 2)
    assert.equal((await shop.stands(payment)).attempts, 'failed away')
    pay(transactions[1]?.reference as string)
    pay(reference)
    await shop.back(payer)
    await shop.pass(24 * hourMs)
    const both = { ...paid, received: 1_000_000, attempts: 'succeeded succeeded' }
    assert.deepEqual(await shop.stands(payment), both)
    assert.equal((await shop.read(payment)).variance, 'overpaid')
    await shop.assertSound()
  })

  it('is not begun anew while nobody knows whether the page that is over was paid on', async () => {
    const { payment, payer, reference } = await shop.begin()
    await shop.pass(70 * minuteMs)
    pay(reference)
    await shop.double.fault('verify_transaction', 'error_after', { times: 1 })
    const page = await payer.open((await shop.leave(payer)).split('?')[1] ? '?method=card' : '')
    assert.match(page.text, /Waiting for the bank/)
    assert.equal((await shop.transactionsOf(payment)).length, 1)
    await payer.send('leave')
    assert.deepEqual(await shop.stands(payment), paid)
  })

  it('can be canceled by the merchant while its payer is away, and books what is paid all the same', async () => {
    const { payment, payer, reference } = await shop.begin()
    await must(shop.live('POST', `/payments/${payment.id}/cancel`))
    assert.equal(await shop.wayOf(payer), null)
    pay(reference)
    await shop.pass(minuteMs)
    const stands = {
      status: 'canceled',
      received: 500_000,
      attempts: 'succeeded',
      events: ['payment.canceled'],
    }
    assert.deepEqual(await shop.stands(payment), stands)
    await shop.assertSound()
  })

  it('opens an incident when what was booked is given back at Paystack', async () => {
    const { payment, payer, reference } = await shop.begin()
    pay(reference)
    await shop.back(payer)
    const [there] = await shop.transactionsOf(payment)
    if (there) there.status = 'reversed'
    const [event] = shop.double.live.events.queue
    await shop.double.live.events.inject('charge.success', {
      ...(event?.data as Json),
      status: 'reversed',
    })
    await shop.pass(0)
    const [attempt] = await shop.attemptsOf(payment)
    assert.ok(
      (await shop.incidents()).some(
        ({ kind, subject }) => kind === 'reversed' && subject === attempt?.id,
      ),
    )
    assert.deepEqual(await shop.stands(payment), paid)
    if (there) there.status = 'success'
  })

  it('tells a person when Paystack has not said for three days how it ended, and goes on asking', async () => {
    const { payment, reference } = await shop.begin()
    shop.double.live.payer.begin(reference)
    for (let i = 0; i < 14; i++) await shop.pass(6 * hourMs)
    const [attempt] = await shop.attemptsOf(payment)
    assert.ok(
      (await shop.incidents()).some(
        ({ kind, subject }) => kind === 'stuck' && subject === attempt?.id,
      ),
    )
    assert.deepEqual((await shop.stands(payment)).attempts, 'away')
    pay(reference)
    await shop.pass(25 * hourMs)
    assert.equal((await shop.stands(payment)).received, 500_000)
    await shop.assertSound()
  })

  it('has a timer while its payer is away, without which the books are not clean', async () => {
    const { payment, payer } = await shop.begin()
    const [attempt] = await shop.attemptsOf(payment)
    const timers = () =>
      shop.server.app.db.query<Json>(
        "select id from timers where task = 'payments.ask_charge' and subject = $1",
        [attempt?.id],
      )
    await shop.back(payer)
    await shop.pass(6_000)
    await shop.back(payer)
    assert.equal((await timers()).length, 1)
    await shop.server.app.db.query('delete from timers where subject = $1', [attempt?.id])
    await assert.rejects(() => shop.server.assertBooksClean(), /every card that is being charged/)
    await shop.pass(3_000)
    await shop.back(payer)
    assert.equal((await timers()).length, 1)
    await shop.server.assertBooksClean()
  })

  it('takes no number of a card', async () => {
    const payment = await shop.open()
    const payer = shop.payerOf(payment)
    const page = await payer.open('?method=card')
    assert.doesNotMatch(page.html, /name="(number|cvc|expiry)"|cc-number|\/card"/)
    assert.match(page.html, new RegExp(`action="${new URL(payment.checkout_url).pathname}/leave"`))
    for (const [form, fields] of [
      ['card', goodCard],
      ['challenge', { answer: 'approve' }],
    ] as const)
      assert.equal((await unchanged(shop.server, () => payer.send(form, fields))).status, 404, form)
  })

  it('leads nowhere without its form, before there is a page, and for payments that payers do not leave for', async () => {
    const payment = await shop.open()
    const payer = shop.payerOf(payment)
    assert.equal(await shop.wayOf(payer), null)
    assert.equal((await payer.send('leave')).status, 400)
    await shop.back(payer)
    assert.equal((await shop.attemptsOf(payment)).length, 0)
    const test = await must(
      shop.server.call('POST', '/payments', { amount: 1_000, currency: 'ngn' }),
    )
    const tester = shop.payerOf(test)
    await tester.open('?method=card')
    assert.equal((await tester.send('leave')).status, 404)
    assert.equal((await fetch(`${shop.server.url}/pay/${'x'.repeat(24)}/back`)).status, 404)
    assert.equal((await fetch(`${shop.server.url}/pay/${'x'.repeat(24)}/leave`)).status, 404)
  })

  it('asks for the payer’s address where the merchant gave none', async () => {
    const payment = await shop.open({ email: undefined })
    const payer = shop.payerOf(payment)
    assert.match((await payer.open('?method=card')).html, /name="email"/)
    assert.match((await payer.send('leave', { email: 'nobody' })).location, /wrong=email$/)
    assert.match((await payer.send('leave', { email: 'chidi@example.com' })).location, /\/leave$/)
    const [there] = await shop.transactionsOf(payment)
    assert.equal(there?.customer.email, 'chidi@example.com')
    assert.equal((await shop.read(payment)).email, 'chidi@example.com')
  })
})
