/**
 * Goal: while the database is gone, requests are told so, nothing is said to be undone that was
 * done, and all goes on afterwards. Method: its backends, and then the whole embedded PostgreSQL,
 * are killed under clients that read and write.
 */
import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { newClient } from '../../src/db/db.ts'
import { newPayer } from '../support/actors.ts'
import { makeDataDir, newDatabase } from '../support/cluster.ts'
import { command, serve } from '../support/commands.ts'
import {
  type Answer,
  bankPayout,
  type Call,
  listAll,
  makeCall,
  startServer,
  until,
} from '../support/harness.ts'

type Sent = { reference: string; answer: Answer }

/** Clients that read and write until they are stopped. */
function clients(call: Call, tag: string) {
  const reads: Answer[] = []
  const writes: Sent[] = []
  let stopped = false
  const write = (reference: string) =>
    call('POST', '/payouts', bankPayout(reference, 10_000), { 'idempotency-key': reference })
  const client = async (own: number): Promise<void> => {
    for (let n = 0; !stopped; n++) {
      await sleep(10)
      if (own % 2) reads.push(await call('GET', '/wallets'))
      else {
        const reference = `${tag}-${own}-${n}`
        writes.push({ reference, answer: await write(reference) })
      }
    }
  }
  const running = Array.from({ length: 8 }, (_, own) => client(own))
  return {
    reads,
    writes,
    /** Stops, and sends again what was not answered. */
    async end(): Promise<void> {
      stopped = true
      await Promise.all(running)
      for (const sent of writes)
        if (sent.answer.status === 503)
          assert.equal(
            (await until(async () => ok(await write(sent.reference)))).data.reference,
            sent.reference,
          )
    },
  }
}

const ok = (answer: Answer | undefined): Answer | null =>
  answer && answer.status < 300 ? answer : null

function assertAnsweredUnavailable({ reads, writes }: { reads: Answer[]; writes: Sent[] }): void {
  const all = [...reads, ...writes.map(({ answer }) => answer)]
  const odd = all.filter(({ status }) => status >= 300 && status !== 503)
  assert.deepEqual(
    odd.map(({ body }) => body),
    [],
  )
  for (const [answers, next] of [
    [reads, /^The database cannot be reached just now\. Try again in a second\.$/],
    [
      writes.map(({ answer }) => answer),
      / may have been done: look for it, or send it again with the same Idempotency-Key\.$/,
    ],
  ] as const) {
    const told = answers.filter(({ status }) => status === 503)
    assert.ok(told.length > 0, 'the loss was noticed')
    for (const { code, headers, body } of told) {
      assert.deepEqual([code, headers.get('retry-after')], ['database_unavailable', '1'])
      assert.match(body.message, next)
      assert.equal(body.data, null)
    }
  }
}

describe('a database that is lost', () => {
  it('is said to be, when its backends are killed, and each payout is made once', async () => {
    const server = await startServer({ DATABASE_POOL: '8' })
    await server.fund('ngn', 1_000_000_000)
    const { data: payment } = await server.call('POST', '/payments', {
      amount: 100_000,
      currency: 'ngn',
    })
    const payer = newPayer(payment)
    const pages: number[] = []
    const admin = newClient(server.superuserUrl)
    await admin.connect()
    const running = clients(server.call, 'killed')
    let told = false
    await until(async () => {
      await admin.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
          where datname = current_database() and application_name = 'bursar'`,
      )
      const page = await payer.open()
      pages.push(page.status)
      if (page.status === 503) assert.equal(page.headers.get('retry-after'), '1')
      const lost = ({ status }: Answer) => status === 503
      told = running.reads.some(lost) && running.writes.some(({ answer }) => lost(answer))
      return told && pages.includes(503)
    }, 60_000)
    await running.end()
    assertAnsweredUnavailable(running)
    assert.deepEqual(
      pages.filter((status) => status !== 200 && status !== 503),
      [],
    )
    const made = (await listAll(server.call, '/payouts')).map(({ reference }) => reference).sort()
    assert.deepEqual(made, running.writes.map(({ reference }) => reference).sort())
    await server.assertBooksClean()
    await admin.end()
    await server.stop()
  })

  it('is not said to be while requests hold all of its connections', async () => {
    const server = await startServer({ DATABASE_POOL: '4' })
    const { pool } = server.app.db
    const held = Array.from({ length: 8 }, () => pool.connect())
    const asked = server.call('GET', '/wallets')
    await until(async () => pool.waitingCount > 4)
    const health = await server.callAs(null)('GET', '/health')
    assert.deepEqual([health.status, health.data.status], [200, 'ok'])
    for (const one of held) (await one).release()
    assert.equal((await asked).status, 200)
    await server.stop()
  })

  it('is a warning in the log, of a page as of a request', async () => {
    const database = await newDatabase()
    const env = {
      DATABASE_URL: database.url,
      SECRETS_KEY: 'cd'.repeat(32),
      SANDBOX_DELAY: '0s',
      RATE_LIMIT_MAX: '0',
    }
    const made = JSON.parse(
      (await command(['business', 'create', '--name', 'Lost', '--json'], env)).out,
    )
    const served = await serve({ ...env, LOG_LEVEL: 'warn' })
    const call = makeCall(served.url, made.test_key)
    const { data: payment } = await call('POST', '/payments', { amount: 100_000, currency: 'ngn' })
    const payer = newPayer(payment)
    const admin = newClient(database.superuserUrl)
    await admin.connect()
    const lost = new Set<string>()
    await until(async () => {
      const end = admin.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
          where datname = current_database() and application_name = 'bursar'`,
      )
      const [page, answer] = await Promise.all([payer.open(), call('GET', '/wallets'), end])
      if (page.status === 503) lost.add('page')
      if (answer.status === 503) lost.add('request')
      return lost.size === 2
    }, 60_000)
    await admin.end()
    served.child.kill('SIGTERM')
    await served.ended
    const levels = (message: string): number[] => {
      const lines = served.output().split('\n')
      return lines
        .filter((line) => line.includes(`"${message}"`))
        .map((line) => JSON.parse(line).level)
    }
    const [pages, requests] = [
      levels('a page lost the database'),
      levels('a request lost the database'),
    ]
    assert.ok(pages.length > 0 && requests.length > 0)
    assert.deepEqual([...new Set([...pages, ...requests])], [40])
    assert.deepEqual(levels('a page failed'), [])
    await database.drop()
  })

  const dir = mkdtempSync(join(tmpdir(), 'bursar-lost-'))
  after(() => rmSync(dir, { recursive: true, force: true }))

  it('is said to be, when the whole of it is killed, and is there again', async () => {
    const env = {
      DATA_DIR: join(dir, 'data'),
      RATE_LIMIT_MAX: '0',
      SANDBOX_DELAY: '0s',
      LOG_LEVEL: 'fatal',
    }
    await makeDataDir(env.DATA_DIR)
    const made = JSON.parse(
      (await command(['business', 'create', '--name', 'Lost', '--json'], env)).out,
    )
    const served = await serve(env)
    const call = makeCall(served.url, made.test_key)
    await call('POST', '/wallets/simulate-fund', { currency: 'ngn', amount: 1_000_000_000 })
    const running = clients(call, 'gone')
    await sleep(300)
    const lock = join(env.DATA_DIR, 'postgres', 'postmaster.pid')
    process.kill(Number(readFileSync(lock, 'utf8').split('\n')[0]), 'SIGKILL')
    await until(async () => running.reads.some(({ status }) => status === 503), 30_000)
    await until(async () => ok(running.reads.at(-1)), 60_000)
    await until(async () => ok(running.writes.at(-1)?.answer), 60_000)
    await running.end()
    assertAnsweredUnavailable(running)
    const references = (await listAll(call, '/payouts')).map(({ reference }) => reference).sort()
    assert.deepEqual(references, running.writes.map(({ reference }) => reference).sort())
    served.child.kill('SIGTERM')
    assert.equal(await served.ended, 0, served.output())
    assert.equal((await command(['ledger', 'verify'], env)).code, 0)
  })
})
