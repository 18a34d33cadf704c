/**
 * The database of an earlier release, as rows: what the tables are is said by the migrations, which never change once they are released.
 */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { runMigrations } from 'graphile-worker'
import pg from 'pg'
import type { Json } from '../harness.ts'

/** What the release was asked, and answered. */
export type Header = {
  release: string
  /** When it was stopped. */
  at: string
  testKey: string
  webhook: { id: string; secret: string }
  /** A request with an `Idempotency-Key`, and its answer. */
  asked: { path: string; body: Json; key: string; answer: Json }
  /** What lists and wallets were. */
  answers: Record<string, Json>
  sequences: { name: string; value: string }[]
}
export type Fixture = Header & { tables: { name: string; columns: string; rows: string }[] }

/** Those whose data are kept. */
export const releases = ['0.1.0-999e688']

export const secretsKey = 'cd'.repeat(32)

export const fileOf = (release: string): string => join(import.meta.dirname, `${release}.gz`)

export function readFixture(release: string): Fixture {
  const [header = '', ...lines] = gunzipSync(readFileSync(fileOf(release)))
    .toString('utf8')
    .trimEnd()
    .split('\n')
  const tables = lines.map((line) => line.split('\t') as [string, string, string])
  return { ...(JSON.parse(header) as Header), tables: tables.map(([name, columns, rows]) => ({ name, columns, rows })) }
}

/**
 * Puts the rows into an empty database, in the tables that they were in.
 * @throws {Error} when a migration that the release had applied is another now
 */
export async function restoreFixture(
  { tables, sequences }: Fixture,
  { ownerUrl, superuserUrl }: { ownerUrl: string; superuserUrl: string },
): Promise<void> {
  const applied = JSON.parse(tables.find(({ name }) => name === 'schema_migrations')?.rows ?? '[]') as {
    name: string
    checksum: string
  }[]
  assert.ok(applied.length > 0)
  await on(ownerUrl, async (client) => {
    await client.query(
      `create table schema_migrations (
        name text primary key, checksum text not null, applied_at timestamptz not null default now())`,
    )
    for (const { name, checksum } of applied.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const text = readFileSync(join(import.meta.dirname, '../../../src/db/migrations', name), 'utf8')
      assert.equal(createHash('sha256').update(text).digest('hex'), checksum, `${name} is as it was released`)
      await client.query(text)
    }
  })
  await runMigrations({ connectionString: ownerUrl })
  await on(superuserUrl, async (client) => {
    await client.query('begin')
    // The triggers have run when the rows were written.
    await client.query(`set local session_replication_role = 'replica'`)
    for (const { name, columns, rows } of tables) {
      await client.query(`delete from ${name}`)
      await client.query(
        `insert into ${name} (${columns}) overriding system value
         select ${columns} from json_populate_recordset(null::${name}, $1::json)`,
        [rows],
      )
    }
    for (const { name, value } of sequences) await client.query('select setval($1, $2)', [name, value])
    await client.query('commit')
  })
}

async function on(url: string, work: (client: pg.Client) => Promise<void>): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await work(client)
  } finally {
    await client.end()
  }
}
