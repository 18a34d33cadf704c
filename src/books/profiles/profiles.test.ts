import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { must, startServer, type TestServer } from '../../../test/harness.ts'
import { dayOf } from '../../lib/days.ts'

describe('a business', () => {
  let server: TestServer
  before(async () => {
    server = await startServer()
  })
  after(() => server.stop())

  const change = (input: object) => server.call('PUT', '/business', input)

  it('is whom the key speaks for', async () => {
    const { created_at, updated_at, ...business } = await must(server.call('GET', '/business'))
    assert.deepEqual(business, {
      id: server.businessId,
      livemode: false,
      name: 'Test Business',
      locale: 'en',
      time_zone: 'UTC',
      metadata: {},
    })
    assert.equal(created_at, updated_at)
  })

  it('is changed field by field, and in the mode of the key alone', async () => {
    const changed = await must(change({ name: 'Ada’s Bakery', locale: 'en-ng' }))
    assert.equal(changed.name, 'Ada’s Bakery')
    assert.equal(changed.locale, 'en-NG')
    assert.equal(changed.time_zone, 'UTC')
    const again = await must(change({ time_zone: 'Africa/Lagos', metadata: { branch: 'Yaba' } }))
    assert.deepEqual(
      [again.name, again.time_zone, again.metadata],
      ['Ada’s Bakery', 'Africa/Lagos', { branch: 'Yaba' }],
    )
    assert.deepEqual(await must(server.call('GET', '/business')), again)
    const live = await must(server.callAs(server.liveKey)('GET', '/business'))
    assert.deepEqual([live.name, live.time_zone, live.livemode], ['Test Business', 'UTC', true])
  })

  it('shows its name to payers', async () => {
    await must(change({ name: 'Bello & Sons' }))
    const { checkout_url } = await must(
      server.call('POST', '/payments', { amount: 1000, currency: 'ngn', email: 'a@b.co' }),
    )
    assert.match(await (await fetch(checkout_url)).text(), /Bello &amp; Sons/)
  })

  it('takes what is a language and a time zone, and nothing else', async () => {
    const kept = await must(server.call('GET', '/business'))
    const bad = [
      { locale: 'english please' },
      { time_zone: 'Lagos' },
      { time_zone: '+01:00' },
      { name: '' },
      { name: null },
      { logo: 'x' },
      { livemode: true },
    ]
    for (const input of bad) {
      const { status, code } = await change(input)
      assert.deepEqual([status, code], [422, 'validation_failed'], JSON.stringify(input))
    }
    assert.deepEqual(await must(server.call('GET', '/business')), kept)
    // Asked to change nothing.
    assert.equal((await must(change({}))).name, kept.name)
  })

  it('has days of its own, by which lists are narrowed', async () => {
    await server.fund('ngn', 1_000)
    const now = new Date()
    // 25 hours apart: never on the same day.
    const [east, west] = ['Pacific/Kiritimati', 'Pacific/Pago_Pago']
    const count = async (from: string, to: string) =>
      (await must(server.call('GET', `/transactions?from=${from}&to=${to}`))).totalDocs
    for (const [zone, other] of [
      [east, west],
      [west, east],
    ] as [string, string][]) {
      await must(change({ time_zone: zone }))
      const [today, elsewhere] = [dayOf(now, zone), dayOf(now, other)]
      assert.equal(await count(today, today), 1, `${today} in ${zone}`)
      assert.equal(await count(elsewhere, elsewhere), 0, `${elsewhere} in ${zone}`)
    }
    assert.equal(await count('0001-01-01', '9999-12-31'), 1)
  })
})
