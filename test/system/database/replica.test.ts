/**
 * Goal: lists are read at a replica, whoever has written finds it there, and a replica that is
 * late, gone or promoted is not noticed. Method: a server over a PostgreSQL that a second one
 * follows by streaming replication, whose replay is paused, and which is stopped.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { createBusiness } from '../../../src/books/businesses/businesses.ts'
import { walPositionOf } from '../../../src/db/replica.ts'
import { openBeside, type Served, serve } from '../../support/commands.ts'
import { bankPayout, type Call, type Json, makeCall, must, until } from '../../support/harness.ts'
import { type Standby, startStandby } from '../../support/standby.ts'

describe('a server with a replica', () => {
  let pair: Standby
  let served: Served
  let call: Call
  let key: string
  let env: Record<string, string>
  before(async () => {
    pair = await startStandby()
    env = {
      DATABASE_URL: pair.primary.url,
      READ_URL: pair.url,
      SECRETS_KEY: 'cd'.repeat(32),
      RATE_LIMIT_MAX: '0',
      SANDBOX_DELAY: '0s',
    }
    served = await serve(env)
    const beside = await openBeside(env)
    key = (await createBusiness(beside.app, 'Two')).test_key
    await beside.close()
    call = makeCall(served.url, key)
    await must(call('POST', '/wallets/simulate-fund', { currency: 'ngn', amount: 100_000_000 }))
  })
  after(async () => {
    served?.child.kill('SIGTERM')
    await served?.ended
    await pair?.stop()
  })

  /** How many statements that read lists of payouts the replica has run. */
  const readThere = async (): Promise<number> => {
    const rows = await pair.ask<{ calls: string }>(
      `select coalesce(sum(idx_scan + seq_scan), 0)::text as calls from pg_stat_user_tables where relname = 'payouts'`,
    )
    return Number(rows[0]?.calls)
  }
  const pay = (reference: string) => must(call('POST', '/payouts', bankPayout(reference, 10_000)))
  const listed = async (): Promise<string[]> =>
    (await must(call('GET', '/payouts?limit=100'))).docs.map(
      (one: { reference: string }) => one.reference,
    )

  it('reads lists there, with all that was answered before', async () => {
    const before = await readThere()
    let n = 0
    // What a session has counted is shown once it is idle; and on a busy machine the replica is
    // late now and then, so that the primary is asked.
    await until(async () => {
      await pay(`there-${n}`)
      assert.ok((await listed()).includes(`there-${n}`))
      n++
      return n >= 30 && (await readThere()) >= before + 30
    }, 120_000)
  })

  it('answers every list, export and report', async () => {
    const { paths } = (await (await fetch(`${served.url}/openapi.json`)).json()) as Json
    const today = new Date().toISOString().slice(0, 10)
    const query = `?currency=ngn&month=${today.slice(0, 7)}&from=${today}&to=${today}`
    let asked = 0
    for (const [path, { get }] of Object.entries<Json>(paths)) {
      if (!get || path.includes('{') || !/^(list|export)|Report|Statement/.test(get.operationId))
        continue
      // A business of today has no day that is over.
      if (path === '/exports/statement') continue
      const known = new Set((get.parameters ?? []).map((one: Json) => one.name))
      const given = [...new URLSearchParams(query)].filter(
        ([name]) => known.has(name) && !/^(list|export)/.test(get.operationId),
      )
      if (known.has('format')) given.push(['format', 'hledger'])
      const answer = await fetch(`${served.url}${path}?${new URLSearchParams(given)}`, {
        headers: { authorization: `Bearer ${key}` },
      })
      assert.equal(answer.status, 200, `${path}: ${await answer.text()}`)
      asked++
    }
    assert.ok(asked > 30, `${asked}`)
    assert.doesNotMatch(served.output(), /cannot be read/)
  })

  it('reads at the primary while the replica is late', async () => {
    await pair.ask('select pg_wal_replay_pause()')
    await pay('late-1')
    assert.ok((await listed()).includes('late-1'))
    await pair.ask('select pg_wal_replay_resume()')
    await pay('late-2')
    assert.ok((await listed()).includes('late-2'))
  })

  it('reads at the primary once the replica was promoted, and once it is gone', async () => {
    await pair.ask('select pg_promote()')
    await pay('promoted-1')
    assert.ok((await listed()).includes('promoted-1'))
    await until(
      async () =>
        (await listed()) && /the replica of READ_URL cannot be read/.test(served.output()),
    )
    await pair.stop().catch(() => {})
  })
})

describe('a position in the WAL', () => {
  it('is a number of 64 bits', () => {
    assert.equal(walPositionOf('0/0'), 0n)
    assert.equal(walPositionOf('16/B374D848'), 0x16b374d848n)
    assert.ok(walPositionOf('1/0') > walPositionOf('0/FFFFFFFF'))
  })
})
