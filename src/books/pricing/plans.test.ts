/**
 * Goal: every server uses the price that applies to the business at that time, and prices once
 * given stay. Method: two servers on one database, with a clock moved by the test.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type Merchant, newMerchant } from '../../../test/support/actors.ts'
import {
  bankPayout,
  type Call,
  type Json,
  makeCall,
  must,
  startServer,
  type TestServer,
} from '../../../test/support/harness.ts'
import { changePlan, givePlan, makePlan, payoutsFor } from '../../../test/support/prices.ts'
import { open, serve } from '../../app/main.ts'
import type { App } from '../../core/app.ts'
import { later, manualClock } from '../../lib/clock.ts'
import { readConfig } from '../../lib/config.ts'
import type { Refusal } from '../../lib/errors.ts'
import { createBusiness } from '../businesses/businesses.ts'

const minute = 60_000
const day = 86_400_000
const defaultFee = 3_500

describe('prices', () => {
  const clock = manualClock(new Date('2026-11-20T12:00:00Z'))
  let server: TestServer
  let other: { app: App; url: string; stop(): Promise<void> }
  let merchant: Merchant
  before(async () => {
    server = await startServer({}, undefined, clock)
    const config = readConfig({
      PORT: '0',
      DATABASE_URL: server.databaseUrl,
      SECRETS_KEY: 'ab'.repeat(32),
      RATE_LIMIT_MAX: '0',
      LOG_LEVEL: 'fatal',
    })
    const opened = await open(config, 'api', { clock })
    const running = await serve(opened, 'api')
    const stop = () => running.stop().then(opened.close)
    other = { app: opened.app, url: running.url, stop }
    merchant = newMerchant(server)
  })
  after(async () => {
    await other.stop()
    await server.stop()
  })

  /** A business with a million naira, and its calls to both servers. */
  const business = async () => {
    const { business, test_key: key } = await createBusiness(server.app, 'Adaeze Ltd')
    const calls: Call[] = [server.callAs(key), makeCall(other.url, key)]
    const [call] = calls as [Call]
    await must(call('POST', '/wallets/simulate-fund', { currency: 'ngn', amount: 100_000_000 }))
    return { id: business.id, calls, call }
  }
  const quoteOf = (call: Call) =>
    must(call('POST', '/payouts/quote', { ...bankPayout('', 100_000), reference: undefined }))
  const feeOf = async (call: Call): Promise<number> => (await quoteOf(call)).fee
  const feesOf = async (calls: Call[]): Promise<number[]> => Promise.all(calls.map(feeOf))
  const refusalOf = (work: Promise<unknown>) =>
    work.then(
      () => assert.fail('it was not refused'),
      (refusal: Refusal) => refusal,
    )

  it('change at their date on every server, to the millisecond, and by business', async () => {
    const [one, two] = [await business(), await business()]
    const plan = await makePlan(server.app, payoutsFor(100))
    assert.deepEqual(await feesOf([...one.calls, ...two.calls]), Array(4).fill(defaultFee))
    const date = later(clock.now(), 2 * minute)
    await givePlan(server.app, one.id, plan.id, date)
    clock.advance(2 * minute - 1)
    assert.deepEqual(await feesOf([...one.calls, ...two.calls]), Array(4).fill(defaultFee))
    clock.advance(1)
    assert.deepEqual(await feesOf([...one.calls, ...two.calls]), [100, 100, defaultFee, defaultFee])
    await changePlan(other.app, plan.id, payoutsFor(200))
    clock.advance(minute - 1)
    assert.deepEqual(await feesOf(one.calls), [100, 100])
    clock.advance(1)
    assert.deepEqual(await feesOf(one.calls), [200, 200])
    await givePlan(other.app, one.id, null)
    clock.advance(minute)
    assert.deepEqual(await feesOf(one.calls), [defaultFee, defaultFee])
  })

  it('are known in time by a server that read them just before they were made', async () => {
    const { id, calls } = await business()
    const plan = await makePlan(server.app, payoutsFor(100))
    for (const wait of [1, 4_999, 5_000, 44_999, 45_000]) {
      clock.advance(minute)
      await feesOf(calls)
      const before = await feesOf(calls)
      await givePlan(server.app, id, before[0] === 100 ? null : plan.id)
      clock.advance(wait)
      assert.deepEqual(await feesOf(calls), before)
      clock.advance(minute - wait)
      const expected = before[0] === 100 ? defaultFee : 100
      assert.deepEqual(await feesOf(calls), [expected, expected], `${wait} ms`)
    }
  })

  it('are the old or the new one whole for payouts around the date, and a quote keeps its own', async () => {
    const { id, calls, call } = await business()
    const plan = await makePlan(server.app, payoutsFor(700))
    await givePlan(server.app, id, plan.id)
    clock.advance(minute - 20)
    const date = later(clock.now(), 20)
    const quote = await quoteOf(call)
    const payouts: Json[] = []
    let count = 0
    await Promise.all(
      Array.from({ length: 8 }, async (_, i) => {
        for (let j = 0; j < 5; j++) {
          clock.advance(1)
          const payout = bankPayout(`around-${count++}`, 100_000)
          payouts.push(await must((calls[i % 2] as Call)('POST', '/payouts', payout)))
        }
      }),
    )
    clock.advance(20)
    const late = await must(
      call('POST', '/payouts', bankPayout('quoted', 100_000, { quote: quote.id })),
    )
    assert.equal(late.fee, defaultFee)
    payouts.push(await must(call('POST', '/payouts', bankPayout('after', 100_000))))
    assert.deepEqual([...new Set(payouts.map(({ fee }) => fee))].sort(), [defaultFee, 700])
    for (const { fee, fee_breakdown, net_amount, created_at } of payouts) {
      assert.equal(fee, new Date(created_at) < date ? defaultFee : 700, created_at)
      assert.equal(
        fee_breakdown.reduce((sum: number, { amount }: { amount: number }) => sum + amount, 0),
        fee,
      )
      assert.equal(net_amount, 100_000 - fee)
    }
  })

  it('by chance: whoever makes them wherever, each server has what holds', async () => {
    const { id, calls } = await business()
    const apps = [server.app, other.app]
    let seed = 20_261_122
    const random = (below: number): number => {
      seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
      return seed % below
    }
    const plan = await makePlan(server.app, payoutsFor(1))
    await givePlan(server.app, id, plan.id)
    clock.advance(minute)
    const made = [{ from: clock.now().getTime() - minute, fee: 1 }]
    for (let step = 2; step < 60; step++) {
      if (random(3) === 0) {
        const from = later(clock.now(), minute + random(3) * random(minute))
        await changePlan(apps[random(2)] as App, plan.id, payoutsFor(step), from)
        made.push({ from: from.getTime(), fee: step })
      }
      clock.advance(random(4) === 0 ? random(2 * minute) : random(5_000))
      const now = clock.now().getTime()
      const holding = made
        .filter(({ from }) => from <= now)
        .reduce((best, one) => (one.from >= best.from ? one : best))
      assert.deepEqual(await feesOf(calls), [holding.fee, holding.fee], `step ${step}`)
    }
  })

  it('follow the test clock: a business tries what will hold, and its live mode waits', async () => {
    const { id, call } = await business()
    const plan = await makePlan(server.app, payoutsFor(300))
    await givePlan(server.app, id, plan.id, later(clock.now(), 10 * day))
    await must(call('POST', '/test/clock', { advance: '9d' }))
    assert.equal(await feeOf(call), defaultFee)
    await must(call('POST', '/test/clock', { advance: '25h' }))
    assert.equal(await feeOf(call), 300)
    const request = {
      ...({ amount: 100_000n, currency: 'ngn', method: 'bank_transfer' } as const),
      ...({ destinationCurrency: 'ngn', chain: null } as const),
    }
    assert.equal(server.app.prices.of(id, clock.now()).price(request)?.fee, BigInt(defaultFee))
  })

  it('of a payment are those that it was opened at: what a payer is asked for stays what is due', async () => {
    const own = { currency: 'ngn', amount: 1_000_000, fee_bearer: 'customer' } as const
    const opened = await merchant.openPayment(own)
    const parts = await merchant.openPayment({ ...own, fee_bearer: 'business' })
    await merchant.simulate(parts, 'underpaid', 'bank_transfer')
    const rule = { flat: 5_000, bps: 500, min: 0, max: null }
    const plan = await makePlan(server.app, { payment: { 'bank_transfer.ngn': rule } })
    await givePlan(server.app, server.businessId, plan.id)
    clock.advance(minute)
    const due = [opened, await merchant.openPayment(own)]
    const asked = await Promise.all(
      due.map((payment) => merchant.payerOf(payment).reads('bank_transfer')),
    )
    assert.ok(asked[0]?.includes('10,101.02') && asked[1]?.includes('10,578.95'), asked.join('\n'))
    const [before, after] = [
      await merchant.simulate(opened, 'completed', 'bank_transfer'),
      await merchant.simulate(due[1], 'completed', 'bank_transfer'),
    ]
    assert.deepEqual(
      [before.status, before.variance, before.fee, before.net],
      ['completed', 'exact', 10_102, 1_000_000],
    )
    assert.deepEqual(
      [after.status, after.variance, after.fee, after.net],
      ['completed', 'exact', 57_895, 1_000_000],
    )
    const paid = await merchant.simulate(parts, 'completed', 'bank_transfer')
    assert.deepEqual([paid.status, paid.fee], ['completed', 10_000])
  })

  it('are also those of deposits and of exchange', async () => {
    const { id, call } = await business()
    const plan = await makePlan(server.app, {
      rates: {
        usd_ngn: '1600',
        usdc_ngn: '1600',
        usdt_ngn: '1600',
        usdc_usd: '1',
        usdt_usd: '1',
        eur_usd: '2',
      },
      deposit: { 'bank_transfer.ngn': { flat: 50, bps: 100, min: 0, max: null } },
    })
    await givePlan(server.app, id, plan.id)
    clock.advance(minute)
    const { id: customer } = await must(
      call('POST', '/customers', { first_name: 'Ada', last_name: 'Obi', email: 'ada@example.com' }),
    )
    const account = await must(call('POST', '/virtual-accounts', { currency: 'ngn', customer }))
    const deposit = await must(
      call('POST', `/virtual-accounts/${account.id}/simulate-deposit`, { amount: 100_000 }),
    )
    assert.equal(deposit.fee, 1_050)
    await must(call('POST', '/wallets/simulate-fund', { currency: 'usd', amount: 100_000 }))
    const quote = await must(
      call('POST', '/payouts/quote', {
        amount: 100_000,
        currency: 'usd',
        method: 'bank_transfer',
        destination: { currency: 'ngn', bank_code: '058', account_number: '0123456789' },
      }),
    )
    assert.deepEqual([quote.rate, quote.destination_amount], ['1600', quote.net_amount * 1_600])
  })

  it('cannot be made for the past, nor for a time at which a server may not know them', async () => {
    const { id } = await business()
    const plan = await makePlan(server.app, {})
    for (const ahead of [-day, 0, minute - 1]) {
      const date = later(clock.now(), ahead)
      for (const make of [
        () => changePlan(server.app, plan.id, {}, date),
        () => givePlan(server.app, id, plan.id, date),
      ]) {
        const { code, data } = await refusalOf(make())
        assert.equal(code, 'validation_failed')
        assert.match(JSON.stringify(data), /60 seconds ahead/)
      }
    }
    for (const table of ['price_plans', 'price_versions', 'price_assignments'])
      await assert.rejects(server.asOwner(`delete from ${table}`), /append-only/)
  })

  it('are given to a plan though the clock was set back since it was made, and take the place of its first', async () => {
    const one = await business()
    const plan = await makePlan(server.app, payoutsFor(300))
    clock.advance(-5 * minute)
    const { versions } = await changePlan(server.app, plan.id, payoutsFor(400))
    clock.advance(5 * minute)
    assert.deepEqual(
      versions.map(({ holds_from }) => holds_from),
      [plan.created_at, plan.created_at],
    )
    await givePlan(server.app, one.id, plan.id)
    clock.advance(minute)
    assert.deepEqual(await feesOf(one.calls), [400, 400])
  })

  it('keep to the rules of a table, and leave what they do not name as it was', async () => {
    for (const [prices, path] of [
      [{ rates: { usd_ngn: '-1' } }, /prices\.rates\.usd_ngn/],
      [{ rates: { usd_ngn: '1500' } }, /prices\.rates\.usdc_ngn is needed/],
      [{ rates: { usd_ngn: '10000000000000' } }, /so high that ngn_usd is zero/],
      [
        { payment: { 'card.ngn': { flat: 0, bps: 5_001, min: 0, max: null } } },
        /must be at most 5000/,
      ],
      [
        { platform: { 'crypto.usd': { flat: 0, bps: 0, min: 2, max: 1 } } },
        /must not be below min/,
      ],
    ] as const) {
      const { code, data } = await refusalOf(makePlan(server.app, prices as never))
      assert.equal(code, 'validation_failed')
      assert.match(JSON.stringify(data), path)
    }
    const named = await makePlan(server.app, payoutsFor(5), 'Growth')
    assert.equal((await refusalOf(makePlan(server.app, {}, 'Growth'))).code, 'plan_name_taken')
    const { versions } = await changePlan(server.app, named.id, { network: {} })
    assert.deepEqual(
      versions.map(({ prices }) => [
        prices.platform['bank_transfer.ngn']?.flat,
        Object.keys(prices.network).length,
      ]),
      [
        [5, 0],
        [5, 4],
      ],
    )
  })
})
