import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { newDatabase, type TestDatabase } from '../../../test/support/cluster.ts'
import {
  bankPayout,
  listAll,
  makeCall,
  must,
  startServer,
  type TestServer,
} from '../../../test/support/harness.ts'
import { open, serve } from '../../app/main.ts'
import { readConfig } from '../../lib/config.ts'
import { newId } from '../../lib/ids.ts'
import { newClient } from '../db.ts'
import {
  lockMigrations,
  MigrationError,
  migrate,
  migrateAsOwner,
  prepareSchema,
  requireSchema,
} from './migrate.ts'

const settings = {
  PORT: '0',
  SECRETS_KEY: 'ab'.repeat(32),
  RATE_LIMIT_MAX: '0',
  SANDBOX_DELAY: '0s',
  LOG_LEVEL: 'fatal',
}

/**
 * Returns the serving role's privileges on a table as letters: select, insert, update, delete,
 * truncate, references, trigger; in lower case for columns.
 */
const rightsOn = async (
  database: { asOwner(text: string): Promise<{ rows: unknown[] }> },
  table: string,
) => {
  const { rows } = await database.asOwner(
    `select concat(${['SELECT', 'INSERT', 'UPDATE', 'DELETE', 'TRUNCATE', 'REFERENCES', 'TRIGGER']
      .map(
        (right) =>
          `case when has_table_privilege('bursar_server', '${table}', '${right}') then '${right} ' end`,
      )
      .join()}) as rights`,
  )
  return (rows as { rights: string }[])[0]?.rights.trim()
}

describe('the role that serves', () => {
  let server: TestServer
  before(async () => {
    server = await startServer()
    await server.fund('ngn', 1_000_000)
    await must(server.call('POST', '/payouts', bankPayout('one', 100_000)))
  })
  after(() => server.stop())

  it('cannot tamper with what is append-only, with what refuses it, or with its own rights', async () => {
    const client = newClient(server.databaseUrl)
    await client.connect()
    try {
      const { rows } = await client.query('select current_user as role')
      assert.equal(rows[0].role, 'bursar_server')
      // PostgreSQL only warns that nothing was granted; the update below is refused.
      await client.query('grant update on ledger_postings to bursar_server')
      for (const text of [
        'alter table ledger_postings disable trigger all',
        'alter table ledger_postings disable trigger ledger_postings_append_only',
        'alter table events disable trigger user',
        'alter table events alter column position set default 0',
        'alter table ledger_accounts drop constraint ledger_accounts_no_overdraft',
        'alter table ledger_accounts add column note text',
        'alter table ledger_accounts owner to bursar_server',
        'drop trigger ledger_postings_append_only on ledger_postings',
        'drop table ledger_postings',
        'drop schema public cascade',
        'truncate ledger_postings',
        'truncate timers',
        'create trigger tampering before insert on ledger_postings for each row execute function refuse_change()',
        'create rule tampering as on insert to ledger_postings do instead nothing',
        'create index tampering on ledger_postings (amount)',
        'create table tampering (id text)',
        'create or replace function refuse_change() returns trigger language plpgsql as $$ begin return new; end $$',
        'create function public.tampering() returns int language sql as $$ select 1 $$',
        'create function graphile_worker.tampering() returns int language sql as $$ select 1 $$',
        'alter function refuse_change() rename to allow_change',
        'alter function keep_event_positions() security invoker',
        'drop function refuse_change() cascade',
        `set session_replication_role = 'replica'`,
        'set role bursar',
        'set session authorization bursar',
        'grant bursar to bursar_server',
        'alter role bursar_server superuser',
        'alter role bursar_server set session_replication_role = replica',
        `alter role bursar password 'mine'`,
        'create role tampering',
        'create schema tampering',
        `copy (select 1) to program 'true'`,
        `update pg_trigger set tgenabled = 'D'`,
        'do $$ begin lock table ledger_postings in access exclusive mode; end $$',
        'update ledger_postings set amount = amount + 1',
        'delete from ledger_postings',
        'delete from ledger_accounts',
        'update ledger_accounts set overdraft = true',
        `update ledger_accounts set currency = 'usd'`,
        `update events set body = ''`,
        'delete from events',
        'delete from event_resends',
        'update event_positions set base = 0',
        'delete from schema_migrations',
        'insert into graphile_worker.migrations (id) values (1000)',
      ])
        await assert.rejects(client.query(text), { code: '42501' }, text)
    } finally {
      await client.end()
    }
  })

  it('may do of each table what the table does not refuse, and no more, also where a migration adds one', async () => {
    const { rows: tables } = (await server.asOwner(
      `select c.oid::regclass::text as name from pg_class c
        where relkind in ('r', 'p') and relnamespace in ('public'::regnamespace, 'graphile_worker'::regnamespace)`,
    )) as { rows: { name: string }[] }
    assert.ok(tables.length > 50)
    for (const { name } of tables)
      assert.doesNotMatch((await rightsOn(server, name)) as string, /TRUNCATE|REF|TRIGGER/, name)
    for (const table of ['ledger_postings', 'events', 'event_resends'])
      assert.equal(await rightsOn(server, table), 'SELECT INSERT', table)
    assert.equal(await rightsOn(server, 'ledger_accounts'), 'SELECT INSERT')
    assert.equal(await rightsOn(server, 'timers'), 'SELECT INSERT UPDATE DELETE')
    assert.equal(await rightsOn(server, 'schema_migrations'), 'SELECT')

    await server.asOwner(`
      create table notes (id serial primary key, text text, kept text);
      create table marks (text text);
      grant truncate on marks to bursar_server;
      create table log (text text);
      create trigger log_append_only before update or delete on log for each statement execute function refuse_change();
      create trigger notes_kept before update of kept on notes for each row execute function refuse_change();`)
    // The serving role is not named: it served before.
    await migrate(server.ownerUrl)
    assert.equal(await rightsOn(server, 'marks'), 'SELECT INSERT UPDATE DELETE')
    assert.equal(await rightsOn(server, 'log'), 'SELECT INSERT')
    assert.equal(await rightsOn(server, 'notes'), 'SELECT INSERT DELETE')
    const { db } = server.app
    await db.query(`insert into notes (text) values ('a')`)
    await db.query(`update notes set text = 'b'`)
    await assert.rejects(db.query(`update notes set kept = 'b'`), { code: '42501' })
    await db.query(`update marks set text = 'b'`)
    await server.asOwner(
      'create trigger marks_append_only before update or delete on marks for each statement execute function refuse_change()',
    )
    await migrate(server.ownerUrl)
    assert.equal(await rightsOn(server, 'marks'), 'SELECT INSERT')
    await server.asOwner('drop table notes, marks, log')
  })

  it('is granted nothing of what is not the owner’s', async () => {
    const admin = newClient(server.superuserUrl)
    await admin.connect()
    await admin.query('create table of_others (text text)')
    await admin.end()
    await migrate(server.ownerUrl)
    assert.equal(await rightsOn(server, 'of_others'), '')
  })

  it('cannot lead the functions of the owner elsewhere', async () => {
    const client = newClient(server.databaseUrl)
    await client.connect()
    await client.query(`create temporary table events (position bigint);
                        create temporary table event_positions (one boolean, base bigint);
                        insert into events values (9e15); insert into event_positions values (true, 5);
                        set search_path = pg_temp, public`)
    await client.query('select public.keep_event_positions()')
    assert.deepEqual((await client.query('select base from event_positions')).rows, [{ base: 5n }])
    await client.end()
    const { rows } = (await server.asOwner(
      `select p.proname, p.pronargs, p.proconfig, has_function_privilege('public', p.oid, 'execute') as anyone
         from pg_proc p where p.prosecdef and p.pronamespace in ('public'::regnamespace, 'graphile_worker'::regnamespace)`,
    )) as { rows: { proname: string; pronargs: number; proconfig: string[]; anyone: boolean }[] }
    assert.ok(rows.some(({ proname }) => proname === 'keep_event_positions'))
    for (const { proname, pronargs, proconfig, anyone } of rows) {
      assert.equal(pronargs, 0, proname)
      assert.deepEqual(proconfig, ['search_path=pg_catalog, pg_temp'], proname)
      assert.equal(anyone, false, proname)
    }
  })

  it('starts on a restored database and serves it, by itself', async () => {
    // The state after pg_restore: rows with positions far ahead of the new server's.
    const [{ position } = { position: 0n }] = await server.app.db.query<{ position: bigint }>(
      'select max(position) as position from events',
    )
    const future = position + 5_000_000n
    await server.app.db.query(
      `insert into events (business_id, livemode, id, type, body, created_at, position)
       values ($1, false, $2, 'payout.initiated', '{"type":"payout.initiated","payload":{"id":"restored"}}', now(), $3)`,
      [server.businessId, newId(new Date()), future],
    )
    const opened = await open(readConfig({ ...settings, DATABASE_URL: server.databaseUrl }), 'all')
    const running = await serve(opened)
    try {
      const call = makeCall(running.url, server.testKey)
      const { id } = await must(call('POST', '/payouts', bankPayout('restored', 100_000)))
      const [event] = await server.app.db.query<{ position: bigint }>(
        `select position from events where body::jsonb->'payload'->>'id' = $1 order by position limit 1`,
        [id],
      )
      assert.ok((event?.position as bigint) > future)
      assert.equal((await listAll(call, '/payouts')).length, 2)
      assert.equal((await call('GET', '/health')).status, 200)
    } finally {
      await running.stop()
      await opened.close()
    }
  })
})

describe('a database of the operator', () => {
  let database: TestDatabase
  before(async () => {
    database = await newDatabase('template1')
  })
  after(() => database.drop())
  const serving = () => ({ url: database.url, ownerUrl: null })
  const both = () => ({ url: database.url, ownerUrl: database.ownerUrl })

  it('must be named for the role that serves, where it is for the owner', async () => {
    const given = { ...settings, MIGRATE_DATABASE_URL: database.ownerUrl }
    await assert.rejects(
      open(readConfig(given), 'all'),
      /^Error: MIGRATE_DATABASE_URL: needs DATABASE_URL/,
    )
    assert.throws(() => readConfig({ MIGRATE_DATABASE_URL: 'mysql://secret' }), {
      message:
        /^MIGRATE_DATABASE_URL: must start with postgres:\/\/, such as postgres:\/\/bursar_server:/,
    })
  })

  it('whose migrations a session keeps locked waits for work, and names who does none', async () => {
    const [holder, other] = [newClient(serving().url), newClient(serving().url)]
    await holder.connect()
    await other.connect()
    const lock = `hashtext('bursar.migrate')`
    const { rows } = await holder.query(
      `select pg_backend_pid() as pid from (select pg_advisory_lock(${lock})) as locked`,
    )
    for (const kind of ['shared', 'exclusive'] as const)
      await assert.rejects(
        lockMigrations(other, kind, { afterMs: 20, mostIdleMs: 0 }),
        (error) =>
          error instanceof MigrationError &&
          error.message.includes(`does nothing: process ${rows[0].pid} of role bursar_server`),
      )
    const waits = lockMigrations(other, 'exclusive', { afterMs: 20 })
    await holder.query(`select pg_advisory_unlock(${lock})`)
    await waits
    await Promise.all([holder.end(), other.end()])
  })

  it('that is empty needs the owner', async () => {
    for (const ready of [prepareSchema, requireSchema])
      await assert.rejects(
        ready(serving()),
        /has no schema, and the role bursar_server may not make one: run `bursar migrate`/,
      )
    await assert.rejects(
      migrateAsOwner(serving()),
      /bursar_server of DATABASE_URL may not change the schema: give MIGRATE_DATABASE_URL/,
    )
  })

  it('whose owner has migrated serves no role before it is granted', async () => {
    await migrate(database.ownerUrl)
    const { rows: unchecked } = await database.asOwner(
      'select conname from pg_constraint where not convalidated',
    )
    assert.deepEqual(unchecked, [])
    for (const ready of [prepareSchema, requireSchema])
      await assert.rejects(
        ready(serving()),
        /bursar_server may not do what this version needs \(grant .*\): run `bursar migrate`/,
      )
    await assert.rejects(
      migrateAsOwner({
        ...both(),
        url: database.superuserUrl.replace(/\/test_\w+\?/, '/postgres?'),
      }),
      /one database/,
    )
    await migrateAsOwner(both())
    await prepareSchema(serving())
    await requireSchema(serving())
  })

  it('that is behind is refused by a role that cannot upgrade it, and upgraded by the owner', async () => {
    await database.asOwner('drop table dispute_files, dispute_evidence, kept_pages')
    await database.asOwner(`delete from schema_migrations where name like '0015%'`)
    for (const ready of [prepareSchema, requireSchema])
      await assert.rejects(
        ready(serving()),
        /lacks migration 0015-evidence.sql: run `bursar migrate` to upgrade it/,
      )
    await prepareSchema(both())
    await prepareSchema(serving())
    await database.asOwner(
      'delete from graphile_worker.migrations where id = (select max(id) from graphile_worker.migrations)',
    )
    await assert.rejects(
      prepareSchema(serving()),
      /tables of jobs are of another version: run `bursar migrate`/,
    )
    await assert.rejects(
      prepareSchema(serving()),
      /tables of jobs are of another version: run `bursar migrate`/,
    )
  })

  it('that a checkout from before the first release made is refused, and stays as it was', async (t) => {
    const old = await newDatabase('template1')
    t.after(() => old.drop())
    // The oldest checkouts recorded less about a migration, and used some numbers that this server
    // knows.
    await old.asOwner(`create table schema_migrations (name text primary key, checksum text not null);
      insert into schema_migrations values ('0001-foundation.sql', 'x'), ('0002-businesses.sql', 'y'), ('0009-fewer-indexes.sql', 'z');
      create table businesses (id text)`)
    const refusal =
      'The database was made before the first release of Bursar (migration 0001-foundation.sql), and no version upgrades it. Start with an empty database.'
    const access = { url: old.ownerUrl, ownerUrl: null }
    for (const ready of [prepareSchema, requireSchema, migrateAsOwner])
      await assert.rejects(ready(access), { constructor: MigrationError, message: refusal })
    const { rows } = await old.asOwner(
      `select relname from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace order by 1`,
    )
    assert.deepEqual(rows, [{ relname: 'businesses' }, { relname: 'schema_migrations' }])
  })
})
