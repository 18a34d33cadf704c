/**
 * Goal: of two ways out for dollars the second pays what the first certainly has not, once; and
 * what the first may have taken nobody else pays. Method: one server with accounts at the doubles
 * of Stripe and of Bridge, in that order.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { bridgeAt } from '../../../src/rails/bridge/bridge.ts'
import { stripeAt } from '../../../src/rails/stripe/stripe.ts'
import { type Double as Bridge, startBridge } from '../../doubles/bridge.ts'
import { type Double as Stripe, startStripeOutbound } from '../../doubles/stripe-outbound.ts'
import {
  type Dollars,
  holderAddress,
  minuteMs,
  movingClock,
  openDollars,
  providerTiming,
  slowMs,
} from '../../support/dollars.ts'
import { railsEnv, testProvider } from '../../support/provider.ts'

const dayMs = 24 * 60 * minuteMs

describe('a payout in dollars that two providers could pay', () => {
  let till: Dollars
  let stripe: Stripe
  let bridge: Bridge
  before(async () => {
    const clock = movingClock()
    stripe = await startStripeOutbound({ now: clock.now, slowMs })
    bridge = await startBridge({ now: clock.now, slowMs })
    stripe.topUp(1_000_00)
    bridge.books.topUp(100_000_00)
    const accounts = {
      stripe: {
        provider: 'stripe',
        secret_key: 'env:STRIPE_KEY',
        financial_account: 'fa_treasury',
      },
      bridge: {
        provider: 'bridge',
        api_key: 'env:BRIDGE_KEY',
        customer: 'cust_operator',
        wallet: 'bw_treasury',
      },
      bank: { provider: 'testpay', secret_key: 'env:LIVE_KEY_2' },
    }
    const routes = { 'payout.usd': ['stripe', 'bridge'], 'account.usd': ['bank'] }
    const env = {
      ...railsEnv({ live: { accounts, routes } }),
      STRIPE_KEY: stripe.secretKey,
      BRIDGE_KEY: bridge.apiKey,
    }
    const reach = { host: bridge.url, ...providerTiming }
    const providers = [
      stripeAt({ host: stripe.url, ...providerTiming }),
      bridgeAt({ live: reach, test: reach }),
      testProvider().provider,
    ]
    till = await openDollars(env, providers, clock)
  })
  after(async () => {
    assert.deepEqual([...stripe.violations, ...bridge.violations, ...bridge.books.audit()], [])
    await till.server.assertBooksClean()
    await till.server.stop()
    await stripe.stop()
    await bridge.stop()
  })

  const atStripe = (id: string) =>
    stripe.payments.filter(({ reference }) => reference.startsWith(`po-${id}`))
  const atBridge = (id: string) =>
    bridge.books.transfers.filter(({ reference }) => reference.startsWith(`po-${id}`))

  it('goes by the first while that can', async () => {
    const { id } = await till.payOut(100_00)
    assert.deepEqual([atStripe(id).length, atBridge(id).length], [1, 0])
  })

  it('goes by the second when the first holds too little, once', async () => {
    const { id, reference } = await till.payOut(5_000_00)
    assert.deepEqual([atStripe(id).length, atBridge(id).length], [0, 1])
    bridge.transfer.succeed(`po-${id}`)
    stripe.topUp(10_000_00)
    await till.pass(minuteMs)
    assert.equal((await till.payout(reference)).status, 'completed')
    assert.deepEqual([atStripe(id).length, atBridge(id).length], [0, 1])
  })

  it('goes by the second when the first refuses it in its answer, and certainly has not taken it', async () => {
    await till.pass(minuteMs)
    await till.payOut(10_00)
    // The balance that was read is not the balance that is there when the payment comes.
    const held = stripe.funds.available
    stripe.funds.available = 0
    const { id, reference } = await till.payOut(100_00)
    assert.deepEqual([atStripe(id).length, (await till.payout(reference)).status], [0, 'pending'])
    await till.pass(minuteMs)
    await till.pass(minuteMs)
    assert.deepEqual([atStripe(id).length, atBridge(id).length], [0, 1])
    stripe.funds.available = held
    bridge.transfer.succeed(atBridge(id)[0]?.reference ?? '')
    await till.pass(minuteMs)
    assert.equal((await till.payout(reference)).status, 'completed')
    assert.deepEqual(await till.eventsOf(id), ['payout.initiated', 'payout.completed'])
  })

  it('goes by the second, once, when the limit of its payee at the first is reached, and others go by the first', async () => {
    await till.pass(minuteMs)
    const account_number = '777000777'
    stripe.refusing.push({
      operation: 'create_payment',
      status: 400,
      number: account_number,
      type: 'quota_exceeded',
      code: 'recipient_amount_limit_exceeded',
    })
    const destination = {
      country: 'us',
      routing_number: '021000021',
      account_number,
      account_name: 'Ada Okafor',
      account_type: 'checking',
      holder_address: holderAddress,
    }
    const one = await till.payOut(100_00, { destination })
    const other = await till.payOut(100_00)
    assert.deepEqual([atStripe(one.id).length, atStripe(other.id).length], [0, 1])
    await till.pass(minuteMs)
    const next = await till.payOut(100_00, { destination })
    stripe.refusing.splice(0)
    for (const { id } of [one, next])
      assert.deepEqual([atStripe(id).length, atBridge(id).length], [0, 1])
  })

  it('stays with the first, which has taken it and is silent, however long', async () => {
    await till.pass(minuteMs)
    await stripe.fault('create_payment', 'reset_after')
    for (const operation of ['list_payments', 'get_payment'] as const)
      await stripe.fault(operation, 'timeout_before', { times: 999 })
    const { id, reference } = await till.payOut(100_00)
    assert.equal(atStripe(id).length, 1)
    for (let day = 0; day < 5; day++) await till.pass(dayMs)
    assert.deepEqual(
      [(await till.payout(reference)).status, atBridge(id).length],
      ['processing', 0],
    )
    await stripe.clearFaults()
    stripe.payment.post(`po-${id}`)
    await till.pass(dayMs)
    assert.equal((await till.payout(reference)).status, 'completed')
    assert.deepEqual([atStripe(id).length, atBridge(id).length], [1, 0])
  })
})
