import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type Merchant, most, newBusiness, newMerchant } from '../../../test/support/actors.ts'
import { assertEventsFit } from '../../../test/support/events.ts'
import { startServer, type TestServer, until } from '../../../test/support/harness.ts'
import { defaultPricing, makePricing } from '../../books/pricing/pricing.ts'
import { showMoney } from '../../lib/money.ts'

const methods = ['card', 'bank_transfer', 'crypto'] as const
const currencies = ['ngn', 'usd'] as const
const pricing = makePricing(defaultPricing)

type Method = (typeof methods)[number]

let server: TestServer
let merchant: Merchant

describe('simulated payments', () => {
  before(async () => {
    server = await startServer()
    merchant = newMerchant(server)
  })
  after(() => server.stop())

  const fees: Record<string, number> = {
    'card ngn': 15_000,
    'bank_transfer ngn': 10_000,
    'crypto ngn': 10_000,
    'card usd': 29_030,
    'bank_transfer usd': 500,
    'crypto usd': 10_000,
  }

  it('charge one card, though the order of an earlier one arrives after the scheme has said that it has none', async () => {
    const { cards } = server.app.rails.test.sandbox
    const { charge } = cards
    let arrive = (): void => {}
    const held = new Promise<void>((resolve) => {
      arrive = resolve
    })
    const before = await merchant.available('ngn')
    const payment = await merchant.openPayment()
    cards.charge = (order, card) => held.then(() => charge(order, card))
    const first = server.call('POST', `/payments/${payment.id}/simulate`, {
      outcome: 'completed',
      method: 'card',
    })
    await until(async () => (await merchant.readPayment(payment)).attempts === 1)
    cards.charge = charge
    // It is asked about more than once, where the first time was too early to say so.
    await until(async () => {
      await merchant.advance('10m')
      return (await merchant.readPayment(payment)).failure_reason === 'processing_error'
    }, 60_000)
    const paid = await merchant.simulate(payment, 'completed', 'card')
    arrive()
    await first
    await merchant.advance('1h')
    const now = await merchant.readPayment(payment)
    assert.deepEqual(
      [now.status, now.variance, now.amount_received],
      ['completed', 'exact', payment.amount],
    )
    assert.equal(await merchant.available('ngn'), before + paid.net)
  })

  for (const currency of currencies)
    for (const method of methods)
      it(`complete by ${method} in ${currency}, and pay their fee`, async () => {
        const before = await merchant.available(currency)
        const fee = fees[`${method} ${currency}`] as number
        const payment = await merchant.openPayment({
          currency,
          reference: `${method}-${currency}`,
          metadata: { order: 1 },
        })
        const paid = await merchant.simulate(payment, 'completed', method)
        assert.deepEqual(await merchant.readPayment(payment), paid)
        assert.deepEqual(
          [
            paid.status,
            paid.method,
            paid.variance,
            paid.amount_received,
            paid.fee,
            paid.net,
            paid.amount_refunded,
          ],
          ['completed', method, 'exact', 1_000_000, fee, 1_000_000 - fee, 0],
        )
        assert.equal(paid.attempts, method === 'card' ? 1 : 0)
        assert.ok(Date.parse(paid.paid_at) >= Date.parse(payment.created_at))
        assert.equal(await merchant.available(currency), before + 1_000_000 - fee)

        const transaction = await merchant.verify(paid.transaction)
        assert.deepEqual(
          [
            transaction.type,
            transaction.method,
            transaction.direction,
            transaction.status,
            transaction.late,
          ],
          ['payment', method, 'credit', 'completed', false],
        )
        assert.deepEqual(
          [transaction.amount, transaction.fee, transaction.net],
          [1_000_000, fee, 1_000_000 - fee],
        )
        assert.equal(transaction.balance_after, before + 1_000_000 - fee)
        assert.deepEqual(
          [transaction.reference, transaction.metadata],
          [payment.reference, { order: 1 }],
        )
        assert.equal(transaction.related.payment, payment.id)

        const [completed, ...more] = await merchant.eventsOf(payment)
        assert.deepEqual([completed.type, more], ['payment.completed', []])
        assert.deepEqual(completed.payload, paid)
        const deposits = (await merchant.allEvents()).filter(
          (event) => event.payload.id === paid.transaction,
        )
        const type = {
          card: [],
          bank_transfer: ['virtual_account.deposit'],
          crypto: ['crypto.deposit'],
        }[method]
        assert.deepEqual(
          deposits.map((event) => event.type),
          type,
        )
        for (const event of deposits) assert.deepEqual(event.payload, transaction)
        await merchant.isRefused(
          'POST',
          `/payments/${payment.id}/simulate`,
          { outcome: 'completed' },
          400,
          'payment_not_pending',
        )
      })

  it('keep who paid: the card’s last digits, the account, the address', async () => {
    const source = async (method: Method, currency: string) =>
      (
        await merchant.verify(
          (
            await merchant.simulate(await merchant.openPayment({ currency }), 'completed', method)
          ).transaction,
        )
      ).source
    assert.deepEqual(await source('card', 'ngn'), { brand: 'visa', last4: '4242' })
    assert.equal((await source('bank_transfer', 'ngn')).account_number, '0123456789')
    assert.equal((await source('bank_transfer', 'usd')).routing_number, '110000000')
    assert.match((await source('crypto', 'usd')).address, /^0x[0-9a-fA-F]{40}$/)
  })

  for (const currency of currencies)
    for (const method of ['bank_transfer', 'crypto'] as const) {
      it(`are underpaid, then paid, by ${method} in ${currency}`, async () => {
        const before = await merchant.available(currency)
        const payment = await merchant.openPayment({ currency })
        const half = await merchant.simulate(payment, 'underpaid', method)
        assert.deepEqual(
          [half.status, half.variance, half.transaction],
          ['pending', 'underpaid', null],
        )
        assert.ok(half.amount_received > 0 && half.amount_received < 1_000_000)
        assert.equal(
          half.fee,
          Number(pricing.incomingFee('payment', method, currency, BigInt(half.amount_received))),
        )
        assert.equal(half.net, half.amount_received - half.fee)
        assert.deepEqual(await merchant.eventTypesOf(payment), [])
        const page = await merchant.payerOf(payment).reads(method)
        assert.ok(
          page.includes(showMoney(BigInt(1_000_000 - half.amount_received), currency)),
          page,
        )
        const paid = await merchant.simulate(payment, 'completed', method)
        const fee = fees[`${method} ${currency}`] as number
        assert.deepEqual(
          [paid.status, paid.variance, paid.amount_received, paid.fee, paid.net],
          ['completed', 'exact', 1_000_000, fee, 1_000_000 - fee],
        )
        assert.equal(await merchant.available(currency), before + 1_000_000 - fee)
        assert.deepEqual(await merchant.eventTypesOf(payment), ['payment.completed'])
      })

      it(`are overpaid by ${method} in ${currency}`, async () => {
        const before = await merchant.available(currency)
        const payment = await merchant.openPayment({ currency })
        const paid = await merchant.simulate(payment, 'overpaid', method)
        const { amount_received: received, fee } = paid
        assert.deepEqual([paid.status, paid.variance], ['completed', 'overpaid'])
        assert.ok(received > 1_000_000)
        assert.equal(
          fee,
          Number(pricing.incomingFee('payment', method, currency, BigInt(received))),
        )
        assert.deepEqual(
          [paid.net, await merchant.available(currency)],
          [received - fee, before + received - fee],
        )
        assert.ok(
          (await merchant.payerOf(payment).reads(method)).includes(
            showMoney(BigInt(received - 1_000_000), currency),
          ),
        )
      })
    }

  it('take a card’s money whole: it can be neither too little nor too much', async () => {
    const payment = await merchant.openPayment({ methods: ['card'] })
    for (const outcome of ['underpaid', 'overpaid']) {
      await merchant.isRefused(
        'POST',
        `/payments/${payment.id}/simulate`,
        { outcome },
        400,
        'method_not_available',
      )
      const body = { outcome, method: 'card' }
      await merchant.isRefused(
        'POST',
        `/payments/${(await merchant.openPayment()).id}/simulate`,
        body,
        400,
        'method_not_available',
      )
    }
    // Where nothing is said, it is the first method that can be meant.
    assert.equal(
      (await merchant.simulate(await merchant.openPayment(), 'underpaid')).status,
      'pending',
    )
    const first = await merchant.openPayment({ methods: ['card', 'crypto'] })
    assert.equal((await merchant.simulate(first, 'overpaid')).method, 'crypto')
  })

  it('fail and expire', async () => {
    for (const method of methods) {
      const failing = await merchant.openPayment()
      const failed = await merchant.simulate(failing, 'failed', method)
      assert.deepEqual(
        [failed.status, failed.failure_reason, failed.method],
        ['failed', 'declined', null],
      )
      const expiring = await merchant.openPayment()
      const expired = await merchant.simulate(expiring, 'expired', method)
      assert.deepEqual([expired.status, expired.failure_reason], ['expired', null])
      for (const [payment, now, type] of [
        [failing, failed, 'payment.failed'],
        [expiring, expired, 'payment.expired'],
      ]) {
        const events = await merchant.eventsOf(payment)
        assert.deepEqual(
          events.map((event) => [event.type, event.payload]),
          [[type, now]],
        )
        const body = { outcome: 'completed' }
        await merchant.isRefused(
          'POST',
          `/payments/${payment.id}/simulate`,
          body,
          400,
          'payment_not_pending',
        )
      }
    }
  })

  it('refuse what cannot happen', async () => {
    const payment = await merchant.openPayment({ methods: ['crypto'] })
    const path = `/payments/${payment.id}/simulate`
    for (const method of ['card', 'bank_transfer'])
      await merchant.isRefused(
        'POST',
        path,
        { outcome: 'completed', method },
        400,
        'method_not_available',
      )
    for (const body of [
      {},
      { outcome: 'paid' },
      { outcome: 'completed', method: 'cash' },
      { outcome: 'failed', by: 1 },
    ])
      await merchant.isRefused('POST', path, body, 422, 'validation_failed')
  })

  it('undo all of a refused one', async () => {
    const payment = await merchant.openPayment({ amount: most, methods: ['bank_transfer'] })
    const path = `/payments/${payment.id}/simulate`
    await merchant.isRefused('POST', path, { outcome: 'overpaid' }, 400, 'amount_too_large')
    const crypto = await merchant.openPayment({ amount: most, methods: ['crypto'] })
    await merchant.isRefused(
      'POST',
      `/payments/${crypto.id}/simulate`,
      { outcome: 'overpaid' },
      400,
      'amount_too_large',
    )
  })

  it('charge no card for more than the wallet can hold', async () => {
    const full = await newBusiness(server, 'Full')
    await full('POST', '/wallets/simulate-fund', { currency: 'ngn', amount: most - 900_000 })
    const asked = { amount: 1_000_000, currency: 'ngn', methods: ['card'] }
    const { data: payment } = await full('POST', '/payments', asked)
    await merchant.isRefused(
      'POST',
      `/payments/${payment.id}/simulate`,
      { outcome: 'completed' },
      400,
      'amount_too_large',
      full,
    )
    assert.deepEqual((await full('GET', `/payments/${payment.id}`)).data, payment)
  })

  it('run once for an Idempotency-Key', async () => {
    for (const method of methods) {
      const before = await merchant.available()
      const payment = await merchant.openPayment()
      const send = () =>
        server.call(
          'POST',
          `/payments/${payment.id}/simulate`,
          { outcome: 'completed', method },
          { 'idempotency-key': `simulate-${method}` },
        )
      const [first, again] = [await send(), await send()]
      assert.deepEqual([first.status, first.data.status], [200, 'completed'])
      assert.deepEqual(again.body, first.body)
      assert.equal(
        await merchant.available(),
        before + 1_000_000 - (fees[`${method} ngn`] as number),
      )
    }
  })

  it('told events that fit their schemas, and left clean books', async () => {
    await assertEventsFit(server, await merchant.allEvents(), [
      'crypto.deposit',
      'payment.completed',
      'payment.expired',
      'payment.failed',
      'virtual_account.deposit',
    ])
  })
})
