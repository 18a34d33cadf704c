/**
 * Plain numbered SQL files, applied in order, each in its own transaction, under an advisory lock; checksummed; forward only.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { Logger, runMigrations } from 'graphile-worker'
import { sha256 } from '../lib/secrets.ts'
import { newClient, openDatabase } from './db.ts'

const directory = new URL('./migrations/', import.meta.url)

const quiet = new Logger(() => () => {})

type Migration = { name: string; text: string; checksum: string }

function migrations(): Migration[] {
  return readdirSync(directory)
    .filter((name) => /^\d{4}-.*\.sql$/.test(name))
    .sort()
    .map((name) => {
      const text = readFileSync(new URL(name, directory), 'utf8')
      return { name, text, checksum: sha256(text).toString('hex') }
    })
}

/** The database's schema and this server do not fit together. */
export class MigrationError extends Error {}

/**
 * Brings the schema up to this version of the server, and the positions of events above those of a restored dump.
 * @returns the names of the migrations that were applied now
 * @throws {MigrationError} when an applied file has changed, or the database is newer than this server
 */
export async function migrate(url: string): Promise<string[]> {
  const client = newClient(url)
  await client.connect()
  try {
    const { rows: version } = await client.query<{ v: number }>(
      `select current_setting('server_version_num')::int as v`,
    )
    if ((version[0]?.v ?? 0) < 150_000) throw new MigrationError('Bursar needs PostgreSQL 15 or newer.')
    await client.query(`select pg_advisory_lock(hashtext('bursar.migrate'))`)
    await client.query(
      `create table if not exists schema_migrations (
        name text primary key, checksum text not null, applied_at timestamptz not null default now())`,
    )
    const done: string[] = []
    for (const { name, text, checksum } of await missingIn(client)) {
      await client.query('begin')
      try {
        await client.query(text)
        await client.query('insert into schema_migrations (name, checksum) values ($1, $2)', [name, checksum])
        await client.query('commit')
      } catch (error) {
        await client.query('rollback')
        throw new MigrationError(`Migration ${name} failed: ${(error as Error).message}`, { cause: error })
      }
      done.push(name)
    }
    await client.query('select keep_event_positions()')
    await migrateJobs(url)
    return done
  } finally {
    await client.end()
  }
}

/**
 * Makes sure that the schema is this version's, and gives an empty database its schema. Writes nothing to any other: servers of
 * another version may be running on it, and a replica cannot be written to.
 * @throws {MigrationError} when the schema is older or newer than this version, or an applied file has changed
 */
export async function requireSchema(url: string): Promise<void> {
  const client = newClient(url)
  await client.connect()
  try {
    // Whoever brings it up to date right now is waited for.
    await client.query(`select pg_advisory_lock_shared(hashtext('bursar.migrate'))`)
    const { rows } = await client.query<{ empty: boolean }>(`select to_regclass('schema_migrations') is null as empty`)
    if (!rows[0]?.empty) {
      const [missing] = await missingIn(client)
      if (!missing) return
      throw new MigrationError(`The database lacks migration ${missing.name}: run \`bursar migrate\` to upgrade it.`)
    }
  } finally {
    await client.end()
  }
  await migrate(url)
}

/** @throws {MigrationError} when the database has others, or changed ones */
async function missingIn(client: ReturnType<typeof newClient>): Promise<Migration[]> {
  const known = migrations()
  const { rows: applied } = await client.query<{ name: string; checksum: string }>(
    'select name, checksum from schema_migrations',
  )
  for (const { name, checksum } of applied) {
    const mine = known.find((migration) => migration.name === name)
    if (!mine)
      throw new MigrationError(
        `The database has migration ${name}, which this server does not know. Upgrade the server.`,
      )
    if (mine.checksum !== checksum) throw new MigrationError(`Migration ${name} was changed after it was applied.`)
  }
  return known.filter(({ name }) => !applied.some((row) => row.name === name))
}

/** On a pool of ours: the embedded PostgreSQL may stop right after, which a pool of theirs would die of. */
async function migrateJobs(url: string): Promise<void> {
  const db = openDatabase(url, { max: 2, onError() {} })
  try {
    await runMigrations({ pgPool: db.pool, logger: quiet })
  } finally {
    await db.close()
  }
}

/** The names of the migrations that a database must have for this server. */
export function expectedMigrations(): string[] {
  return migrations().map((migration) => migration.name)
}
