/**
 * Goal: an official rate is used as its source wrote it, while it is young and has not moved far;
 * and no answer of the source does harm. Method: a real HTTP server as the source, whose answers
 * are told; a clock that moves by hand.
 */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { americanAccount, noId } from '../../../test/support/actors.ts'
import {
  type Call,
  type Json,
  must,
  startServer,
  type TestServer,
  until,
} from '../../../test/support/harness.ts'
import { operatorOf } from '../../../test/support/operators.ts'
import { defaultPricing, makePricing } from '../../books/pricing/pricing.ts'
import { listIncidents } from '../../platform/incidents/incidents.ts'
import { fetchOfficial, rateIn } from './conversions.ts'

const hourMs = 3_600_000

describe('an official exchange rate', () => {
  let source: Server
  let server: TestServer
  let operator: Call
  let now = new Date('2026-11-23T09:00:00.000Z')
  let answer: { status: number; body: string | null } = { status: 200, body: null }
  const asked: string[] = []
  const says = (rate: string, date = '2026-11-20', more: object = {}) => {
    const rest = JSON.stringify({ date, base: 'USD', quote: 'NGN', ...more }).slice(0, -1)
    answer = { status: 200, body: `${rest},"rate":${rate}}` }
  }
  before(async () => {
    source = createServer((request, response) => {
      asked.push(`${request.method} ${request.url}`)
      if (answer.body === null) return request.socket.destroy()
      response.writeHead(answer.status, { 'content-type': 'application/json' }).end(answer.body)
    })
    await new Promise<void>((resolve) => source.listen(0, '127.0.0.1', resolve))
    const pricing = join(tmpdir(), `official-${process.pid}.json`)
    writeFileSync(
      pricing,
      JSON.stringify({ rates: { ...defaultPricing.rates, usd_ngn: 'official' } }),
    )
    server = await startServer(
      {
        PRICING_FILE: pricing,
        EXCHANGE_RATES_URL: `http://127.0.0.1:${(source.address() as AddressInfo).port}/`,
      },
      undefined,
      { now: () => now },
    )
    operator = await operatorOf(server)
    await server.fund('usd', 1_000_000)
    await server.fund('ngn', 1_000_000_000)
  })
  after(async () => {
    await server.stop()
    source.close()
  })

  const quote = (from = 'usd', to = 'ngn') =>
    server.call('POST', '/conversions/quote', {
      amount: 100_000,
      currency: from,
      destination_currency: to,
    })
  const rates = async (): Promise<Json[]> =>
    (await must(operator('GET', '/operator/exchange'))).rates

  it('is none before one was fetched, and then as it was written, both ways', async () => {
    const none = await quote()
    assert.deepEqual([none.status, none.code], [400, 'rate_unavailable'])
    says('1547.3500')
    await fetchOfficial(server.app)
    assert.equal(asked.at(-1), 'GET /v2/providers/cbn/rate/usd/ngn')
    const found = await must(quote())
    assert.deepEqual(
      [
        found.rate,
        found.rate_source,
        found.rate_fetched_at,
        found.rate_valid_until,
        found.destination_amount,
      ],
      [
        '1547.35',
        'official',
        now.toISOString(),
        new Date(now.getTime() + 24 * hourMs).toISOString(),
        153_961_325,
      ],
    )
    const back = await must(quote('ngn', 'usd'))
    assert.deepEqual([back.rate, back.rate_source], ['0.000646266197', 'official'])
    const made = await must(server.call('POST', '/conversions', { quote: found.id }))
    assert.deepEqual([made.rate_source, made.rate_fetched_at], ['official', now.toISOString()])
    // Tokens are worth what the operator's table says.
    assert.equal((await must(server.call('GET', '/health'))).status ?? 'ok', 'ok')
  })

  it('prices payouts too, and their quotes say so', async () => {
    const order = {
      amount: 155_000_000,
      currency: 'ngn',
      method: 'bank_transfer',
      destination: americanAccount,
    }
    const quoted = await must(server.call('POST', '/payouts/quote', order))
    assert.deepEqual(
      [quoted.rate, quoted.rate_source, quoted.rate_fetched_at, quoted.rate_valid_until],
      [
        '0.000646266197',
        'official',
        now.toISOString(),
        new Date(now.getTime() + 24 * hourMs).toISOString(),
      ],
    )
    const made = await must(
      server.call('POST', '/payouts', { ...order, reference: 'official', quote: quoted.id }),
    )
    assert.deepEqual([made.rate, made.destination_amount], [quoted.rate, quoted.destination_amount])
    // It is at its end before anybody looks at what is pending.
    await until(
      async () => (await must(server.call('GET', '/payouts/official'))).status === 'completed',
    )
    const here = { bank_code: '058', account_number: '0123456789' }
    const same = await must(server.call('POST', '/payouts/quote', { ...order, destination: here }))
    assert.deepEqual([same.rate, same.rate_source, same.rate_fetched_at], ['1', 'table', null])
  })

  it('is young again when it is fetched again, and is not used when it is old', async () => {
    now = new Date(now.getTime() + 20 * hourMs)
    await fetchOfficial(server.app)
    assert.equal((await rates()).length, 1)
    now = new Date(now.getTime() + 24 * hourMs - 60_000)
    // Nothing is promised for longer than the rate is used.
    const last = await must(quote())
    assert.equal(Date.parse(last.expires_at), now.getTime() + 60_000)
    const dear = {
      amount: 155_000_000,
      currency: 'ngn',
      method: 'bank_transfer',
      destination: americanAccount,
    }
    const brief = await must(server.call('POST', '/payouts/quote', dear))
    assert.equal(Date.parse(brief.expires_at), now.getTime() + 60_000)
    now = new Date(now.getTime() + 60_000)
    assert.equal((await quote()).code, 'rate_unavailable')
    const held = (await must(server.call('GET', '/wallets'))).map((one: Json) => one.pending)
    const order = {
      amount: 155_000_000,
      currency: 'ngn',
      method: 'bank_transfer',
      destination: americanAccount,
    }
    for (const [path, more] of [
      ['/payouts/quote', {}],
      ['/payouts', { reference: 'no-rate' }],
    ] as const) {
      const { status, code } = await server.call('POST', path, { ...order, ...more })
      assert.deepEqual([status, code], [400, 'rate_unavailable'])
    }
    assert.deepEqual(
      (await must(server.call('GET', '/wallets'))).map((one: Json) => one.pending),
      held,
    )
    now = new Date('2026-11-28T09:00:00.000Z')
    says('1547.3500', '2026-11-20')
    await fetchOfficial(server.app)
    // The source goes on to answer, and has published nothing for a week.
    assert.equal((await quote()).code, 'rate_unavailable')
  })

  it('waits for a person when it has moved far', async () => {
    says('1550.00', '2026-11-27')
    await fetchOfficial(server.app)
    says('1700', '2026-11-28')
    for (let again = 0; again < 2; again++) await fetchOfficial(server.app)
    assert.equal((await must(quote())).rate, '1550')
    const [suspect] = await rates()
    assert.deepEqual([suspect.rate, suspect.status], ['1700', 'suspect'])
    const incidents = (await listIncidents(server.app.db, {})).filter(
      ({ kind }) => kind === 'rate_moved',
    )
    assert.deepEqual(
      incidents.map(({ subject, times }) => [subject, times]),
      [[suspect.id, 1]],
    )
    const refused = await operator('POST', `/operator/exchange/rates/${noId}/accept`)
    assert.deepEqual([refused.status, refused.code], [404, 'not_found'])
    await must(operator('POST', `/operator/exchange/rates/${suspect.id}/accept`))
    await until(async () => (await must(quote())).rate === '1700')
    assert.equal(
      (await operator('POST', `/operator/exchange/rates/${suspect.id}/refuse`)).code,
      'not_found',
    )
    says('17', '2026-11-28')
    await fetchOfficial(server.app)
    const [typo] = (await rates()).filter(({ status }) => status === 'suspect')
    await must(operator('POST', `/operator/exchange/rates/${typo?.id}/refuse`))
    await fetchOfficial(server.app)
    assert.equal((await must(quote())).rate, '1700')
  })

  it('is what its source said last of a day, though it goes back, and not without a person where that is far', async () => {
    const fetched = async (rate: string): Promise<string> => {
      now = new Date(now.getTime() + hourMs)
      says(rate, '2026-11-28')
      await fetchOfficial(server.app)
      return (await must(quote())).rate
    }
    assert.equal(await fetched('1710'), '1710')
    assert.equal(await fetched('1700'), '1700')
    assert.equal(await fetched('1850'), '1700')
    const [far] = (await rates()).filter(({ rate }) => rate === '1850')
    await must(operator('POST', `/operator/exchange/rates/${far?.id}/accept`))
    await until(async () => (await must(quote())).rate === '1850')
    const incidents = async () =>
      (await listIncidents(server.app.db, {}))
        .filter(({ kind }) => kind === 'rate_moved')
        .map(({ subject }) => subject)
    const shown = (await incidents()).length
    for (let again = 0; again < 2; again++) assert.equal(await fetched('1710'), '1850')
    const [back] = (await rates()).filter(({ rate }) => rate === '1710')
    assert.deepEqual(
      [back?.status, (await incidents()).length, (await incidents())[0]],
      ['suspect', shown + 1, back?.id],
    )
    await must(operator('POST', `/operator/exchange/rates/${back?.id}/accept`))
    await until(async () => (await must(quote())).rate === '1710')
    assert.equal(await fetched('1700'), '1700')
  })

  it('is quoted by a test clock that was moved beyond its end, for as long as it is left', async () => {
    await must(server.call('POST', '/test/clock', { advance: '3d' }))
    const found = await must(quote())
    assert.equal(Date.parse(found.expires_at) - Date.parse(found.created_at), 300_000)
    await must(server.call('POST', '/conversions', { quote: found.id }))
  })

  it('stays what it was whatever its source answers', async () => {
    const before = await rates()
    const bodies: [number, string | null][] = [
      [200, null],
      [500, '{}'],
      [301, '{"rate":1}'],
      [200, 'NaN'],
      [200, '[]'],
      [200, '{"date":"2026-11-28","base":"EUR","quote":"NGN","rate":1600}'],
      [200, '{"date":"2026-11-28","base":"USD","quote":"NGN","rate":"1600"}'],
      [200, '{"date":"2026-11-28","base":"USD","quote":"NGN","rate":0}'],
      [200, '{"date":"2026-11-28","base":"USD","quote":"NGN","rate":-1}'],
      [200, '{"date":"2026-11-28","base":"USD","quote":"NGN","rate":1e9}'],
      [200, '{"date":"2026-11-28","base":"USD","quote":"NGN","rate":1600,"rate":1601}'],
      [200, '{"date":"2026-12-28","base":"USD","quote":"NGN","rate":1600}'],
      [200, '{"date":"2026-02-30","base":"USD","quote":"NGN","rate":1600}'],
      [200, '{"date":"tomorrow","base":"USD","quote":"NGN","rate":1600}'],
      [200, '{"date":"2026-11-28","base":"USD","quote":"NGN"}'],
      [200, '{"date":"2026-11-28","base":"USD","quote":"NGN","rate":16'],
    ]
    for (const [status, body] of bodies) {
      answer = { status, body }
      const [found] = await fetchOfficial(server.app)
      assert.ok(found && 'error' in found, String(body))
    }
    assert.deepEqual(await rates(), before)
  })

  it('is read as a text, with all its digits', () => {
    const body =
      '{ "date": "2026-11-20", "base": "USD", "quote": "NGN", "rate": 1547.123456789012 }'
    assert.deepEqual(rateIn(body, { base: 'usd', quote: 'ngn', now }), {
      rate: '1547.123456789012',
      publishedOn: '2026-11-20',
    })
  })

  it('is a table’s for pairs that have one, and for both directions', () => {
    const of = (rates: Record<string, string>) => () =>
      makePricing({ ...defaultPricing, rates: { ...defaultPricing.rates, ...rates } })
    assert.throws(of({ usdc_ngn: 'official' }), /has no official rate: usd_ngn may/)
    assert.throws(of({ usd_ngn: 'official', ngn_usd: '0.0006' }), /so its mirror is too/)
  })
})
