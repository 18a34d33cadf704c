import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import {
  americanAccount,
  assertRefused,
  bankAccount,
  type Json,
  most,
  newBusiness,
} from '../../../test/support/actors.ts'
import {
  bankPayout,
  shareServer,
  snapshot,
  type TestServer,
} from '../../../test/support/harness.ts'
import {
  half,
  newSharingMerchant,
  type SharingMerchant,
  sum,
} from '../../../test/support/sharing.ts'

describe('distributions of what is sold', () => {
  let server: TestServer
  let merchant: SharingMerchant
  before(async () => {
    // Payouts and refunds wait until a test says how they end.
    server = await shareServer({ SANDBOX_DELAY: '1h' })
    merchant = newSharingMerchant(server)
  })
  after(() => server.stop())

  it('give what the preview shows', async () => {
    for (const shares of [
      [{ name: 'a', percentage_bps: 3_333 }],
      [
        { name: 'a', percentage_bps: 3_333 },
        { name: 'b', percentage_bps: 3_333 },
        { name: 'c', percentage_bps: 3_000 },
      ],
      [
        { name: 'a', percentage_bps: 5_000 },
        { name: 'b', flat_amount: 1_234 },
        { name: 'c', percentage_bps: 1 },
      ],
      [
        { name: 'a', flat_amount: 7 },
        { name: 'b', flat_amount: 11 },
      ],
    ])
      for (const [price, quantity] of [
        [99_999, 1],
        [12_345, 7],
        [2_000, 100],
        [1_000_003, 13],
      ] as const) {
        const plan = await merchant.makePlan(shares)
        const amount = price * quantity
        const preview = await merchant.ask('POST', `/distributions/${plan.id}/preview`, {
          amount,
          quantity,
        })
        assert.deepEqual([preview.amount, preview.quantity], [amount, quantity])
        const parts = preview.shares.map((one: Json) => one.amount)
        assert.equal(sum(parts) + preview.rest, amount)
        const before = await merchant.available()
        const payment = await merchant.sell([plan, price, quantity])
        assert.ok(payment.fee > 0)
        assert.ok(preview.rest >= payment.fee, 'the business’s part has to cover the fee here')
        assert.deepEqual(await merchant.held(plan), parts)
        assert.equal(await merchant.available(), before + preview.rest - payment.fee)
      }
  })

  it('preview an amount of one, and what they cannot give', async () => {
    const plan = await merchant.makePlan([
      { name: 'a', flat_amount: 600 },
      { name: 'b', flat_amount: 600 },
      { name: 'c', percentage_bps: 10_000 },
    ])
    const path = `/distributions/${plan.id}/preview`
    const before = await snapshot(server.app)
    for (const [body, parts, rest] of [
      [{ amount: 1_000 }, [600, 400, 0], 0],
      [{ amount: 1_300 }, [600, 600, 100], 0],
      [{ amount: 1 }, [1, 0, 0], 0],
      [{ amount: most, quantity: 1_000_000 }, [600_000_000, 600_000_000, most - 1_200_000_000], 0],
    ] as const) {
      const { data } = await merchant.call('POST', path, body)
      assert.deepEqual(
        [data.shares.map((one: Json) => [one.id, one.name, one.amount]), data.rest],
        [plan.shares.map((one: Json, i: number) => [one.id, one.name, parts[i]]), rest],
      )
    }
    assert.deepEqual(await snapshot(server.app), before)
    for (const body of [
      {},
      { amount: 0 },
      { amount: 1.5 },
      { amount: most + 1 },
      { amount: 1, quantity: 0 },
      { amount: 1, quantity: 1_000_001 },
      { amount: 1, currency: 'ngn' },
    ])
      await assertRefused(server, 422, 'validation_failed', () => merchant.call('POST', path, body))
  })

  it('share each line by its own plan', async () => {
    const one = await merchant.makePlan([
      { name: 'a', percentage_bps: 1_000 },
      { name: 'b', flat_amount: 10 },
    ])
    const two = await merchant.makePlan([{ name: 'c', percentage_bps: 5_000 }])
    const before = await merchant.available()
    const payment = await merchant.sell(
      [one, 1_005, 3],
      [null, 777_777, 1],
      [two, 333, 1],
      [one, 100_000, 2],
    )
    // 3,015 less 30 is 2,985, and 200,000 less 20 is 199,980: a tenth of each, the half unit of the
    // first up.
    assert.deepEqual(await merchant.held(one), [299 + 19_998, 50])
    assert.deepEqual(await merchant.held(two), [167])
    assert.equal(await merchant.available(), before + payment.net - 20_297 - 50 - 167)
    const { docs } = await merchant.ask('GET', '/transactions?limit=1')
    assert.deepEqual(
      [
        docs[0].type,
        docs[0].direction,
        docs[0].method,
        docs[0].status,
        docs[0].amount,
        docs[0].balance_after,
      ],
      ['share', 'debit', 'wallet', 'completed', 20_514, await merchant.available()],
    )
    assert.deepEqual(docs[0].related, { payment: payment.id })
  })

  it('never give more than the payment brought', async () => {
    const plan = await merchant.makePlan([
      { name: 'a', percentage_bps: 6_000 },
      { name: 'b', percentage_bps: 4_000 },
    ])
    const before = await merchant.available()
    const payment = await merchant.sell([plan, 1_000_001, 1])
    assert.deepEqual([payment.fee, payment.net], [10_001, 990_000])
    assert.deepEqual(await merchant.held(plan), [594_000, 396_000])
    assert.equal(await merchant.available(), before)
    // Flat ones are cut too, and a part of the fee that the business bears is.
    const flat = await merchant.makePlan([
      { name: 'a', flat_amount: 300_000 },
      { name: 'b', percentage_bps: 9_900 },
    ])
    const next = await merchant.sell([flat, 500_000, 2])
    assert.equal(next.net, 990_000)
    // 600,000 and 396,000 of 1,000,000: 6,000 too much.
    assert.deepEqual(await merchant.held(flat), [596_386, 393_614])
    assert.equal(await merchant.available(), before)
    // A price that the fee eats up.
    const small = await merchant.makePlan([{ name: 'a', percentage_bps: 10_000 }])
    const least = await merchant.sell([small, 1, 1])
    assert.deepEqual([least.fee, least.net], [1, 0])
    assert.deepEqual(await merchant.held(small), [0])
    await merchant.refundAndEnd(least, 1, 'failed')
    assert.deepEqual(await merchant.held(small), [0])
  })

  it('give what is there when a part that was paid before is spent', async () => {
    const plan = await merchant.makePlan([
      { name: 'a', percentage_bps: 3_000 },
      { name: 'b', percentage_bps: 2_000 },
    ])
    const invoice = await merchant.bill([plan, 1_000_000, 1])
    const part = await merchant.pay(invoice, 'underpaid')
    assert.deepEqual([part.status, part.amount_received], ['pending', 500_000])
    assert.deepEqual(await merchant.held(plan), [0, 0])
    await merchant.emptyWallet()
    const paid = await merchant.pay(invoice)
    assert.deepEqual([paid.status, paid.net], ['completed', 990_000])
    assert.equal((await merchant.ask('GET', `/invoices/${invoice.id}`)).status, 'paid')
    // 300,000 and 200,000 of the 495,000 that the rest brought.
    assert.deepEqual(await merchant.held(plan), [297_000, 198_000])
    assert.equal(await merchant.available(), 0)
    // A refund takes back what was given, in proportion, and the business bears what it spent.
    await server.fund('ngn', 505_000)
    await merchant.refundAndEnd(paid, 500_000)
    assert.deepEqual(await merchant.held(plan), [148_500, 99_000])
    await merchant.refundAndEnd(paid, 500_000)
    assert.deepEqual(await merchant.held(plan), [0, 0])
    assert.equal(await merchant.available(), 0)
  })

  it('share nothing while they are off', async () => {
    const off = await merchant.makePlan(half)
    const on = await merchant.makePlan(half)
    const invoice = await merchant.bill([off, 1_000_000, 1], [on, 10_000, 1])
    const before = await merchant.available()
    await merchant.ask('PATCH', `/distributions/${off.id}/deactivate`)
    const payment = await merchant.pay(invoice)
    assert.deepEqual([await merchant.held(off), await merchant.held(on)], [[0], [5_000]])
    assert.equal(await merchant.available(), before + payment.net - 5_000)
    // Turned on again, it shares what is sold from then on.
    await merchant.ask('PATCH', `/distributions/${off.id}/activate`)
    assert.deepEqual(await merchant.held(off), [0])
    await merchant.sell([off, 1_000_000, 1])
    assert.deepEqual(await merchant.held(off), [500_000])
    await merchant.refundAndEnd(payment, 1_010_000)
    assert.deepEqual([await merchant.held(off), await merchant.held(on)], [[500_000], [0]])
  })

  it('share by the plan of the moment when it is paid', async () => {
    const plan = await merchant.makePlan(half)
    const invoice = await merchant.bill([plan, 1_000_000, 1])
    await merchant.ask('PUT', `/distributions/${plan.id}`, {
      shares: [{ name: 'Bola', percentage_bps: 100 }],
    })
    await merchant.pay(invoice)
    assert.deepEqual(await merchant.held(plan), [10_000])
  })

  it('share euros in dollars, at the rate of the invoice', async () => {
    const plan = await merchant.makePlan(
      [
        { name: 'a', percentage_bps: 5_000, destination: americanAccount },
        { name: 'b', flat_amount: 333 },
      ],
      'eur',
    )
    await server.fund('usd', 1_000)
    const before = await merchant.available('usd')
    const payment = await merchant.sell([plan, 10_001, 2], [plan, 99, 1])
    // 201.01 euros at 1.08 are 217.09 dollars: 216.02 of the first line, 1.07 of the second; a flat
    // 3.33 are 3.59.
    assert.deepEqual([payment.currency, payment.amount, payment.fee], ['usd', 21_709, 174])
    assert.deepEqual(await merchant.held(plan), [(21_602 - 718) / 2, 718 + 107])
    assert.equal(await merchant.available('usd'), before + 21_709 - 174 - 10_442 - 825)
    const { payouts, skipped } = await merchant.settle(plan)
    assert.deepEqual(
      [payouts.map((one: Json) => one.amount), skipped.map((one: Json) => one.amount)],
      [[10_442], [825]],
    )
    const payout = await merchant.endPayout(payouts[0], 'failed')
    assert.deepEqual([payout.currency, payout.destination_currency], ['usd', 'usd'])
    assert.deepEqual(await merchant.held(plan), [10_442, 825])
    await merchant.refundAndEnd(payment, 21_709)
    assert.deepEqual(await merchant.held(plan), [0, 0])
  })

  it('hold no more than the API can carry', async () => {
    const rich = newSharingMerchant(server, await newBusiness(server, 'Rich'))
    const plan = await rich.makePlan([
      { name: 'Ada', percentage_bps: 10_000, destination: bankAccount() },
    ])
    const { net } = await rich.sell([plan, most, 1])
    assert.deepEqual(await rich.held(plan), [net])
    const invoice = await rich.bill([plan, most, 1])
    await assertRefused(server, 400, 'amount_too_large', () =>
      rich.call('POST', `/payments/${invoice.payment}/simulate`, {
        outcome: 'completed',
        method: 'bank_transfer',
      }),
    )
    // A wallet that is full cannot take what a share is paid out by.
    await rich.ask('POST', '/wallets/simulate-fund', { currency: 'ngn', amount: most })
    const full = await rich.settle(plan)
    assert.deepEqual(
      [full.payouts, full.skipped[0].amount, full.skipped[0].code],
      [[], net, 'amount_too_large'],
    )
    // What is on its way out counts: it may come back.
    await rich.ask('POST', '/payouts', bankPayout('spent', most))
    await rich.endPayout({ reference: 'spent' }, 'completed')
    const { payouts } = await rich.settle(plan)
    assert.equal(payouts[0].amount, net)
    await rich.endPayout(payouts[0], 'completed')
    assert.equal((await rich.pay(invoice)).status, 'completed')
    assert.deepEqual(await rich.held(plan), [net])
  })

  it('share the money of one business among its own', async () => {
    const other = newSharingMerchant(server, await newBusiness(server, 'Other'))
    const plan = await other.makePlan(half)
    const mine = await merchant.available()
    const payment = await other.sell([plan, 10_000, 1])
    assert.deepEqual(await other.held(plan), [5_000])
    assert.equal(await other.available(), payment.net - 5_000)
    assert.equal(await merchant.available(), mine)
  })
})
