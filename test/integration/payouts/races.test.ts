import assert from 'node:assert/strict'
import { Resolver } from 'node:dns/promises'
import { after, before, describe, it, mock } from 'node:test'
import { bankPayout, startServer, type TestServer, until } from '../../support/harness.ts'

describe('races', () => {
  let server: TestServer
  before(async () => {
    server = await startServer({ SANDBOX_DELAY: '1h' })
  })
  after(() => server.stop())
  const statuses = (answers: { status: number }[]): Record<number, number> => {
    const count: Record<number, number> = {}
    for (const { status } of answers) count[status] = (count[status] ?? 0) + 1
    return count
  }

  it('32 clients on a wallet with money for exactly 10 payouts make exactly 10', async () => {
    await server.fund('ngn', 10 * 50_000)
    const answers = await Promise.all(
      Array.from({ length: 32 }, (_, i) =>
        server.call('POST', '/payouts', bankPayout(`race-${i}`, 50_000)),
      ),
    )
    assert.deepEqual(statuses(answers), { 201: 10, 400: 22 })
    assert.ok(
      answers.every((answer) => answer.status === 201 || answer.code === 'insufficient_funds'),
    )
    const [wallet] = (await server.call('GET', '/wallets?currency=ngn')).data
    assert.deepEqual([wallet.available, wallet.pending], [0, 500_000])
    const events = (await server.call('GET', '/events?limit=100')).data
    assert.equal(
      events.docs.filter((event: { type: string }) => event.type === 'payout.initiated').length,
      10,
    )
  })

  it('who waits for a bank or a name server holds no connection', async () => {
    const own = await startServer({ DATABASE_POOL: '4' })
    let answer = (): void => {}
    const answered = new Promise<void>((resolve) => {
      answer = resolve
    })
    const { ports } = own.app.rails.test.sandbox
    const rail = ports.lookup
    ports.lookup = { ...rail, lookup: (...of) => answered.then(() => rail.lookup(...of)) }
    const { reference: _reference, ...order } = bankPayout('x', 50_000)
    const ask = (n: number) =>
      own.call('POST', '/payouts/quote', order, { 'idempotency-key': `quote-${n}` })
    const resolve6 = mock.method(Resolver.prototype, 'resolve6', () => answered.then(() => []))
    const register = (n: number) =>
      own.call(
        'POST',
        '/webhooks',
        { url: 'https://hooks.invalid/' },
        { 'idempotency-key': `hook-${n}` },
      )
    const asked = Promise.all([0, 1, 2, 3].flatMap((n) => [ask(n), register(n)]))
    await until(async () => resolve6.mock.callCount() === 4)
    assert.equal((await own.call('GET', '/wallets')).status, 200)
    answer()
    const answers = await asked
    assert.deepEqual(statuses(answers), { 200: 4, 201: 4 })
    assert.deepEqual((await ask(0)).body, answers[0]?.body)
    assert.equal((await own.call('GET', '/webhooks')).data.totalDocs, 4)
    resolve6.mock.restore()
    await own.stop()
  })

  it('20 clients with one reference make one payout and get 19 times 409', async () => {
    await server.fund('ngn', 20 * 50_000)
    const answers = await Promise.all(
      Array.from({ length: 20 }, () =>
        server.call('POST', '/payouts', bankPayout('one-only', 50_000)),
      ),
    )
    assert.deepEqual(statuses(answers), { 201: 1, 409: 19 })
    const [wallet] = (await server.call('GET', '/wallets?currency=ngn')).data
    assert.equal(wallet.available, 19 * 50_000)
  })

  it('20 clients with one Idempotency-Key make one payout and get one answer', async () => {
    const before = (await server.call('GET', '/wallets?currency=ngn')).data[0].available
    const answers = await Promise.all(
      Array.from({ length: 20 }, () =>
        server.call('POST', '/payouts', bankPayout('keyed', 50_000), { 'idempotency-key': 'k-1' }),
      ),
    )
    assert.deepEqual(statuses(answers), { 201: 20 })
    assert.equal(new Set(answers.map((answer) => JSON.stringify(answer.body))).size, 1)
    assert.equal(
      answers.filter((answer) => answer.headers.get('idempotent-replayed') === 'true').length,
      19,
    )
    assert.equal(
      (await server.call('GET', '/wallets?currency=ngn')).data[0].available,
      before - 50_000,
    )
  })

  it('20 clients with one Idempotency-Key for a refused payout get one refusal, and it runs once', async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, () =>
        server.call('POST', '/payouts', bankPayout('poor', 900_000_000), {
          'idempotency-key': 'poor',
        }),
      ),
    )
    assert.deepEqual(statuses(answers), { 400: 20 })
    assert.equal(
      answers.filter((answer) => answer.headers.get('idempotent-replayed') === 'true').length,
      19,
    )
    assert.equal(new Set(answers.map((answer) => JSON.stringify(answer.body))).size, 1)
  })

  it('cancel and simulate at once: one of them wins, money moves once', async () => {
    await server.fund('ngn', 10 * 50_000)
    for (let i = 0; i < 10; i++) {
      const reference = `duel-${i}`
      await server.call('POST', '/payouts', bankPayout(reference, 50_000))
      const [canceled, simulated] = await Promise.all([
        server.call('POST', `/payouts/${reference}/cancel`),
        server.call('POST', `/payouts/${reference}/simulate`, { outcome: 'completed' }),
      ])
      assert.deepEqual([canceled.status, simulated.status].sort(), [200, 400])
    }
  })

  it('moves in both directions at once never wait for each other for ever', async () => {
    await server.fund('ngn', 100 * 50_000)
    await server.fund('usd', 100 * 50_000)
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, i) =>
        i % 3 === 0
          ? server.call('POST', '/wallets/simulate-fund', {
              currency: i % 2 ? 'ngn' : 'usd',
              amount: 7,
            })
          : server.call(
              'POST',
              '/payouts',
              bankPayout(`cross-${i}`, 50_000, { currency: i % 2 ? 'ngn' : 'usd' }),
            ),
      ),
    )
    assert.ok(
      answers.every(({ status }) => status === 200 || status === 201),
      JSON.stringify(statuses(answers)),
    )
    await until(
      async () =>
        (await server.call('POST', '/test/clock', { advance: '2h' })).data.fired.length === 0,
      30_000,
    )
    const payouts = (await server.call('GET', '/payouts?limit=100')).data.docs
    assert.ok(
      payouts.every((payout: { status: string }) =>
        ['completed', 'canceled'].includes(payout.status),
      ),
    )
  })
})
