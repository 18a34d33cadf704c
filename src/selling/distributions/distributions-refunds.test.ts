import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { ada, assertRefused, type Json } from '../../../test/support/actors.ts'
import { must, shareServer, type TestServer } from '../../../test/support/harness.ts'
import { assertWalletsUnlocked, holdRows } from '../../../test/support/held.ts'
import { operatorOf } from '../../../test/support/operators.ts'
import {
  half,
  newSharingMerchant,
  type SharingMerchant,
  sum,
} from '../../../test/support/sharing.ts'

describe('distributions of what is refunded', () => {
  let server: TestServer
  let merchant: SharingMerchant
  before(async () => {
    // Payouts and refunds wait until a test says how they end.
    server = await shareServer({ SANDBOX_DELAY: '1h' })
    merchant = newSharingMerchant(server)
    // What a refund takes beyond the shares: fees are not given back.
    await server.fund('ngn', 10_000_000)
  })
  after(() => server.stop())

  it('give their parts back in proportion, and all in the end', async () => {
    const plan = await merchant.makePlan([
      { name: 'a', percentage_bps: 3_333 },
      { name: 'b', flat_amount: 7 },
    ])
    const payment = await merchant.sell([plan, 100_000, 1])
    const [a, b] = await merchant.held(plan)
    assert.deepEqual([a, b], [33_328, 7])
    let back = 0
    for (const amount of [1, 33_332, 16_667, 49_999, 1]) {
      const before = await merchant.available()
      back += amount
      await merchant.refundAndEnd(payment, amount)
      // What a share keeps: its part, less its proportion of what went back, rounded down.
      const kept = [33_328, 7].map((part) => part - Math.floor((part * back) / 100_000))
      const given = 33_335 - sum(kept)
      assert.deepEqual(await merchant.held(plan), kept, `after ${back}`)
      const earlier = sum([33_328, 7].map((part) => Math.floor((part * (back - amount)) / 100_000)))
      assert.equal(await merchant.available(), before - amount + given - earlier)
    }
    assert.deepEqual(await merchant.held(plan), [0, 0])
  })

  it('have again what a refund took that came back after it had completed', async () => {
    const plan = await merchant.makePlan(half)
    const payment = await merchant.sell([plan, 100_000, 1])
    const before = [await merchant.held(plan), await merchant.available()]
    const { data } = await merchant.refund(payment, { amount: 50_000 })
    await merchant.ask('POST', `/refunds/${data.id}/simulate`, { outcome: 'completed' })
    assert.deepEqual(await merchant.held(plan), [25_000])
    await merchant.ask('POST', `/refunds/${data.id}/simulate`, { outcome: 'returned' })
    assert.deepEqual([await merchant.held(plan), await merchant.available()], before)
  })

  it('tell of it in a transaction that names the refund', async () => {
    const plan = await merchant.makePlan(half)
    const payment = await merchant.sell([plan, 100_000, 1])
    const { data } = await merchant.refund(payment, { amount: 50_000 })
    const { docs } = await merchant.ask('GET', '/transactions?limit=2')
    const share = docs.find((one: Json) => one.type === 'share')
    assert.deepEqual(
      [share.direction, share.amount, share.status, share.related],
      ['credit', 25_000, 'completed', { refund: data.id, payment: payment.id }],
    )
    await merchant.ask('POST', `/refunds/${data.id}/simulate`, { outcome: 'failed' })
    const again = (await merchant.ask('GET', '/transactions?limit=1')).docs[0]
    assert.deepEqual(
      [again.type, again.direction, again.amount, again.related],
      ['share', 'debit', 25_000, { refund: data.id, payment: payment.id }],
    )
    assert.equal(again.balance_after, await merchant.available())
  })

  it('are touched after the limits of exchanges are locked, as wallets are by payouts', async () => {
    const operator = await operatorOf(server)
    const ofUsdc = (max_short: number | null) =>
      must(
        operator('PUT', '/operator/exchange/limits', {
          currencies: [{ currency: 'usdc', max_short }],
        }),
      )
    await ofUsdc(1_000_000_000)
    const payment = await merchant.sell([await merchant.makePlan(half), 100_000, 1])
    const held = await holdRows(
      server,
      `select from exchange_limits where currency = 'usdc' and not livemode`,
      [],
    )
    const destination = {
      currency: 'usdc',
      chain: 'base',
      address: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
    }
    const refunding = merchant.refund(payment, { destination })
    await held.waiting(1)
    await assertWalletsUnlocked(server).finally(held.release)
    const { data } = await refunding
    await merchant.ask('POST', `/payouts/refund_${data.id}/simulate`, { outcome: 'completed' })
    await ofUsdc(null)
  })

  it('keep theirs while what came on top goes back', async () => {
    const plan = await merchant.makePlan(half)
    const payment = await merchant.pay(await merchant.bill([plan, 1_000_000, 1]), 'overpaid')
    assert.equal(payment.amount_received, 1_100_001)
    // The price is shared, and not what came on top.
    assert.deepEqual(await merchant.held(plan), [500_000])
    for (const [amount, left] of [
      [100_000, 500_000],
      [1, 500_000],
      [2, 499_999],
      [499_998, 250_000],
      [500_000, 0],
    ] as const) {
      await merchant.refundAndEnd(payment, amount)
      assert.deepEqual(await merchant.held(plan), [left], `after ${amount}`)
    }
  })

  it('give nothing more while money that came after a refund goes back', async () => {
    const plan = await merchant.makePlan(half)
    const payment = await merchant.sell([plan, 1_000_000, 1])
    await merchant.refundAndEnd(payment, 600_000)
    assert.deepEqual(await merchant.held(plan), [200_000])
    const { docs } = await merchant.ask('GET', '/virtual-accounts?limit=100')
    const account = docs.find((one: Json) => one.payment === payment.id)
    const deposit = { amount: 300_000, sender: ada }
    await merchant.ask('POST', `/virtual-accounts/${account.id}/simulate-deposit`, deposit)
    for (const [amount, left] of [
      [100_000, 200_000],
      [200_000, 200_000],
      [100_000, 150_000],
      [300_000, 0],
    ] as const) {
      await merchant.refundAndEnd(payment, amount)
      assert.deepEqual(await merchant.held(plan), [left], `after ${amount}`)
    }
  })

  it('get back exactly what a refund took that fails', async () => {
    const plan = await merchant.makePlan([
      { name: 'a', percentage_bps: 3_333 },
      { name: 'b', flat_amount: 7 },
    ])
    const payment = await merchant.sell([plan, 100_000, 1])
    const wallet = await merchant.available()
    for (const amount of [100_000, 1, 33_333]) {
      const { data } = await merchant.refund(payment, { amount })
      assert.equal(
        sum(await merchant.held(plan)),
        33_335 - [33_328, 7].reduce((a, b) => a + took(b, amount), 0),
      )
      await merchant.ask('POST', `/refunds/${data.id}/simulate`, { outcome: 'failed' })
      assert.deepEqual(
        [await merchant.held(plan), await merchant.available()],
        [[33_328, 7], wallet],
      )
    }
    await merchant.refundAndEnd(payment, 40_000)
    const after = await merchant.held(plan)
    await merchant.refundAndEnd(payment, 60_000, 'failed')
    assert.deepEqual(await merchant.held(plan), after)
    await merchant.refundAndEnd(payment, 60_000)
    assert.deepEqual(await merchant.held(plan), [0, 0])
  })
  const took = (part: number, amount: number): number => Math.floor((part * amount) / 100_000)

  it('have the business bear what they have settled', async () => {
    const plan = await merchant.makePlan([...half, { name: 'Bola', percentage_bps: 1_000 }])
    const payment = await merchant.sell([plan, 1_000_000, 1])
    await server.fund('ngn', 1_000_000)
    const { payouts } = await merchant.settle(plan)
    await merchant.endPayout(payouts[0], 'completed')
    assert.deepEqual(
      [await merchant.held(plan), await merchant.settled(plan)],
      [
        [0, 100_000],
        [500_000, 0],
      ],
    )
    const wallet = await merchant.available()
    // Half of each, and Ada has nothing left to give.
    await merchant.refundAndEnd(payment, 500_000, 'failed')
    assert.deepEqual(
      [await merchant.held(plan), await merchant.available()],
      [[0, 100_000], wallet],
    )
    await merchant.refundAndEnd(payment, 500_000)
    assert.deepEqual(
      [await merchant.held(plan), await merchant.available()],
      [[0, 50_000], wallet - 450_000],
    )
    // What she gets for another sale is not taken for what was borne.
    await merchant.sell([plan, 100_000, 1])
    assert.deepEqual(await merchant.held(plan), [50_000, 60_000])
    const now = await merchant.available()
    await merchant.refundAndEnd(payment, 200_000)
    // 100,000 are due of her now, and she has 50,000 of the other sale.
    assert.deepEqual(await merchant.held(plan), [0, 40_000])
    assert.equal(await merchant.available(), now - 200_000 + 50_000 + 20_000)
    await merchant.refundAndEnd(payment, 300_000)
    assert.deepEqual(await merchant.held(plan), [0, 10_000])
    assert.deepEqual(await merchant.settled(plan), [500_000, 0])
  })

  it('are left alone when the wallet cannot bear the refund', async () => {
    const plan = await merchant.makePlan([...half, { name: 'Bola', percentage_bps: 1_000 }])
    const payment = await merchant.sell([plan, 1_000_000, 1])
    await merchant.settle(plan)
    await merchant.emptyWallet()
    const { body } = await assertRefused(server, 400, 'insufficient_funds', () =>
      merchant.refund(payment),
    )
    // The part that Bola would have given back is counted in.
    assert.deepEqual([body.errors.available, body.errors.needed], [100_000, 1_000_000])
    assert.deepEqual(await merchant.held(plan), [0, 100_000])
    await server.fund('ngn', 899_999)
    await assertRefused(server, 400, 'insufficient_funds', () => merchant.refund(payment))
    await server.fund('ngn', 1)
    await merchant.refundAndEnd(payment, 1_000_000)
    assert.deepEqual([await merchant.held(plan), await merchant.available()], [[0, 0], 0])
  })

  it('get what is there when a refund fails that took more than it held', async () => {
    // Of twenty units nineteen go back: by rounding no share gives any, and all give theirs for the
    // last one.
    const plan = await merchant.makePlan(
      Array.from({ length: 19 }, (_, i) => ({
        name: `Share ${i}`,
        percentage_bps: 500,
        destination: null,
      })),
    )
    const payment = await merchant.sell([plan, 20, 1])
    assert.deepEqual(await merchant.held(plan), Array(19).fill(1))
    await server.fund('ngn', 1_000)
    await merchant.refundAndEnd(payment, 19)
    assert.deepEqual(await merchant.held(plan), Array(19).fill(1))
    const { data } = await merchant.refund(payment)
    assert.deepEqual(await merchant.held(plan), Array(19).fill(0))
    await merchant.emptyWallet()
    const failed = await merchant.ask('POST', `/refunds/${data.id}/simulate`, { outcome: 'failed' })
    assert.equal(failed.status, 'failed')
    // The one unit of the refund is all that the wallet has.
    assert.equal(sum(await merchant.held(plan)), 1)
    assert.equal(await merchant.available(), 0)
    await merchant.refundAndEnd(payment, 1)
    assert.deepEqual(await merchant.held(plan), Array(19).fill(0))
  })
})
