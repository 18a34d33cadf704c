/**
 * Goal: concurrent payouts and conversions never exceed the operator's limit on a currency, and
 * what was not sent is available again. Method: concurrent requests with test keys, and sandbox
 * accounts whose payouts stay in flight.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { address, americanAccount } from '../../../test/support/actors.ts'
import {
  type Call,
  type Json,
  must,
  startServer,
  type TestServer,
  until,
} from '../../../test/support/harness.ts'
import { operatorOf } from '../../../test/support/operators.ts'

describe('a limit of the exchange position', () => {
  let server: TestServer
  let operator: Call
  before(async () => {
    server = await startServer()
    operator = await operatorOf(server)
    await server.fund('ngn', 10_000_000_000)
  })
  after(() => server.stop())

  const put = (currency: string, max_short: number | null) =>
    must(operator('PUT', '/operator/exchange/limits', { currencies: [{ currency, max_short }] }))
  const positionOf = async (currency: string): Promise<Json> =>
    (await must(operator('GET', '/operator/exchange'))).positions.find(
      (one: Json) => one.mode === 'test' && one.currency === currency,
    )
  const dollars = {
    method: 'bank_transfer',
    destination: { ...americanAccount, account_number: '0000000002' },
  }
  const tokens = { method: 'crypto', destination: { currency: 'usdc', chain: 'base', address } }
  const order = { amount: 155_000_000, currency: 'ngn' }
  const pay = (reference: string, to: object = dollars) =>
    server.call('POST', '/payouts', { reference, ...order, ...to })
  const quote = (to: object = dollars): Promise<Json> =>
    must(server.call('POST', '/payouts/quote', { ...order, ...to }))
  const pending = async (): Promise<number> =>
    (await must(server.call('GET', '/wallets')))[0].pending

  it('holds payouts under way and conversions together, and frees what did not go out', async () => {
    const { destination_amount: each } = await quote()
    const swap = { amount: 155_000_000, currency: 'ngn', destination_currency: 'usd' }
    const converted = await must(server.call('POST', '/conversions/quote', swap))
    await put('usd', each * 3 + converted.destination_amount)
    const [conversion, ...answers] = await Promise.all([
      server.call('POST', '/conversions', { quote: converted.id }),
      ...Array.from({ length: 12 }, (_, place) => pay(`many-${place}`)),
    ])
    const made = answers.filter(({ status }) => status === 201)
    const refused = answers.filter(({ status }) => status !== 201)
    assert.deepEqual([...new Set(refused.map(({ code }) => code))], ['exchange_limit_exceeded'])
    // A conversion and a payout differ by the payout fee, so the later one was refused for that.
    assert.equal(made.length, conversion?.status === 201 ? 3 : 4)
    const before = [await pending(), (await must(server.call('GET', '/payouts'))).totalDocs]
    const late = await pay('late')
    assert.deepEqual([late.status, late.code], [403, 'exchange_limit_exceeded'])
    assert.match(late.body.message, /exchanges into .* more for now; this needs/)
    assert.deepEqual(
      [await pending(), (await must(server.call('GET', '/payouts'))).totalDocs],
      before,
    )
    const { promised, balance, max_short } = await positionOf('usd')
    assert.ok(balance - promised >= -max_short)
    assert.equal(promised, each * made.length)
    const reference = made[0]?.data.reference
    await until(
      async () => (await must(server.call('GET', `/payouts/${reference}`))).status === 'processing',
    )
    await must(
      server.call('POST', `/payouts/${reference}/simulate`, {
        outcome: 'failed',
        failure_reason: 'rejected',
      }),
    )
    await must(pay('in-its-place'))
    // A completed payout is no longer in flight; the ledger and the limit still count it.
    await until(
      async () => (await must(server.call('GET', '/payouts/in-its-place'))).status === 'processing',
    )
    await must(server.call('POST', '/payouts/in-its-place/simulate', { outcome: 'completed' }))
    assert.equal((await positionOf('usd')).promised, each * (made.length - 1))
    assert.equal((await pay('later')).code, 'exchange_limit_exceeded')
    await put('usd', null)
    await must(pay('free'))
  })

  it('is of a token too, and of no other currency', async () => {
    const { destination_amount: each } = await quote(tokens)
    await put('usdc', each)
    await must(
      pay('naira', {
        method: 'bank_transfer',
        destination: { bank_code: '058', account_number: '0123456789' },
      }),
    )
    await must(pay('tokens', tokens))
    assert.equal((await pay('more-tokens', tokens)).code, 'exchange_limit_exceeded')
    await must(pay('other-dollars'))
    assert.equal((await positionOf('usdc')).max_short, each)
  })
})
