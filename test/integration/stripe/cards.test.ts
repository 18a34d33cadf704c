/**
 * Goal: a live payment in dollars by card on Stripe's page is booked once, for what Stripe says was
 * paid, whoever tells. Method: payers over HTTP, and a double of Stripe.
 */
import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { listIncidents } from '../../../src/platform/incidents/incidents.ts'
import { stripeAt } from '../../../src/rails/stripe/stripe.ts'
import { startStripeCards } from '../../doubles/stripe-cards.ts'
import { minuteMs, providerTiming } from '../../support/dollars.ts'
import { must, startServer } from '../../support/harness.ts'
import { railsEnv, testProvider } from '../../support/provider.ts'
import { openShop, type Shop } from '../../support/stripe-cards.ts'

const open = { status: 'pending', received: 0, attempts: 'away', events: [] }
const paid = {
  status: 'completed',
  received: 50_00,
  attempts: 'succeeded',
  events: ['payment.completed'],
}

describe('a payment by card at Stripe', () => {
  let shop: Shop
  before(async () => {
    shop = await openShop()
  })
  after(() => shop.stop())
  beforeEach(() => void shop.double.events.queue.splice(0))

  it('is paid on Stripe’s page and booked with Stripe’s fee, once, when its payer comes back', async () => {
    const { payment, payer, reference, url } = await shop.begin({ description: 'Two tickets' })
    assert.match(url, /^https:\/\/checkout\.stripe\.com\//)
    const [session] = await shop.sessionsOf(payment)
    assert.equal(session?.form.get('line_items[0][price_data][product_data][name]'), 'Two tickets')
    assert.equal(session?.form.get('customer_email'), 'bisi@example.com')
    shop.double.payer.pay(reference, { brand: 'amex', last4: '0005' })
    assert.match((await shop.back(payer)).text, /Payment complete/)
    assert.deepEqual(await shop.stands(payment), paid)
    const [attempt] = await shop.attemptsOf(payment)
    assert.deepEqual(
      [attempt?.provider_reference, attempt?.channel, attempt?.brand, attempt?.last4],
      [session?.payment?.id, 'card', 'amex', '0005'],
    )
    const receipts = await shop.server.app.db.query(
      'select kind, provider_id, amount, fee from provider_receipts where subject = $1',
      [attempt?.id],
    )
    assert.deepEqual(receipts, [
      { kind: 'charge', provider_id: session?.payment?.id, amount: 5_000n, fee: 175n },
    ])
    await shop.double.events.deliver()
    await shop.pass(minuteMs)
    assert.deepEqual(await shop.stands(payment), paid)
    await shop.assertSound()
  })

  it('is booked by a webhook alone, by timers alone, and by what Stripe is asked for that nobody told', async () => {
    const told = await shop.begin()
    shop.double.payer.pay(told.reference)
    await shop.double.events.deliver()
    await shop.pass(0)
    assert.deepEqual(await shop.stands(told.payment), paid)
    const silent = await shop.begin()
    shop.double.payer.pay(silent.reference)
    await shop.pass(minuteMs)
    assert.deepEqual(await shop.stands(silent.payment), paid)
    const { inbound } = shop.server.app.rails.live.accounts['stripe-us'] ?? {}
    const now = shop.server.app.clock.now().getTime()
    const missed = await inbound?.missed?.(new Date(now - 10 * minuteMs), new Date(now))
    const abouts = missed?.filter(({ about }) => about.reference === silent.reference) ?? []
    assert.deepEqual(abouts.map(({ type }) => type).sort(), [
      'checkout.session.completed',
      'payment_intent.succeeded',
    ])
    await shop.assertSound()
  })

  it('is declined with its reason and stays open, and is paid by another card on the same page', async () => {
    for (const [code, declineCode, reason] of [
      ['card_declined', 'insufficient_funds', 'insufficient_funds'],
      ['card_declined', 'stolen_card', 'fraudulent'],
      ['expired_card', '', 'expired_card'],
      ['incorrect_cvc', '', 'incorrect_cvc'],
      ['card_declined', 'do_not_honor', 'declined'],
    ] as const) {
      const { payment, payer, reference, url } = await shop.begin()
      shop.double.payer.decline(reference, declineCode, code)
      assert.doesNotMatch((await shop.back(payer)).text, /failed/i)
      const { status, failure_reason } = await shop.read(payment)
      assert.deepEqual([status, failure_reason], ['pending', reason])
      assert.match((await payer.send('leave')).location, /\/leave$/)
      assert.equal(await shop.wayOf(payer), url)
      shop.double.payer.pay(reference)
      await shop.pass(3_000)
      assert.match((await shop.back(payer)).text, /Payment complete/)
      assert.equal((await shop.sessionsOf(payment)).length, 1)
      await shop.assertSound()
    }
  })

  it('is not booked by what a browser says, and is over when Stripe ends its page; another page begins anew', async () => {
    const { payment, payer } = await shop.begin()
    await shop.back(payer, '?payment_status=paid&amount=5000')
    assert.deepEqual(await shop.stands(payment), open)
    await shop.pass(70 * minuteMs)
    await shop.back(payer)
    assert.deepEqual(await shop.stands(payment), { ...open, attempts: 'failed' })
    assert.match(await shop.leave(payer), /\/leave$/)
    const [first, second] = await shop.sessionsOf(payment)
    assert.deepEqual([first?.status, second?.status], ['expired', 'open'])
    shop.double.payer.pay(second?.reference as string)
    await shop.back(payer)
    assert.deepEqual(await shop.stands(payment), { ...paid, attempts: 'failed succeeded' })
    await shop.assertSound()
  })

  it('leaves nothing to a person when the page whose answer was lost expires after another was paid', async () => {
    const told = async (): Promise<number> => (await listIncidents(shop.server.app.db, {})).length
    const before = await told()
    const payment = await shop.open()
    const payer = shop.payerOf(payment)
    await shop.double.fault('create_session', 'error_after')
    assert.match(await shop.leave(payer), /\/leave$/)
    const [lost, shown] = await shop.sessionsOf(payment)
    shop.double.payer.pay(shown?.reference as string)
    await shop.back(payer)
    assert.deepEqual(await shop.stands(payment), paid)
    await shop.pass(70 * minuteMs)
    assert.equal(shop.double.payer.isOpen(lost?.reference as string), false)
    await shop.double.events.deliver()
    await shop.pass(minuteMs)
    assert.equal(await told(), before)
    assert.deepEqual(await shop.stands(payment), paid)
    await shop.assertSound()
  })

  it('waits while a bank is at work, and can neither be canceled nor begun anew then', async () => {
    const { payment, payer, reference } = await shop.begin()
    shop.double.payer.begin(reference)
    assert.match((await shop.back(payer)).text, /do not pay again/)
    assert.equal(
      (await shop.live('POST', `/payments/${payment.id}/cancel`)).code,
      'payment_processing',
    )
    shop.double.payer.pay(reference)
    await shop.pass(minuteMs)
    assert.deepEqual(await shop.stands(payment), paid)
  })

  it('books late money of a payment that was canceled', async () => {
    const { payment, reference } = await shop.begin()
    await must(shop.live('POST', `/payments/${payment.id}/cancel`))
    shop.double.payer.pay(reference)
    await shop.pass(minuteMs)
    const stands = {
      status: 'canceled',
      received: 50_00,
      attempts: 'succeeded',
      events: ['payment.canceled'],
    }
    assert.deepEqual(await shop.stands(payment), stands)
    await shop.assertSound()
  })

  it('books nothing that was given back at Stripe, and tells a person when that is found after it was booked', async () => {
    const before = await shop.begin()
    shop.double.payer.pay(before.reference)
    shop.double.payer.giveBack(before.reference)
    await shop.back(before.payer)
    assert.equal((await shop.stands(before.payment)).received, 0)
    const later = await shop.begin()
    shop.double.payer.pay(later.reference)
    await shop.back(later.payer)
    shop.double.payer.giveBack(later.reference)
    await shop.double.events.deliver()
    await shop.pass(0)
    assert.deepEqual(await shop.incidentsOf(later.payment), ['reversed'])
    assert.deepEqual(await shop.stands(later.payment), paid)
    await shop.assertSound()
  })
})

describe('an account at Stripe', () => {
  const start = (account: object, key: string, route = 'card.usd', mode = 'live') =>
    startServer(
      {
        ...railsEnv({
          [mode]: {
            accounts: {
              'stripe-us': { provider: 'stripe', secret_key: 'env:STRIPE_KEY', ...account },
            },
            routes: { [route]: ['stripe-us'] },
          },
        }),
        STRIPE_KEY: key,
      },
      [stripeAt({ host: 'http://127.0.0.1:9', ...providerTiming }), testProvider().provider],
    )

  it('is refused with a key of the other mode, with one that is no secret key, and for uses that its settings do not fit', async () => {
    for (const key of ['sk_test_x', 'rk_test_x', 'pk_live_x', 'sk_x'])
      await assert.rejects(
        start({}, key),
        /stripe-us.*secret_key.*(of test mode|no secret key of live mode)/,
        key,
      )
    for (const key of ['sk_live_x', 'rk_live_x'])
      await assert.rejects(
        start({}, key, 'card.usd', 'test'),
        /stripe-us.*secret_key.*of (live|test) mode/,
        key,
      )
    await assert.rejects(start({}, 'sk_live_x', 'payout.usd'), /financial_account is missing/)
    await assert.rejects(
      start({ financial_account: 'fa_1' }, 'sk_live_x'),
      /let card\.usd lead to another account/,
    )
  })

  it('starts no server when Stripe says that it is of the other mode', async () => {
    const double = await startStripeCards({ livemode: false })
    const env = {
      ...railsEnv({
        live: {
          accounts: { 'stripe-us': { provider: 'stripe', secret_key: 'env:STRIPE_KEY' } },
          routes: { 'card.usd': ['stripe-us'] },
        },
      }),
      STRIPE_KEY: double.secretKey,
    }
    await assert.rejects(
      startServer(env, [stripeAt({ host: double.url, ...providerTiming })]),
      /in test mode/,
    )
    await double.stop()
  })
})
