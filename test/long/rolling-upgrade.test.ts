/**
 * Goal: servers of two versions run on one database while it is upgraded, under load, and nothing
 * is refused or lost; the version before can be gone back to until the upgrade is finished, and
 * cannot run afterwards. Method: real processes of this version, and of a copy of it with one
 * migration more, in two halves; payouts over HTTP meanwhile. `FORMER_TREE` names a checkout of an
 * earlier version to upgrade from in place of this one.
 */
import assert from 'node:assert/strict'
import { cpSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { newClient } from '../../src/db/db.ts'
import { ownNumber } from '../../src/db/schema/migrations.ts'
import { aliveVersions, versionLockClass } from '../../src/db/schema/versions.ts'
import { newDatabase } from '../support/cluster.ts'
import { command, type Served, serve, tree } from '../support/commands.ts'
import { bankPayout, type Call, listAll, makeCall, until } from '../support/harness.ts'

const former = process.env.FORMER_TREE ?? tree

const first = `-- Payouts keep when they were asked for.
-- Understood by servers from 0012 on.
alter table payouts add column asked_at timestamptz(3);
alter table payouts alter column asked_at set default now();
`
const second = `update payouts set asked_at = created_at where asked_at is null;
alter table payouts alter column asked_at set not null;
`

describe('an upgrade under load', () => {
  const next = mkdtempSync(join(tmpdir(), 'bursar-next-'))
  let database: Awaited<ReturnType<typeof newDatabase>>
  let env: Record<string, string>
  before(async () => {
    const left = new Set(['node_modules', '.git', 'screenshots'])
    cpSync(tree, next, {
      recursive: true,
      filter: (path) => !left.has(path.split('/').at(-1) ?? ''),
    })
    symlinkSync(join(tree, 'node_modules'), join(next, 'node_modules'))
    writeFileSync(join(next, 'src/db/schema/migrations/9000-asked.sql'), first)
    writeFileSync(join(next, 'src/db/schema/migrations/9000-asked.finish.sql'), second)
    database = await newDatabase()
    env = {
      DATABASE_URL: database.url,
      MIGRATE_DATABASE_URL: database.ownerUrl,
      SECRETS_KEY: 'cd'.repeat(32),
      RATE_LIMIT_MAX: '0',
      SANDBOX_DELAY: '200ms',
    }
  })
  after(async () => {
    await database.drop()
    rmSync(next, { recursive: true, force: true })
  })

  const serveOf = (of: string): Promise<Served> => serve(env, [], '.', of)
  const end = async ({ child, ended }: Served, signal: NodeJS.Signals): Promise<void> => {
    child.kill(signal)
    await ended
  }
  const finish = () => command(['migrate', '--finish'], env, undefined, next)

  it('refuses nothing, can be gone back on until it is finished, and then not', async () => {
    const { test_key: key } = JSON.parse(
      (await command(['business', 'create', '--name', 'Up', '--json'], env)).out,
    )
    const old = await serveOf(former)
    await makeCall(old.url, key)('POST', '/wallets/simulate-fund', {
      currency: 'ngn',
      amount: 1_000_000_000,
    })

    /** The servers that a load balancer would send to. */
    let targets: Call[] = [makeCall(old.url, key)]
    const answered = new Set<string>()
    const wrong: unknown[] = []
    let asked = 0
    let stop = false
    const client = async (): Promise<void> => {
      while (!stop) {
        const reference = `up-${asked++}`
        for (let tries = 0; ; tries++)
          try {
            const target = targets[(asked + tries) % targets.length] as Call
            const body = bankPayout(reference, 10_000)
            const answer = await target('POST', '/payouts', body, { 'idempotency-key': reference })
            if (answer.status === 201) answered.add(reference)
            else wrong.push([reference, answer.status, answer.code])
            break
          } catch (error) {
            // The server is gone: a client asks again, by the same key.
            if (tries > 200) throw error
            await new Promise((resolve) => setTimeout(resolve, 20))
          }
      }
    }
    const clients = Array.from({ length: 6 }, client)
    const more = async (count = 40): Promise<void> => {
      const enough = answered.size + count
      await until(async () => answered.size >= enough, 60_000)
    }
    await more()

    let upgraded = await serveOf(next)
    targets = [makeCall(old.url, key), makeCall(upgraded.url, key)]
    await more()
    // Versions before this one do not say that they are alive.
    if (former === tree) {
      const early = await finish()
      assert.equal(early.code, 1, early.out)
      assert.match(early.err, /A server of an earlier version is alive/)
    }
    await more()

    // One of the version before is killed in the middle, and is started again.
    targets = [makeCall(upgraded.url, key)]
    await end(old, 'SIGKILL')
    let back = await serveOf(tree)
    targets = [makeCall(upgraded.url, key), makeCall(back.url, key)]
    await more()

    // The upgrade is taken back: only the version before serves.
    targets = [makeCall(back.url, key)]
    await end(upgraded, 'SIGTERM')
    await more()
    assert.equal((await command(['ledger', 'verify'], env)).code, 0)

    upgraded = await serveOf(next)
    targets = [makeCall(upgraded.url, key)]
    await end(back, 'SIGTERM')
    const said = await command(['migrate'], env, undefined, next)
    assert.match(said.out, /9000-asked\.finish\.sql.*bursar migrate --finish/)
    const finished = await finish()
    assert.equal(finished.code, 0, finished.err)
    await more()
    await assert.rejects(async () => {
      back = await serveOf(tree)
    }, /9000-asked\.finish\.sql, which this server does not know\. Upgrade the server\./)
    await more()
    stop = true
    await Promise.all(clients)

    assert.deepEqual(wrong, [])
    const payouts = await until(async () => {
      const docs = await listAll(makeCall(upgraded.url, key), '/payouts')
      return docs.every(({ status }) => status === 'completed') ? docs : null
    }, 60_000)
    assert.deepEqual(new Set(payouts.map(({ reference }) => reference)), answered)
    const verified = await command(['ledger', 'verify', '--json'], env, undefined, next)
    assert.deepEqual([verified.code, JSON.parse(verified.out).differences], [0, []])
    await end(upgraded, 'SIGTERM')
  })
})

describe('a server whose session says which version it is', () => {
  it('says so again where the session is lost, and stops where the schema was finished meanwhile', async () => {
    const database = await newDatabase()
    const env = { DATABASE_URL: database.url, SECRETS_KEY: 'cd'.repeat(32), RATE_LIMIT_MAX: '0' }
    const served = await serve(env)
    const cut = `select pg_terminate_backend(pid) from pg_locks
      where locktype = 'advisory' and objsubid = 2 and classid = ${versionLockClass}
        and database = (select oid from pg_database where datname = current_database())`
    const client = newClient(database.superuserUrl)
    await client.connect()
    assert.deepEqual(await aliveVersions(client), [ownNumber()])
    await client.query(cut)
    await until(async () => (await aliveVersions(client)).length === 1)
    assert.equal(served.child.exitCode, null)
    await database.asOwner(
      `insert into schema_migrations (name, checksum, understood_from) values ('9001-later.finish.sql', 'x', 9001)`,
    )
    await client.query(cut)
    await client.end()
    await until(async () => served.child.exitCode === 0)
    assert.match(
      served.output(),
      /this server stops: The database has migration 9001-later\.finish\.sql/,
    )
    await database.drop()
  })
})
