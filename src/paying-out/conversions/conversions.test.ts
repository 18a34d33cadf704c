/**
 * Goal: what is converted leaves one wallet and comes into the other, once a quote, at the rate
 * that it held; there and back gains nothing; and the exchange position goes no further than the
 * operator lets it, however many convert at once. Method: test keys, whose clock moves by hand.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import fc from 'fast-check'
import { noId } from '../../../test/support/actors.ts'
import {
  type Call,
  type Json,
  must,
  startServer,
  type TestServer,
} from '../../../test/support/harness.ts'
import { operatorOf } from '../../../test/support/operators.ts'
import { verifyBooks } from '../../app/open.ts'
import { defaultPricing, makePricing } from '../../books/pricing/pricing.ts'
import { maxAmount } from '../../lib/money.ts'

describe('conversions', () => {
  let server: TestServer
  let operator: Call
  before(async () => {
    // Positions are the whole installation's.
    server = await startServer()
    operator = await operatorOf(server)
    await server.fund('ngn', 1_000_000_000)
  })
  after(() => server.stop())

  const naira = { amount: 155_000_000, currency: 'ngn', destination_currency: 'usd' }
  const quote = (more: object = {}): Promise<Json> =>
    must(server.call('POST', '/conversions/quote', { ...naira, ...more }))
  const convert = (quoted: Json, more: object = {}) =>
    server.call('POST', '/conversions', { quote: quoted.id, ...more })
  const available = async (): Promise<number[]> =>
    (await must(server.call('GET', '/wallets'))).map((one: Json) => one.available)
  const refused = async (call: Promise<Json>, status: number, code: string): Promise<Json> => {
    const before = [await available(), (await must(server.call('GET', '/conversions'))).totalDocs]
    const answer = await call
    assert.deepEqual([answer.status, answer.code], [status, code], JSON.stringify(answer.body))
    assert.deepEqual(
      [await available(), (await must(server.call('GET', '/conversions'))).totalDocs],
      before,
    )
    return answer.body
  }
  const assertSound = async () => assert.deepEqual((await verifyBooks(server.app)).differences, [])

  it('move both wallets at the rate and fee of their quote, with their transactions and event', async () => {
    const [ngn = 0, usd = 0] = await available()
    const quoted = await quote()
    const { id, created_at, updated_at, expires_at, ...price } = quoted
    // 0.5 % of it, and 1 / 1550 of the rest, rounded down.
    const told = {
      amount: 155_000_000,
      currency: 'ngn',
      fee: 775_000,
      fee_breakdown: [{ type: 'fx', amount: 775_000 }],
      rate: '0.00064516129',
      rate_source: 'table',
      rate_fetched_at: null,
      rate_valid_until: null,
      destination_amount: 99_499,
      destination_currency: 'usd',
    }
    assert.deepEqual(price, { ...told, livemode: false, metadata: {}, sufficient_funds: true })
    assert.equal(Date.parse(expires_at) - Date.parse(created_at), 300_000)
    assert.deepEqual(await available(), [ngn, usd])
    const made = await must(convert(quoted, { reference: 'first', metadata: { why: 'rent' } }))
    const { transaction, destination_transaction, ...rest } = made
    assert.deepEqual(
      { ...rest, id: 0, created_at: 0, updated_at: 0 },
      {
        ...told,
        id: 0,
        created_at: 0,
        updated_at: 0,
        livemode: false,
        metadata: { why: 'rent' },
        quote: id,
        reference: 'first',
      },
    )
    assert.deepEqual(await available(), [ngn - 155_000_000, usd + 99_499])
    const { docs } = await must(server.call('GET', '/transactions?type=conversion'))
    assert.deepEqual(
      docs.map((one: Json) => [
        one.id,
        one.direction,
        one.currency,
        one.amount,
        one.fee,
        one.balance_after,
        one.status,
      ]),
      [
        [destination_transaction, 'credit', 'usd', 99_499, 0, usd + 99_499, 'completed'],
        [transaction, 'debit', 'ngn', 155_000_000, 775_000, ngn - 155_000_000, 'completed'],
      ].sort(([a], [b]) =>
        docs.findIndex((d: Json) => d.id === a) < docs.findIndex((d: Json) => d.id === b) ? -1 : 1,
      ),
    )
    const { docs: events } = await must(server.call('GET', '/events?type=conversion.completed'))
    assert.deepEqual(events[0].payload, made)
    assert.deepEqual(await must(server.call('GET', `/conversions/${made.id}`)), made)
    assert.deepEqual((await must(server.call('GET', '/conversions?currency=ngn'))).docs, [made])
    assert.equal((await must(server.call('GET', '/conversions?currency=usd'))).totalDocs, 0)
    assert.match(
      String((await server.call('GET', '/conversions/export')).body),
      new RegExp(`\r\n${made.id},`),
    )
    const { entries } = await must(server.call('GET', `/explain/${made.id}`))
    assert.ok(entries.some(({ title }: Json) => title === 'The money was converted'))
    const month = new Date(server.app.clock.now()).toISOString().slice(0, 7)
    const { wallets } = await must(server.call('GET', `/statements/${month}`))
    const activity = wallets.map(({ activity: all }: Json) =>
      all.find(({ type }: Json) => type === 'conversion'),
    )
    assert.deepEqual(
      activity.map((one: Json) => [one.in, one.out, one.fees]),
      [
        [0, 154_225_000, 775_000],
        [99_499, 0, 0],
      ],
    )
    assert.ok(updated_at)
    await assertSound()
  })

  it('refuse what cannot be, and nothing moves', async () => {
    const ask = (body: object) => server.call('POST', '/conversions/quote', { ...naira, ...body })
    await refused(ask({ destination_currency: 'ngn' }), 400, 'same_currency')
    await refused(ask({ amount: 1 }), 400, 'conversion_too_small')
    const dollars = { currency: 'usd', destination_currency: 'ngn' }
    for (const amount of [Number(maxAmount), 900_719_925_474_099])
      await refused(ask({ ...dollars, amount }), 400, 'amount_too_large')
    await refused(ask({ amount: 0 }), 422, 'validation_failed')
    await refused(convert({ id: noId }), 400, 'quote_not_found')
    await refused(server.call('GET', `/conversions/${noId}`), 404, 'not_found')
    const used = await quote()
    await must(convert(used))
    const { message } = await refused(convert(used), 400, 'quote_used')
    assert.match(message, /has made a conversion/)
    await refused(convert(await quote(), { reference: 'first' }), 409, 'duplicate_reference')
    const large = await quote({ amount: 10_000_000_000 })
    assert.equal(large.sufficient_funds, false)
    await refused(convert(large), 400, 'insufficient_funds')
    const old = await quote()
    await must(server.call('POST', '/test/clock', { advance: '5m' }))
    await refused(convert(old), 400, 'quote_expired')
    await refused(
      server.callAs(server.liveKey)('POST', '/conversions', { quote: old.id }),
      400,
      'quote_not_found',
    )
    await assertSound()
  })

  it('are one for each quote, and never more than the wallet has, whoever asks at once', async () => {
    await server.fund('usd', 10_000)
    const [, usd = 0] = await available()
    const dollars = { amount: 3_000, currency: 'usd', destination_currency: 'ngn' }
    const one = await quote(dollars)
    const same = await Promise.all(Array.from({ length: 8 }, () => convert(one)))
    assert.deepEqual(same.map(({ status }) => status).sort(), [201, ...Array(7).fill(400)])
    const count = Math.floor((usd - 3_000) / 3_000)
    const quotes = await Promise.all(Array.from({ length: count + 5 }, () => quote(dollars)))
    const answers = await Promise.all(quotes.map((each) => convert(each)))
    assert.equal(answers.filter(({ status }) => status === 201).length, count)
    assert.ok(answers.every(({ status, code }) => status === 201 || code === 'insufficient_funds'))
    assert.equal((await available())[1], usd - 3_000 * (count + 1))
    await assertSound()
  })

  it('leave the installation short of no more than its operator says, whoever asks at once', async () => {
    const positionOf = async (currency: string): Promise<Json> =>
      (await must(operator('GET', '/operator/exchange'))).positions.find(
        (one: Json) => one.mode === 'test' && one.currency === currency,
      )
    const { balance } = await positionOf('usd')
    // Three of these and not four.
    const max = -balance + 35_000
    assert.ok(max > 0)
    const put = (max_short: number | null) =>
      must(
        operator('PUT', '/operator/exchange/limits', {
          currencies: [{ currency: 'usd', max_short }],
        }),
      )
    await put(max)
    assert.equal((await positionOf('usd')).max_short, max)
    const quotes = await Promise.all(
      Array.from({ length: 10 }, () => quote({ amount: 15_577_891 })),
    )
    assert.equal(quotes[0].destination_amount, 10_000)
    const answers = await Promise.all(quotes.map((each) => convert(each)))
    assert.equal(answers.filter(({ status }) => status === 201).length, 3)
    assert.ok(
      answers.every(({ status, code }) => status === 201 || code === 'exchange_limit_exceeded'),
    )
    const body = await refused(convert(await quote()), 403, 'exchange_limit_exceeded')
    assert.equal(body.errors.left, 5_000)
    await put(null)
    await must(convert(await quote()))
    const { docs } = await must(
      operator('GET', '/operator/audit-log?action=exchange.limits_changed'),
    )
    assert.deepEqual([docs[1].after.usd, docs[0].after.usd ?? null], [max, null])
    await assertSound()
  })
})

describe('a wallet that is full', () => {
  it('takes no conversion, and the other keeps its money', async () => {
    const server = await startServer()
    await server.fund('ngn', 200_000_000)
    await server.fund('usd', Number(maxAmount))
    const swap = { amount: 155_000_000, currency: 'ngn', destination_currency: 'usd' }
    const { id: quote } = await must(server.call('POST', '/conversions/quote', swap))
    const { status, code } = await server.call('POST', '/conversions', { quote })
    assert.deepEqual([status, code], [400, 'amount_too_large'])
    const wallets: Json[] = await must(server.call('GET', '/wallets'))
    assert.deepEqual(
      wallets.map(({ available }) => available),
      [200_000_000, Number(maxAmount)],
    )
    assert.deepEqual((await verifyBooks(server.app)).differences, [])
    await server.stop()
  })
})

describe('a rate', () => {
  it('gains nothing there and back, whatever it is and whatever is converted', () => {
    const rate = fc.tuple(fc.bigInt(1n, 10n ** 9n), fc.integer({ min: 0, max: 6 }))
    fc.assert(
      fc.property(
        rate,
        fc.nat(500),
        fc.bigInt(1n, 10n ** 13n),
        fc.boolean(),
        ([units, scale], bps, amount, dollars) => {
          const text =
            scale === 0
              ? `${units}`
              : `${units}`.padStart(scale + 1, '0').replace(new RegExp(`(.{${scale}})$`), '.$1')
          const table = {
            ...defaultPricing,
            rates: { ...defaultPricing.rates, usd_ngn: text },
            spread_bps: { default: bps },
          }
          const pricing = makePricing(table)
          const [from, to] = dollars ? (['usd', 'ngn'] as const) : (['ngn', 'usd'] as const)
          const there = pricing.convert(amount, from, to)?.destinationAmount as bigint
          const back =
            there > 0n ? (pricing.convert(there, to, from)?.destinationAmount as bigint) : 0n
          assert.ok(back <= amount, `${amount} became ${back}`)
        },
      ),
    )
  })

  it('is refused where it and its mirror would gain', () => {
    const rates = { ...defaultPricing.rates, usd_ngn: '1550', ngn_usd: '0.00065' }
    assert.throws(() => makePricing({ ...defaultPricing, rates }), /there and back would gain/)
  })
})
