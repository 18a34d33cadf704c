import assert from 'node:assert/strict'
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { newClient } from '../src/db/db.ts'
import { newDatabase } from './cluster.ts'
import { command, serve } from './commands.ts'

describe('the server and the commands', () => {
  const dir = mkdtempSync(join(tmpdir(), 'bursar-operating-'))
  const env = { RATE_LIMIT_MAX: '0' }
  after(() => rmSync(dir, { recursive: true, force: true }))

  it('find a server by any path to its data directory', async () => {
    // Too long for the socket to be in it.
    const real = join(dir, 'long'.repeat(25))
    const linked = join(dir, 'linked'.repeat(15))
    mkdirSync(real)
    symlinkSync(real, linked)
    const served = await serve({ ...env, DATA_DIR: real })
    const { code, err } = await command(['ledger', 'verify'], { ...env, DATA_DIR: linked })
    assert.equal(code, 0, err)
    assert.ok(existsSync(join(real, 'postgres', 'postmaster.pid')))
    served.child.kill('SIGTERM')
    assert.equal(await served.ended, 0)
  })

  it('leave nothing running when they are told to end, whenever that is', async () => {
    const own = { ...env, DATA_DIR: join(dir, 'told'), PORT: '0' }
    const lock = join(own.DATA_DIR, 'postgres', 'postmaster.pid')
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

  it('write nothing to a schema: they work on a replica, and refuse what they do not fit', async () => {
    const database = await newDatabase()
    const own = { DATABASE_URL: database.url, SECRETS_KEY: 'cd'.repeat(32) }
    assert.equal((await command(['business', 'create', '--name', 'First'], own)).code, 0)
    const replica = `${database.url}&options=${encodeURIComponent('-c default_transaction_read_only=on')}`
    for (const args of [
      ['ledger', 'verify'],
      ['keys', 'list'],
    ]) {
      const { code, err } = await command(args, { ...own, DATABASE_URL: replica })
      assert.equal(code, 0, err)
    }
    const client = newClient(database.url)
    await client.connect()
    const names = async () => (await client.query('select name from schema_migrations order by name')).rows.at(-1)?.name
    const newest = await names()
    await client.query('delete from schema_migrations where name = $1', [newest])
    const before = await names()
    const refused = await command(['keys', 'list'], own)
    assert.deepEqual(
      [refused.code, refused.err],
      [1, `bursar: The database lacks migration ${newest}: run \`bursar migrate\` to upgrade it.\n`],
    )
    assert.equal(await names(), before)
    await client.end()
    await database.drop()
  })
})
