import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { createBusiness } from '../../../src/books/businesses/businesses.ts'
import { newClient } from '../../../src/db/db.ts'
import { makeDataDir, newDatabase } from '../../support/cluster.ts'
import { runCommandWith } from '../../support/command-line.ts'
import {
  childrenOf,
  command,
  environmentOf,
  environmentsHidden,
  openBeside,
  serve,
} from '../../support/commands.ts'
import { until } from '../../support/harness.ts'

describe('the server and the commands', () => {
  const dir = mkdtempSync(join(tmpdir(), 'bursar-operating-'))
  const env = { RATE_LIMIT_MAX: '0' }
  after(() => rmSync(dir, { recursive: true, force: true }))

  it('find a server by any path to its data directory', async () => {
    // Too long for the socket to be in it.
    const real = join(dir, 'long'.repeat(25))
    const linked = join(dir, 'linked'.repeat(15))
    await makeDataDir(real)
    symlinkSync(real, linked)
    const served = await serve({ ...env, DATA_DIR: real })
    const { code, err } = await runCommandWith({ ...env, DATA_DIR: linked }, ['ledger', 'verify'])
    assert.equal(code, 0, err)
    assert.ok(existsSync(join(real, 'postgres', 'postmaster.pid')))
    served.child.kill('SIGTERM')
    assert.equal(await served.ended, 0)
  })

  it('leave nothing running when they are told to end, whenever that is', async () => {
    const own = { ...env, DATA_DIR: join(dir, 'told'), PORT: '0' }
    const lock = join(own.DATA_DIR, 'postgres', 'postmaster.pid')
    await makeDataDir(own.DATA_DIR)
    const served = await serve(own)
    assert.ok(existsSync(lock))
    served.child.kill('SIGHUP')
    assert.equal(await served.ended, 0, served.output())
    assert.ok(!existsSync(lock))
    for (const [args, signal, status] of [
      [['serve'], 'SIGTERM', 0],
      [['serve'], 'SIGHUP', 0],
      [['ledger', 'verify'], 'SIGTERM', 143],
      [['ledger', 'verify'], 'SIGHUP', 129],
    ] as const) {
      const { code, err } = await command([...args], own, async (child) => {
        while (!existsSync(lock)) await sleep(1)
        child.kill(signal)
      })
      assert.deepEqual([code, err], [status, ''], `${args} ${signal}`)
      assert.ok(!existsSync(lock), `${args} ${signal}`)
    }
  })

  it('keep their secrets from PostgreSQL, which outlives a server that is killed', {
    skip: environmentsHidden,
  }, async () => {
    const secrets = {
      SECRETS_KEY: 'ef'.repeat(32),
      METRICS_TOKEN: 'scrape-me-if-you-can',
      SMTP_URL: 'smtp://bursar:s3cret@127.0.0.1:1',
      EVM_PAYOUT_KEY: `0x${'a1'.repeat(32)}`,
      EVM_TEST_PAYOUT_KEY: `0x${'b2'.repeat(32)}`,
      SOMETHING_OF_THE_OPERATORS: 'that-nobody-else-should-read',
    }
    const own = { ...env, ...secrets, DATABASE_URL: '', DATA_DIR: join(dir, 'secrets') }
    await makeDataDir(own.DATA_DIR)
    const served = await serve(own)
    assert.equal(environmentOf(served.child.pid as number).EVM_PAYOUT_KEY, secrets.EVM_PAYOUT_KEY)
    served.child.kill('SIGKILL')
    await served.ended
    const lock = join(own.DATA_DIR, 'postgres', 'postmaster.pid')
    const postmaster = Number(readFileSync(lock, 'utf8').split('\n')[0])
    const seen = environmentOf(postmaster)
    assert.ok(seen.PATH, 'what PostgreSQL was started with can be read')
    for (const [name, value] of Object.entries(secrets)) {
      assert.ok(!(name in seen), `PostgreSQL has ${name}`)
      assert.ok(
        !Object.values(seen).some((text) => text.includes(value)),
        `PostgreSQL has the value of ${name}`,
      )
    }
    // The last to leave stops it.
    assert.equal((await runCommandWith(own, ['ledger', 'verify'])).code, 0)
    assert.ok(!existsSync(lock))
  })

  it('write nothing to a schema: they work on a replica, and refuse what they do not fit', async () => {
    const database = await newDatabase()
    const own = { DATABASE_URL: database.url, SECRETS_KEY: 'cd'.repeat(32) }
    const beside = await openBeside(own)
    await createBusiness(beside.app, 'First')
    await beside.close()
    const replica = `${database.url}&options=${encodeURIComponent('-c default_transaction_read_only=on')}`
    for (const args of [
      ['ledger', 'verify'],
      ['keys', 'list'],
    ]) {
      const { code, err } = await runCommandWith({ ...own, DATABASE_URL: replica }, args)
      assert.equal(code, 0, err)
    }
    const client = newClient(database.ownerUrl)
    await client.connect()
    const names = async () =>
      (await client.query('select name from schema_migrations order by name')).rows.at(-1)?.name
    const newest = await names()
    await client.query('delete from schema_migrations where name = $1', [newest])
    const before = await names()
    const refused = await runCommandWith(own, ['keys', 'list'])
    assert.deepEqual(
      [refused.code, refused.err],
      [
        1,
        `bursar: The database lacks migration ${newest}: run \`bursar migrate\` to upgrade it.\n`,
      ],
    )
    assert.equal(await names(), before)
    await client.end()
    await database.drop()
  })

  it('serve as a role that cannot change the tables, with nothing left of the owner once they listen', {
    skip: environmentsHidden,
  }, async () => {
    const database = await newDatabase('template1')
    const file = join(dir, 'owner-url')
    writeFileSync(file, `${database.ownerUrl}\n`)
    const own = { ...env, DATABASE_URL: database.url, SECRETS_KEY: 'cd'.repeat(32) }
    const refused = await command(['serve'], own)
    assert.deepEqual(
      [refused.code, refused.err],
      [
        1,
        'bursar: The database has no schema, and the role bursar_server may not make one: run `bursar migrate` with MIGRATE_DATABASE_URL, of the role that is to own the tables.\n',
      ],
    )
    const served = await serve({ ...own, MIGRATE_DATABASE_URL_FILE: file }, ['--processes', '2'])
    const children = await until(async () => {
      const pids = await childrenOf(served)
      return pids.length === 2 && pids
    })
    for (const pid of children)
      assert.ok(
        !Object.keys(environmentOf(pid)).some((name) => name.startsWith('MIGRATE_DATABASE_URL')),
      )
    const admin = newClient(database.superuserUrl)
    await admin.connect()
    const { rows } = await admin.query(
      `select distinct usename::text as role from pg_stat_activity where datname = current_database() and application_name <> ''`,
    )
    assert.deepEqual(rows, [{ role: 'bursar_server' }])
    await admin.end()
    assert.doesNotMatch(served.output(), /could undo/)
    served.child.kill('SIGTERM')
    assert.equal(await served.ended, 0, served.output())

    // From now on the owner is not needed, until there is something to migrate.
    const beside = await openBeside(own)
    await createBusiness(beside.app, 'First')
    await beside.close()
    await database.asOwner('drop table attention_done')
    await database.asOwner(`delete from schema_migrations where name like '0014%'`)
    const behind = await runCommandWith(own, ['serve'])
    assert.deepEqual(
      [behind.code, behind.err],
      [
        1,
        'bursar: The database lacks migration 0014-attention.sql: run `bursar migrate` to upgrade it.\n',
      ],
    )
    const migrated = await runCommandWith({ ...own, MIGRATE_DATABASE_URL: database.ownerUrl }, [
      'migrate',
    ])
    assert.equal(migrated.code, 0, migrated.err)
    assert.equal((await runCommandWith(own, ['ledger', 'verify'])).code, 0)
    await database.drop()
  })

  it('say once, at the start, that the role that serves could undo what the tables refuse', async () => {
    const database = await newDatabase()
    const own = { ...env, DATABASE_URL: database.ownerUrl, SECRETS_KEY: 'cd'.repeat(32) }
    const served = await serve(own, ['--processes', '2'])
    served.child.kill('SIGTERM')
    assert.equal(await served.ended, 0, served.output())
    assert.equal(
      served
        .output()
        .match(/the role bursar owns the tables, and so could undo what the tables refuse/g)
        ?.length,
      1,
    )
    await database.drop()
  })
})
