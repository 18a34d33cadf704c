import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { startServer, type TestServer } from '../../../test/support/harness.ts'
import type { App } from '../../core/app.ts'
import { manualClock } from '../../lib/clock.ts'
import { type Counted, forgetOldLimits, limitStore } from './limits.ts'

describe('the counts of the rate limit', () => {
  let server: TestServer
  const clock = manualClock(new Date('2026-11-21T09:00:00Z'))
  before(async () => {
    server = await startServer()
  })
  after(() => server.stop())

  /** A process's counter over the common database, and how many statements it has sent. */
  function counter(max: number) {
    let statements = 0
    const db = {
      rows(...args: Parameters<App['db']['rows']>) {
        statements++
        return server.app.db.rows(...args)
      },
    }
    // Its own cell's database counts: for another's it would not wait long, and count alone.
    const app = {
      ...server.app,
      clock,
      db,
      limits: db,
      config: { ...server.app.config, RATE_LIMIT_MAX: max, RATE_LIMIT_WINDOW: 60_000 },
    } as unknown as App
    const store = new (limitStore(app))({})
    const count = (key: string): Promise<Counted> =>
      new Promise((resolve, reject) => {
        store.incr(key, (error, counted) => (counted ? resolve(counted) : reject(error)))
      })
    return { store, count, statements: () => statements }
  }

  it('is exact for a small limit, however many processes count at once', async () => {
    const processes = [counter(100), counter(100), counter(100)]
    const counted = await Promise.all(
      Array.from({ length: 400 }, (_, n) => processes[n % 3]?.count('exact') as Promise<Counted>),
    )
    const passed = counted.filter(({ current }) => current <= 100).map(({ current }) => current)
    assert.deepEqual(
      passed.toSorted((a, b) => a - b),
      Array.from({ length: 100 }, (_, n) => n + 1),
    )
    // Requests that come together are counted together, and who is over the limit is not asked
    // about again.
    for (const { statements } of processes)
      assert.ok(statements() > 0 && statements() < 20, `${statements()} statements`)
    const before = processes[0]?.statements()
    assert.equal((await processes[0]?.count('exact'))?.current, 101)
    assert.equal(processes[0]?.statements(), before)
  })

  it('gives a busy key some in advance, and never more than the limit in all', async () => {
    const max = 20_000
    const processes = [counter(max), counter(max)]
    let passed = 0
    let asked = 0
    const client = async (count: (key: string) => Promise<Counted>): Promise<void> => {
      while (asked++ < 25_000) if ((await count('busy')).current <= max) passed++
    }
    await Promise.all(
      processes.flatMap(({ count }) => Array.from({ length: 8 }, () => client(count))),
    )
    assert.ok(passed <= max && passed > max * 0.98, `${passed} passed`)
    for (const { statements } of processes)
      assert.ok(statements() > 0 && statements() < 2_500, `${statements()} statements`)
  })

  it('counts keys and routes apart, and starts anew when the window is over', async () => {
    const { store, count } = counter(2)
    const current = async (key: string): Promise<number> => (await count(key)).current
    assert.deepEqual(
      [await current('a'), await current('a'), await current('a'), await current('b')],
      [1, 2, 3, 1],
    )
    const page = store.child({ routeInfo: { method: 'POST', url: '/pay/:slug' } })
    const ofPage = await new Promise<Counted | undefined>((resolve) => {
      page.incr('a', (_error, counted) => resolve(counted))
    })
    assert.deepEqual(ofPage, { current: 1, ttl: 60_000 })
    clock.advance(20_000)
    assert.deepEqual(await count('b'), { current: 2, ttl: 40_000 })
    clock.advance(40_000)
    assert.deepEqual(await count('a'), { current: 1, ttl: 60_000 })
    await forgetOldLimits({ ...server.app, clock })
    const [left] = await server.app.db.query<{ keys: string[] }>(
      'select array_agg(key order by key) as keys from rate_limits',
    )
    assert.ok(left?.keys.includes('a'))
    clock.advance(60_001)
    await forgetOldLimits({ ...server.app, clock })
    assert.deepEqual(await server.app.db.query('select key from rate_limits'), [])
  })

  it('fails alone for what cannot be counted', async () => {
    const { count } = counter(5)
    const keys = ['a1', 'a2', 'no\u0000text', 'a3', `${'€'.repeat(40)}\ud800`, 'a4']
    const counted = await Promise.allSettled(['first', ...keys].map((key) => count(key)))
    assert.deepEqual(
      counted.map(({ status }) => status === 'fulfilled'),
      [true, true, true, false, true, false, true],
    )
  })

  it('says so when it cannot count', async () => {
    const { count } = counter(5)
    await server.asOwner('alter table rate_limits rename to elsewhere')
    await assert.rejects(count('x'))
    await server.asOwner('alter table elsewhere rename to rate_limits')
    assert.equal((await count('x')).current, 1)
  })
})
