/**
 * Goal: limits are what was set last, for each wallet, and a key that can create payouts cannot get
 * around them. Method: keys of several scopes read and change them.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type KeyHolder, keyWith } from '../../../test/support/approvers.ts'
import { must, shareServer, type TestServer } from '../../../test/support/harness.ts'

describe('limits', () => {
  let server: TestServer
  let manager: KeyHolder
  before(async () => {
    server = await shareServer()
    manager = await keyWith(server, ['manage', 'read'])
  })
  after(() => server.stop())

  const above = async () =>
    (await must(manager.call('GET', '/limits'))).currencies.map(
      ({ approve_above, approve_above_daily }: Record<string, number | null>) => [
        approve_above,
        approve_above_daily,
      ],
    )

  it('are none where nobody has set any, in each mode', async () => {
    const limits = await must(manager.call('GET', '/limits'))
    assert.deepEqual(
      [limits.id, limits.livemode, limits.approval_hours],
      [server.businessId, false, 24],
    )
    assert.deepEqual(
      limits.currencies,
      ['ngn', 'usd'].map((currency) => ({
        currency,
        approve_above: null,
        approve_above_daily: null,
        refuse_above: null,
        refuse_above_daily: null,
        refuse_above_daily_count: null,
        destination_daily: null,
        destination_daily_count: null,
        max_payout: null,
        max_daily: null,
        max_daily_count: null,
        max_destination_daily: null,
        max_destination_daily_count: null,
        sent_today: 0,
        day_ends_at: null,
        paid_out_today: null,
        payouts_today: null,
        utc_day_ends_at: null,
      })),
    )
    const live = await must(server.callAs(server.liveKey)('GET', '/limits'))
    assert.deepEqual([live.livemode, live.currencies[0].approve_above], [true, null])
  })

  it('change by wallet and by field; what is left out stays', async () => {
    const change = (body: object) => must(manager.call('PUT', '/limits', body))
    await change({
      currencies: [
        { currency: 'ngn', approve_above: 500 },
        { currency: 'usd', approve_above_daily: 0 },
      ],
    })
    assert.deepEqual(await above(), [
      [500, null],
      [null, 0],
    ])
    await change({ currencies: [{ currency: 'ngn', approve_above_daily: 900 }] })
    const limits = await change({ approval_hours: 2 })
    assert.equal(limits.approval_hours, 2)
    assert.deepEqual(await above(), [
      [500, 900],
      [null, 0],
    ])
    await change({
      currencies: [{ currency: 'ngn', approve_above: null, approve_above_daily: null }],
    })
    assert.deepEqual(await above(), [
      [null, null],
      [null, 0],
    ])
  })

  it('are made stricter only by a key that can create payouts', async () => {
    const set = (call: KeyHolder['call'], approve_above: number | null) =>
      call('PUT', '/limits', { currencies: [{ currency: 'ngn', approve_above }] })
    await must(set(server.call, 1_000))
    await must(set(server.call, 900))
    for (const looser of [901, null]) {
      const answer = await set(server.call, looser)
      assert.deepEqual([answer.status, answer.code], [403, 'limits_not_loosened'])
    }
    const daily = await server.call('PUT', '/limits', {
      currencies: [{ currency: 'usd', approve_above_daily: null }],
    })
    assert.equal(daily.code, 'limits_not_loosened')
    assert.deepEqual((await above())[0], [900, null])
    await must(set(manager.call, null))
  })

  it('refuse what is no limit', async () => {
    for (const body of [
      { currencies: [{ currency: 'eur', approve_above: 1 }] },
      { currencies: [{ currency: 'ngn', approve_above: -1 }] },
      { approval_hours: 0 },
      { approval_hours: 721 },
    ])
      assert.equal((await manager.call('PUT', '/limits', body)).status, 422, JSON.stringify(body))
  })
})
