/**
 * Goal: the settings of the server, the database or the role change no answer, or stop the start
 * with their name. Method: databases with such settings.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { newDatabase, runAs } from '../../test/support/cluster.ts'
import { startServer } from '../../test/support/harness.ts'
import { newClient, openDatabase, sqlOfAll } from './db.ts'
import { MigrationError, migrate, prepareSchema } from './schema/migrate.ts'

const oddSettings = [
  "datestyle = 'SQL, DMY'",
  "timezone = 'Africa/Lagos'",
  'standard_conforming_strings = off',
]

/** Creates a database with the schema whose sessions get `settings` by default. */
async function databaseWith(settings: string[]): Promise<Awaited<ReturnType<typeof newDatabase>>> {
  const made = await newDatabase()
  const [, name] = /\/(test_\w+)\?/.exec(made.ownerUrl) ?? []
  for (const setting of settings) await made.asOwner(`alter database ${name} set ${setting}`)
  return made
}

describe('a session', () => {
  const at = new Date('2026-11-05T10:20:30.123Z')
  const text = `select timestamptz '2026-11-05 10:20:30.123+00' as at, length('a\\b') as letters, current_setting('TimeZone') as zone`
  const right = { at, letters: 3, zone: 'UTC' }

  it('reads times and texts alike, whatever the database is set to', async () => {
    const { ownerUrl, drop } = await databaseWith(oddSettings)
    const db = openDatabase(ownerUrl, { max: 1, onError: () => {} })
    const client = newClient(ownerUrl)
    await client.connect()
    try {
      assert.deepEqual(await db.query(text), [right])
      assert.deepEqual(await db.row(sqlOfAll('test.time', text)), right)
      // graphile-worker uses the pool directly.
      assert.deepEqual((await db.pool.query(text)).rows, [right])
      assert.deepEqual((await client.query(text)).rows, [right])
    } finally {
      await client.end()
      await db.close()
      await drop()
    }
  })

  it('fails to read a time in another form, and answers no empty one', async () => {
    const { ownerUrl, drop } = await newDatabase()
    const db = openDatabase(ownerUrl, { max: 1, onError: () => {} })
    try {
      for (const style of ['SQL, DMY', 'Postgres', 'German']) {
        await db.query(`set datestyle = '${style}'`)
        await assert.rejects(
          db.query('select now() as at'),
          /which is not in ISO's form: its session has another DateStyle/,
        )
      }
    } finally {
      await db.close()
      await drop()
    }
  })

  it('gives records their times over HTTP', async () => {
    const { url, drop } = await databaseWith(oddSettings)
    const server = await startServer({ DATABASE_URL: url })
    try {
      const { status, body } = await server.call('POST', '/payments', {
        reference: 's-1',
        amount: 500_000,
        currency: 'ngn',
      })
      assert.equal(status, 201)
      for (const name of ['created_at', 'updated_at', 'expires_at'])
        assert.match(body.data[name], /^20\d\d-\d\d-\d\dT[\d:.]+Z$/)
    } finally {
      await server.stop()
      await drop()
    }
  })

  it('that would have writes fail stops the start, by name', async () => {
    const { url, ownerUrl, drop } = await databaseWith([
      "default_transaction_isolation = 'repeatable read'",
    ])
    try {
      const refused = (error: Error): boolean =>
        error instanceof MigrationError &&
        error.message.includes("default_transaction_isolation = 'repeatable read'")
      await assert.rejects(prepareSchema({ url, ownerUrl: null }), refused)
      await assert.rejects(migrate(ownerUrl), refused)
    } finally {
      await drop()
    }
  })
})

describe('a database that cannot hold every name', () => {
  it('is refused before it gets a schema', async () => {
    const { superuserUrl, ownerUrl, drop } = await newDatabase('template1')
    const name = `latin_${process.pid}`
    await runAs(
      superuserUrl,
      `create database ${name} encoding 'LATIN1' locale 'C' template template0 owner bursar`,
    )
    const at = ownerUrl.replace(/\/test_\w+\?/, `/${name}?`)
    try {
      await assert.rejects(migrate(at), /The database has the encoding LATIN1/)
      const { rows } = await runAs(at, `select from pg_class where relname = 'schema_migrations'`)
      assert.equal(rows.length, 0)
    } finally {
      await runAs(superuserUrl, `drop database ${name} with (force)`)
      await drop()
    }
  })
})
