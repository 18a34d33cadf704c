/**
 * Goal: however many payouts are created at once, exactly those go out that limits of a day, of how
 * many and of a destination let out. Method: two servers on one database, and a simple model of
 * what is left.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import fc from 'fast-check'
import { type KeyHolder, keyWith } from '../../support/approvers.ts'
import { secondServer } from '../../support/batched.ts'
import {
  type Answer,
  bankPayout,
  type Call,
  type Json,
  makeCall,
  must,
  shareServer,
  startServer,
  type TestServer,
} from '../../support/harness.ts'
import { inFreshWorlds, runs } from '../../support/runs.ts'

const none = {
  refuse_above_daily: null,
  refuse_above_daily_count: null,
  destination_daily: null,
  destination_daily_count: null,
}

describe('limits that refuse payouts, on two servers at once', () => {
  let server: TestServer
  let second: { url: string; stop(): Promise<void> }
  let servers: Call[]
  let manager: KeyHolder
  const open = async (
    start: (env: Record<string, string>) => Promise<TestServer> = startServer,
  ): Promise<void> => {
    server = await start({ SANDBOX_DELAY: '1h' })
    second = await secondServer(server)
    servers = [server.call, makeCall(second.url, server.testKey)]
    manager = await keyWith(server, ['manage', 'read'])
    await server.fund('ngn', 1_000_000_000)
  }
  before(() => open(shareServer))
  const close = async (): Promise<void> => {
    await second.stop()
    await server.stop()
  }
  after(close)
  const renew = async (): Promise<void> => {
    await close().catch(() => {})
    await open()
  }

  const limit = (ngn: object): Promise<Json> =>
    must(manager.call('PUT', '/limits', { currencies: [{ currency: 'ngn', ...none, ...ngn }] }))
  const today = async (): Promise<{ paid_out_today: number; payouts_today: number }> => {
    await limit({ refuse_above_daily: 1_000_000_000 })
    return (await must(manager.call('GET', '/limits'))).currencies[0]
  }
  const to = (i: number) => ({ destination: { bank_code: '058', account_number: `012345670${i}` } })
  const fired = async (rule: string): Promise<number> =>
    (await must(manager.call('GET', '/limits/rules'))).rules.find((one: Json) => one.rule === rule)
      .today
  let round = 0
  /** Asks for payouts at once, at both servers in turn. @returns those that were made */
  const race = async (
    payouts: { amount: number; account: number }[],
    rule: string,
  ): Promise<Answer[]> => {
    round++
    const before = await fired(rule)
    const answers = await Promise.all(
      payouts.map(({ amount, account }, i) =>
        (servers[i % 2] as Call)(
          'POST',
          '/payouts',
          bankPayout(`race-${round}-${i}`, amount, to(account)),
        ),
      ),
    )
    const made = answers.filter(({ status }) => status === 201)
    const refused = answers.filter(({ status }) => status !== 201)
    assert.ok(
      refused.every(({ code, body }) => code === 'limit_exceeded' && body.errors.rule === rule),
    )
    assert.equal(await fired(rule), before + refused.length)
    return made
  }
  const many = (n: number, amount: number, accounts = 1) =>
    Array.from({ length: n }, (_, i) => ({ amount, account: i % accounts }))

  it('50 payouts at an amount of a day: exactly those that fit go out', async () => {
    const { paid_out_today: before } = await today()
    await limit({ refuse_above_daily: before + 10 * 100_000 + 99_999 })
    assert.equal((await race(many(50, 100_000, 10), 'refuse_above_daily')).length, 10)
  })

  it('100 payouts at a number of a day: exactly so many go out', async () => {
    const { payouts_today: before } = await today()
    await limit({ refuse_above_daily_count: before + 17 })
    assert.equal((await race(many(100, 100_000, 10), 'refuse_above_daily_count')).length, 17)
  })

  it('100 payouts to three destinations at an amount and a number of each: exactly those that fit go out', async () => {
    await must(server.call('POST', '/test/clock', { advance: '24h' }))
    await limit({ destination_daily: 7 * 100_000 + 1 })
    const made = await race(many(100, 100_000, 3), 'destination_daily')
    assert.equal(made.length, 21)
    await limit({ destination_daily_count: 9 })
    assert.equal((await race(many(100, 100_000, 3), 'destination_daily_count')).length, 6)
    for (const { data } of made.slice(0, 3))
      await must(server.call('POST', `/payouts/${data.reference}/cancel`))
    assert.equal((await race(many(50, 100_000, 3), 'destination_daily_count')).length, 3)
  })

  it('whatever is paid, canceled and failed at once, a day and its destinations are sent what a simple model says', async () => {
    const one = fc.record({
      amount: fc.integer({ min: 10_000, max: 60_000 }),
      account: fc.nat(2),
      end: fc.constantFrom('stays', 'stays', 'canceled', 'failed'),
    })
    const limits = fc.record(
      {
        refuse_above_daily: fc.integer({ min: 0, max: 300_000 }),
        refuse_above_daily_count: fc.integer({ min: 0, max: 8 }),
        destination_daily: fc.integer({ min: 0, max: 150_000 }),
        destination_daily_count: fc.integer({ min: 0, max: 4 }),
      },
      { requiredKeys: [] },
    )
    let property = 0
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(limits, fc.array(one, { maxLength: 12 })), {
          minLength: 1,
          maxLength: 4,
        }),
        inFreshWorlds(renew, async (waves) => {
          property++
          await must(server.call('POST', '/test/clock', { advance: '24h' }))
          const alive: { amount: number; account: number }[] = []
          for (const [w, [given, asked]] of waves.entries()) {
            await limit(given)
            const fits = (all: { amount: number; account: number }[]): boolean => {
              const of = given
              const within = (most: number | undefined, had: number): boolean =>
                most === undefined || had <= most
              const sum = (some: typeof all): number =>
                some.reduce((total, { amount }) => total + amount, 0)
              const parts = [0, 1, 2].map((account) =>
                all.filter((payout) => payout.account === account),
              )
              return (
                within(of.refuse_above_daily, sum(all)) &&
                within(of.refuse_above_daily_count, all.length) &&
                parts.every(
                  (part) =>
                    within(of.destination_daily, sum(part)) &&
                    within(of.destination_daily_count, part.length),
                )
              )
            }
            const startsWithin = fits(alive)
            const answers = await Promise.all(
              asked.map(({ amount, account }, i) =>
                (servers[i % 2] as Call)(
                  'POST',
                  '/payouts',
                  bankPayout(`m-${property}-${w}-${i}`, amount, to(account)),
                ),
              ),
            )
            const made = asked.filter((_, i) => answers[i]?.status === 201)
            assert.ok(
              answers.every(({ status, code }) => status === 201 || code === 'limit_exceeded'),
            )
            alive.push(...made)
            // Whoever was refused would be refused still, after all that was made: limits leave no
            // room that somebody was denied.
            if (startsWithin) assert.ok(fits(alive), JSON.stringify({ given, alive }))
            else for (const payout of made) assert.ok(fits([payout]), 'by itself at least')
            for (const [i, refused] of asked.entries())
              if (answers[i]?.status !== 201)
                assert.ok(!fits([...alive, refused]), JSON.stringify({ given, alive, refused }))
            await Promise.all(
              asked.map(async ({ end, ...payout }, i) => {
                if (answers[i]?.status !== 201 || end === 'stays') return
                const path = `/payouts/m-${property}-${w}-${i}`
                const ended =
                  end === 'canceled'
                    ? servers[(i + 1) % 2]?.('POST', `${path}/cancel`)
                    : server.call('POST', `${path}/simulate`, { outcome: 'failed' })
                await must(ended as Promise<Answer>)
                alive.splice(
                  alive.findIndex(
                    (other) => other.amount === payout.amount && other.account === payout.account,
                  ),
                  1,
                )
              }),
            )
            const { paid_out_today, payouts_today } = (await must(manager.call('GET', '/limits')))
              .currencies[0]
            if (payouts_today !== null)
              assert.deepEqual(
                [paid_out_today, payouts_today],
                [alive.reduce((sum, { amount }) => sum + amount, 0), alive.length],
              )
          }
        }),
      ),
      { numRuns: runs(10) },
    )
  })
})
