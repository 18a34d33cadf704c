/**
 * Goal: what a business, or its operator, has refused by count, by day and by destination is
 * refused, with a sentence that says what is left and when the day ends; what failed or was
 * canceled is given back; and how often each rule fired is known. Method: one server whose clock
 * moves by hand, asked by keys.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type KeyHolder, keyWith, newPerson, ownAccount } from '../../../test/support/approvers.ts'
import {
  bankPayout,
  type Call,
  type Json,
  must,
  settled,
  shareServer,
  type TestServer,
} from '../../../test/support/harness.ts'
import { operatorOf } from '../../../test/support/operators.ts'

const none = {
  approve_above: null,
  refuse_above: null,
  refuse_above_daily: null,
  refuse_above_daily_count: null,
  destination_daily: null,
  destination_daily_count: null,
}
const unsaid = {
  max_daily: null,
  max_daily_count: null,
  max_destination_daily: null,
  max_destination_daily_count: null,
}

describe('limits that refuse payouts', () => {
  let server: TestServer
  let manager: KeyHolder
  let operator: Call
  before(async () => {
    server = await shareServer({ SANDBOX_DELAY: '1h' })
    manager = await keyWith(server, ['manage', 'read', 'approve'])
    operator = await operatorOf(server)
    await server.fund('ngn', 1_000_000_000)
    await server.fund('usd', 1_000_000_000)
  })
  after(() => server.stop())

  const set = (ngn: object): Promise<Json> =>
    must(manager.call('PUT', '/limits', { currencies: [{ currency: 'ngn', ...none, ...ngn }] }))
  const setAsOperator = (ngn: object): Promise<Json> =>
    must(
      operator('PUT', `/operator/businesses/${server.businessId}/limits`, {
        currencies: [{ currency: 'ngn', ...unsaid, ...ngn }],
      }),
    )
  const read = async (): Promise<Json> => (await must(manager.call('GET', '/limits'))).currencies[0]
  const fired = async (
    within: 'today' | 'last_30_days' = 'today',
  ): Promise<Record<string, number>> => {
    const { rules } = await must(manager.call('GET', '/limits/rules'))
    return Object.fromEntries(rules.map((rule: Json) => [rule.rule, rule[within]]))
  }
  const nextDay = () => must(server.call('POST', '/test/clock', { advance: '24h' }))
  let count = 0
  const pay = (amount: number, account_number = '0123456789', more: object = {}) =>
    server.call('POST', '/payouts', {
      ...bankPayout(`p-${++count}`, amount, { destination: { bank_code: '058', account_number } }),
      ...more,
    })
  /** What a payout is refused with; its rule has fired once more, and nothing has moved. */
  const refused = async (
    rule: string,
    left: number,
    ...args: Parameters<typeof pay>
  ): Promise<string> => {
    const { available, pending } = (await must(server.call('GET', '/wallets?currency=ngn')))[0]
    const before = await fired()
    const { status, body } = await pay(...args)
    const { code, day_ends_at, ...errors } = body.errors
    const expected = rule.startsWith('max_') ? 'operator_limit_exceeded' : 'limit_exceeded'
    assert.deepEqual([status, code, errors], [403, expected, { rule, left }], JSON.stringify(body))
    const isOfDay = !['refuse_above', 'max_payout'].includes(rule)
    assert.equal(day_ends_at, isOfDay ? ((await read()).utc_day_ends_at as string) : undefined)
    if (isOfDay) assert.ok(body.message.includes(day_ends_at), body.message)
    assert.deepEqual(await fired(), { ...before, [rule]: (before[rule] as number) + 1 })
    const [wallet] = await must(server.call('GET', '/wallets?currency=ngn'))
    assert.deepEqual([wallet.available, wallet.pending], [available, pending])
    return body.message
  }

  it('refuse a payout for its amount, approved by whomever', async () => {
    await set({ refuse_above: 50_000, approve_above: 10_000 })
    assert.match(
      await refused('refuse_above', 50_000, 50_001),
      /^The limits of your business let no payout of more than 500\.00 ngn out; this one is 500\.01 ngn\. Pay out less at once, or have the limit raised\.$/,
    )
    assert.equal((await must(pay(50_000))).approval, 'waiting')
    assert.equal((await fired()).approve_above, 1)
  })

  it('refuse what a day of UTC would pay out above an amount, and give back what failed, was canceled or was not approved', async () => {
    await nextDay()
    await settled(server.app)
    await set({ refuse_above_daily: 100_000, approve_above: 60_000 })
    const [waits, sent] = [await must(pay(61_000)), await must(pay(30_000))]
    assert.match(
      await refused('refuse_above_daily', 9_000, 9_001),
      /let 1,000\.00 ngn out in a day of UTC, of which 90\.00 ngn is left; this payout is 90\.01 ngn\. Pay out less, try it again after .*T00:00:00\.000Z/,
    )
    await must(manager.call('POST', `/payouts/${waits.reference}/refuse`))
    assert.deepEqual([(await read()).paid_out_today, (await read()).payouts_today], [30_000, 1])
    await must(pay(50_000))
    await refused('refuse_above_daily', 20_000, 20_001)
    await must(server.call('POST', `/payouts/${sent.reference}/simulate`, { outcome: 'failed' }))
    await must(pay(50_000))
    await refused('refuse_above_daily', 0, 5_000)
    await nextDay()
    await must(pay(60_000))
  })

  it('refuse more payouts than a day may have; also what the day had before counts', async () => {
    await nextDay()
    await set({})
    for (let i = 0; i < 2; i++) await must(pay(5_000))
    const canceled = await must(pay(5_000))
    await must(server.call('POST', `/payouts/${canceled.reference}/cancel`))
    await set({ refuse_above_daily_count: 3 })
    assert.deepEqual([(await read()).paid_out_today, (await read()).payouts_today], [10_000, 2])
    const last = await must(pay(5_000))
    assert.match(
      await refused('refuse_above_daily_count', 0, 5_000),
      /^The limits of your business let 3 payouts out in a day of UTC, of which none is left\. Try it again after .*, or have the limit raised\.$/,
    )
    await must(server.call('POST', `/payouts/${last.reference}/cancel`))
    await must(pay(5_000))
    await refused('refuse_above_daily_count', 0, 5_000)
    await nextDay()
    await must(pay(5_000))
  })

  it('refuse what one destination is sent in a day by amount and by count: an account at a bank, however it is written', async () => {
    await nextDay()
    await set({})
    await must(pay(20_000))
    await set({ destination_daily: 50_000, destination_daily_count: 3 })
    await must(pay(20_000))
    assert.match(
      await refused('destination_daily', 10_000, 10_001),
      /let 500\.00 ngn out to one destination in a day of UTC, of which 100\.00 ngn is left/,
    )
    const third = await must(pay(5_000))
    assert.match(
      await refused('destination_daily_count', 0, 5_000),
      /let 3 payouts out to one destination in a day of UTC, of which none is left/,
    )
    // The same number at another bank, and another number, are others.
    await must(
      pay(50_000, undefined, { destination: { bank_code: '044', account_number: '0123456789' } }),
    )
    await must(pay(50_000, '0123456780'))
    await must(server.call('POST', `/payouts/${third.reference}/cancel`))
    await must(pay(10_000))
    await refused('destination_daily', 0, 5_000)
    await nextDay()
    await must(pay(50_000))
  })

  it('count an address on whatever chain as one destination, by whatever token', async () => {
    await nextDay()
    await set({ destination_daily_count: 2 })
    const { docs } = await must(server.call('GET', '/crypto/tokens')).then((data) => ({
      docs: data as Json[],
    }))
    const address = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'
    const networks = docs.flatMap(({ currency, networks }) =>
      networks.map(({ chain, id }: Json) => ({ currency, chain: chain ?? id, address })),
    )
    assert.ok(networks.length >= 3, JSON.stringify(docs))
    const crypto = (i: number) =>
      pay(5_000_000, undefined, { method: 'crypto', destination: networks[i] })
    await must(crypto(0))
    await must(crypto(1))
    assert.deepEqual((await crypto(2)).body.errors.rule, 'destination_daily_count')
  })

  it('of the operator come first, by count and by destination, and no one at the business lifts them', async () => {
    await nextDay()
    await set({ refuse_above_daily_count: 2 })
    await must(pay(20_000))
    await setAsOperator({ max_daily_count: 2, max_destination_daily: 30_000 })
    assert.match(
      await refused('max_destination_daily', 10_000, 10_001),
      /^The operator of this server lets 300\.00 ngn out to one destination .*, or ask the operator for a higher limit\.$/,
    )
    await must(pay(5_000, '0123456780'))
    await refused('max_daily_count', 0, 5_000, '0123456781')
    await setAsOperator({ max_destination_daily_count: 1 })
    await set({})
    await refused('max_destination_daily_count', 0, 5_000, '0123456780')
    assert.deepEqual(
      [
        (await read()).max_destination_daily_count,
        (await read()).max_daily_count,
        (await read()).payouts_today,
      ],
      [1, null, 2],
    )
    await setAsOperator({})
    assert.deepEqual([(await read()).paid_out_today, (await read()).utc_day_ends_at], [null, null])
  })

  it('are counted anew by whoever limits destinations again, from what the day really sent', async () => {
    await nextDay()
    await set({ destination_daily: 50_000 })
    await must(pay(20_000))
    await set({})
    await must(pay(20_000))
    await setAsOperator({ max_destination_daily: 50_000 })
    await refused('max_destination_daily', 10_000, 10_001)
    // While one of them counts, the other begins with what is counted.
    await set({ destination_daily: 45_000 })
    await refused('destination_daily', 5_000, 5_001)
    await setAsOperator({})
  })

  it('hold in each mode and wallet by itself', async () => {
    await nextDay()
    await set({ refuse_above_daily_count: 0 })
    await refused('refuse_above_daily_count', 0, 5_000)
    const [, usd] = (await must(manager.call('GET', '/limits'))).currencies
    assert.equal(usd.refuse_above_daily_count, null)
    await must(pay(500_000, undefined, { currency: 'usd' }))
    const [live] = (await must(server.callAs(server.liveKey)('GET', '/limits'))).currencies
    assert.equal(live.refuse_above_daily_count, null)
    const { rules } = await must(server.callAs(server.liveKey)('GET', '/limits/rules'))
    assert.ok(rules.every(({ today, last_30_days }: Json) => today === 0 && last_30_days === 0))
  })

  it('refuse lines of batches before they are paid, and standing payouts at their run; each is counted', async () => {
    await nextDay()
    await set({ refuse_above: 50_000, destination_daily_count: 2 })
    await must(manager.call('PUT', '/limits', { beneficiary_cooling_off_hours: 0 }))
    const line = (amount: number) => ({
      amount,
      destination: { bank_code: '058', account_number: '0123456789' },
    })
    const lines = [50_001, 10_000, 10_000, 10_000].map(line)
    const batch = await must(
      server.call('POST', '/payouts/batch', {
        reference: 'many',
        currency: 'ngn',
        lines,
        dry_run: true,
      }),
    )
    const [bad] = (await must(server.call('GET', `/payout-batches/${batch.id}/lines?status=bad`)))
      .docs
    assert.deepEqual([bad.line, bad.code, bad.field], [1, 'limit_exceeded', 'amount'])
    const before = await fired()
    const { id } = await must(
      server.call('POST', '/payouts/batch', {
        reference: 'paid',
        currency: 'ngn',
        lines: lines.slice(1),
        dry_run: true,
      }),
    )
    await must(server.call('POST', `/payout-batches/${id}/confirm`))
    await settled(server.app)
    const { docs } = await must(server.call('GET', `/payout-batches/${id}/lines`))
    assert.deepEqual(
      docs.map((one: Json) => one.code ?? one.status),
      ['created', 'created', 'limit_exceeded'],
    )
    assert.equal(
      (await fired()).destination_daily_count,
      (before.destination_daily_count as number) + 1,
    )

    const payer = await keyWith(server, ['payout', 'read'], newPerson(server))
    const { id: beneficiary } = await ownAccount(server)
    const { available } = (await must(server.call('GET', '/wallets?currency=ngn')))[0]
    const standing = { currency: 'ngn', beneficiary, interval: 'daily', keep: available - 60_000 }
    const schedule = await must(payer.call('POST', '/payout-schedules', standing))
    // It runs at its own hour, which is of this day or of the next, by the hour at which the test
    // does.
    const { refuse_above: firedBefore } = await fired('last_30_days')
    await nextDay()
    await settled(server.app)
    const [run] = (await must(payer.call('GET', `/payout-schedules/${schedule.id}/runs`))).docs
    assert.equal(run.code, 'limit_exceeded')
    assert.equal((await fired('last_30_days')).refuse_above, (firedBefore as number) + 1)
    await must(payer.call('DELETE', `/payout-schedules/${schedule.id}`))
  })

  it('are made stricter only by a key that can create payouts', async () => {
    await set({ destination_daily_count: 5, refuse_above_daily: 100_000 })
    const change = (ngn: object) =>
      server.call('PUT', '/limits', { currencies: [{ currency: 'ngn', ...ngn }] })
    for (const looser of [
      { destination_daily_count: 6 },
      { destination_daily_count: null },
      { refuse_above_daily: 100_001 },
    ])
      assert.equal((await change(looser)).code, 'limits_not_loosened')
    await must(change({ destination_daily_count: 4, refuse_above: 1_000 }))
    for (const wrong of [
      { destination_daily_count: -1 },
      { refuse_above_daily_count: 1.5 },
      { max_daily_count: 1 },
    ])
      assert.equal(
        (await manager.call('PUT', '/limits', { currencies: [{ currency: 'ngn', ...wrong }] }))
          .status,
        422,
      )
    await set({})
  })

  it('say how often they fired for 30 days, and a retry of what was refused counts once', async () => {
    await nextDay()
    await set({ refuse_above: 1_000 })
    const body = bankPayout('again', 5_000)
    const headers = { 'idempotency-key': 'again' }
    for (let i = 0; i < 3; i++)
      assert.equal((await server.call('POST', '/payouts', body, headers)).code, 'limit_exceeded')
    assert.equal((await fired()).refuse_above, 1)
    await nextDay()
    const { rules } = await must(manager.call('GET', '/limits/rules'))
    const rule = rules.find((one: Json) => one.rule === 'refuse_above')
    assert.deepEqual(
      [rule.today, rule.last_7_days >= 2, typeof rule.last_fired_at],
      [0, true, 'string'],
    )
    await set({})
  })
})
