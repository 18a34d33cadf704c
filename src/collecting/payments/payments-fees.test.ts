import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type Merchant, newMerchant } from '../../../test/support/actors.ts'
import { shareServer, type TestServer } from '../../../test/support/harness.ts'
import { defaultPricing, makePricing } from '../../books/pricing/pricing.ts'
import { showMoney } from '../../lib/money.ts'

const methods = ['card', 'bank_transfer', 'crypto'] as const
const currencies = ['ngn', 'usd'] as const
const pricing = makePricing(defaultPricing)

let server: TestServer
let merchant: Merchant

describe('a fee that the payer bears', () => {
  before(async () => {
    server = await shareServer()
    merchant = newMerchant(server)
  })
  after(() => server.stop())

  for (const currency of currencies)
    for (const method of methods)
      it(`comes on top of the amount, by ${method} in ${currency}`, async () => {
        const before = await merchant.available(currency)
        for (const amount of [1, 99, 1_000, 1_000_000, 99_999_999]) {
          const payment = await merchant.openPayment({ amount, currency, fee_bearer: 'customer' })
          const gross = Number(pricing.grossOf(method, currency, BigInt(amount)))
          assert.ok(
            (await merchant.payerOf(payment).reads(method)).includes(
              showMoney(BigInt(gross), currency),
            ),
          )
          const paid = await merchant.simulate(payment, 'completed', method)
          assert.deepEqual(
            [paid.status, paid.variance, paid.amount, paid.amount_received],
            ['completed', 'exact', amount, gross],
          )
          assert.ok(paid.net >= amount && paid.net <= amount + 1, `${amount}: ${paid.net}`)
          assert.equal(paid.net, gross - paid.fee)
        }
        assert.ok(
          (await merchant.available(currency)) >= before + 1 + 99 + 1_000 + 1_000_000 + 99_999_999,
        )
      })

  it('is due in full when the price is paid in parts', async () => {
    const payment = await merchant.openPayment({
      fee_bearer: 'customer',
      methods: ['bank_transfer'],
    })
    const payer = merchant.payerOf(payment)
    const account = await payer.openAccount()
    assert.equal(account.amount, 1_010_102)
    await payer.transfer(400_000)
    assert.ok(
      (await merchant.payerOf(payment).reads('bank_transfer')).includes(showMoney(610_102n, 'ngn')),
    )
    await payer.transfer(610_101)
    assert.equal((await merchant.readPayment(payment)).status, 'pending')
    await payer.transfer(1)
    const paid = await merchant.readPayment(payment)
    assert.deepEqual([paid.status, paid.variance, paid.net], ['completed', 'exact', 1_000_000])
  })

  it('leaves the business its amount when the parts come by different ways', async () => {
    // The fee of a crypto part is larger than the whole fee of a transfer.
    const payment = await merchant.openPayment({ amount: 10_000_000, fee_bearer: 'customer' })
    const first = await merchant.simulate(payment, 'underpaid', 'crypto')
    await merchant.simulate(payment, 'underpaid', 'crypto')
    const paid = await merchant.simulate(payment, 'completed', 'bank_transfer')
    assert.equal(first.status, 'pending')
    assert.deepEqual(
      [paid.status, paid.variance, paid.method],
      ['completed', 'exact', 'bank_transfer'],
    )
    assert.ok(paid.net >= 10_000_000, `${paid.net}`)
    const page = await merchant.payerOf(payment).reads('bank_transfer')
    assert.ok(!page.includes('Paid too much'), page)
  })

  it('can always be paid by every way while the payment is pending', async () => {
    const payment = await merchant.openPayment({ amount: 10_000_000, fee_bearer: 'customer' })
    // More than what the cheaper way costs in all, less than what this one does.
    for (let i = 0; i < 8; i++) await merchant.simulate(payment, 'underpaid', 'crypto')
    const now = await merchant.readPayment(payment)
    assert.ok(
      now.status === 'pending' && now.amount_received > 10_030_000,
      `${now.amount_received}`,
    )
    assert.equal((await merchant.payerOf(payment).post('transfer')).status, 303)
    const paid = await merchant.simulate(payment, 'completed', 'bank_transfer')
    assert.deepEqual([paid.status, paid.net >= 10_000_000], ['completed', true])
  })
})
