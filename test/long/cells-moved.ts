/**
 * Goal: a move that is killed at any moment, however often, goes on when it is run again, and
 * nothing is lost, refused or told twice. Method: one cell that goes to and fro between two
 * PostgreSQL servers under load, `MOVES` times; of each move the command is killed with -9 up to
 * three times, at moments that are drawn from the length of the first, which is not.
 */
import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Embedded, useEmbedded } from '../../src/db/cluster/embedded.ts'
import { newClient } from '../../src/db/db.ts'
import { migrate } from '../../src/db/schema/migrate.ts'
import { Business } from '../support/business-at-work.ts'
import { command, type Output, type Served, serve } from '../support/commands.ts'
import { type Json, must, until } from '../support/harness.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'

const moves = Number(process.env.MOVES ?? 8)
const mostKilled = 3

/** The runner bounds each test by itself. */
const whole = { timeout: 3_600_000 }

describe('moves that are killed', whole, () => {
  const dir = mkdtempSync(join(tmpdir(), 'bursar-moved-'))
  const file = join(dir, 'cells.json')
  const servers: Embedded[] = []
  let receiver: Receiver
  let env: Record<string, string>
  let served: Served
  let business: Business

  const at = (n: number, kind: 'url' | 'ownerUrl' | 'superuserUrl', database = `at_${n}`): string =>
    (servers[n % 2] as Embedded)[kind].replace(/\/(postgres|bursar)\?/, `/${database}?`)
  async function asSuperuser(n: number, text: string): Promise<void> {
    const client = newClient(at(n, 'superuserUrl', 'postgres'))
    await client.connect()
    await client.query(text).finally(() => client.end())
  }
  /** Moves from the database `n` to the next one. @param killAfterMs null: to its end */
  async function move(n: number, killAfterMs: number | null): Promise<Output> {
    const to = ['--to', at(n + 1, 'ownerUrl'), '--serve', at(n + 1, 'url')]
    let timer: NodeJS.Timeout | undefined
    const ended = await command(
      ['cells', 'move', 'a', ...to, '--from', at(n, 'ownerUrl')],
      env,
      (child) => {
        if (killAfterMs !== null) timer = setTimeout(() => child.kill('SIGKILL'), killAfterMs)
      },
    )
    clearTimeout(timer)
    return ended
  }

  before(async () => {
    receiver = await startReceiver()
    for (const name of ['one', 'two'])
      servers.push(
        await useEmbedded({ dir: join(dir, name), settings: { wal_level: 'logical' } }, 'tool'),
      )
    for (const n of [0, 1])
      await asSuperuser(n, 'grant pg_create_subscription to bursar; alter role bursar replication')
    await asSuperuser(0, 'create database at_0 owner bursar')
    await migrate(at(0, 'ownerUrl'), 'bursar_server')
    writeFileSync(file, JSON.stringify({ cells: { a: { database_url: at(0, 'url') } } }))
    env = {
      CELLS_FILE: file,
      SECRETS_KEY: 'ab'.repeat(32),
      DATA_DIR: dir,
      DATABASE_URL: '',
      RATE_LIMIT_MAX: '0',
      SANDBOX_DELAY: '300ms',
      LOG_LEVEL: 'error',
      WEBHOOK_ALLOW_PRIVATE_TARGETS: 'true',
      WEBHOOK_CA_FILE: receiver.caFile,
      WEBHOOK_RETRY_DELAYS: '1s,1s,1s,5s,5s',
    }
    served = await serve(env)
    await until(
      async () =>
        ((await (await fetch(`${served.url}/health`)).json()) as Json).data.status === 'ok',
      60_000,
    )
    const made = await command(['business', 'create', '--name', 'Moved', '--json'], {
      ...env,
      CELL: 'a',
    })
    assert.equal(made.code, 0, made.err)
    business = new Business(served.url, JSON.parse(made.out))
    await must(business.call('POST', '/webhooks', { url: `${receiver.url}/moved` }))
    await must(
      business.call('POST', '/wallets/simulate-fund', { currency: 'ngn', amount: 9_000_000_000 }),
    )
  })
  after(async () => {
    business?.stop()
    served?.child.kill('SIGTERM')
    await served?.ended
    for (const one of servers) await one.release().catch(() => {})
    await receiver?.stop()
    rmSync(dir, { recursive: true, force: true })
  })

  it('go on, and lose nothing', whole, async (test) => {
    business.work()
    await business.more(20)
    let wholeMs = 0
    let killed = 0
    for (let n = 0; n < moves; n++) {
      await asSuperuser(n + 1, `create database at_${n + 1} owner bursar`)
      const moments: number[] = []
      while (n > 0 && moments.length < mostKilled) {
        const moment = Math.random() * wholeMs
        const ended = await move(n, moment)
        moments.push(Math.round(moment))
        // It had ended by then.
        if (ended.code !== null) {
          assert.equal(ended.code, 0, ended.err + ended.out)
          break
        }
        killed++
        await sleep(Math.random() * 1_000)
      }
      const began = performance.now()
      const ended = await move(n, null)
      assert.equal(ended.code, 0, `${moments}: ${ended.err}${ended.out}`)
      if (n === 0) wholeMs = performance.now() - began
      assert.equal(JSON.parse(readFileSync(file, 'utf8')).cells.a.database_url, at(n + 1, 'url'))
      await business.more(20)
      const pause = /waited for (\d+) ms/.exec(ended.out)?.[1]
      test.diagnostic(
        `killed after ${moments.join(', ') || 'nothing'} of ${Math.round(wholeMs)} ms; ${pause ? `writers waited ${pause} ms` : 'it was switched by then'}; the slowest answer ${Math.round(business.slowest)} ms, ${business.unavailable.length} of 503`,
      )
      Object.assign(business, { slowest: 0, unavailable: [] })
      await asSuperuser(n, `drop database at_${n} with (force)`)
    }
    await business.settle(receiver)
    const verified = await command(['cells', 'verify'], env)
    assert.match(verified.out + verified.err, /The books are clean in a/)
    test.diagnostic(
      `${moves} moves, killed ${killed} times, ${business.answered.size} payouts answered`,
    )
  })
})
