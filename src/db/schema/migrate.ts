/**
 * Applies numbered SQL migrations in order, each in a transaction, under an advisory lock. They are
 * checksummed and never undone.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { Logger, runMigrations } from 'graphile-worker'
import type { Clock } from '../../lib/clock.ts'
import { type Database, isSqlError, newClient, openDatabase } from '../db.ts'
import { type Migration, numberOf, ownNumber, readMigrations } from './migrations.ts'
import { grantServing, lackingPrivileges, type Standing, standingOf } from './roles.ts'

const quiet = new Logger(() => () => {})

const leastVersion = 150_000

/** The schema of the database does not fit this server. */
export class MigrationError extends Error {}

/** The database as the serving role, and as the owner of the tables if that is another role. */
export type Access = { url: string; ownerUrl: string | null }

type Report = (done: number, total: number) => void

/**
 * Migrates the schema to this version, grants serving roles their privileges, and raises event
 * positions above those of a restored dump.
 * @param url connects as the owner of the tables
 * @param serving a role that is to serve; roles that already serve need no naming
 * @param report is called with the number of missing migrations that are applied
 * @param which `new`: all except second halves, which an empty database gets too. Names: up to
 * these, to get the schema of another database. `mayFinish`: also second halves, if it does not
 * throw
 * @returns the names of the applied migrations
 * @throws {MigrationError} if an applied file has changed, or the database is newer than this
 * server understands
 */
export async function migrate(
  url: string,
  serving: string | null = null,
  report: Report = () => {},
  which: Which = 'new',
): Promise<string[]> {
  return withSession(url, async (client) => {
    const { empty } = await standingOf(client)
    await assertSuitable(client)
    await lockMigrations(client, 'exclusive')
    await client.query(
      `create table if not exists schema_migrations (
        name text primary key, checksum text not null, applied_at timestamptz not null default now(), understood_from integer)`,
    )
    const done: string[] = []
    const missing = (await missingMigrations(client)).filter((one) => isAsked(one, which, empty))
    if (typeof which === 'object' && 'mayFinish' in which) await which.mayFinish(client, missing)
    for (const migration of missing) {
      report(done.length, missing.length)
      await apply(client, migration, serving)
      done.push(migration.name)
    }
    await client.query('select keep_event_positions()')
    await migrateJobs(url)
    await grantServing(client, serving)
    report(done.length, done.length)
    return done
  })
}

/** Which of the missing migrations to apply. */
type Which =
  | 'new'
  | readonly string[]
  | { mayFinish(client: Client, missing: Migration[]): Promise<void> }

function isAsked({ name, finishes }: Migration, which: Which, empty: boolean): boolean {
  if (which === 'new') return empty || !finishes
  return 'mayFinish' in which || which.includes(name)
}

/**
 * How long a migration waits for a table in use before it releases its locks and retries, and how
 * often.
 */
const lockWaitMs = 2_000
const lockTries = 60
/** SQLSTATEs to retry: `lock_not_available` and `deadlock_detected`. */
const retriedStates = ['55P03', '40P01']

async function apply(
  client: Client,
  { name, text, checksum, understoodFrom }: Migration,
  serving: string | null,
) {
  for (let tries = 1; ; tries++) {
    await client.query('begin')
    try {
      await client.query(`set local lock_timeout = ${lockWaitMs}`)
      await client.query(text)
      const row = [name, checksum, understoodFrom]
      await client.query(
        'insert into schema_migrations (name, checksum, understood_from) values ($1, $2, $3)',
        row,
      )
      // In the migration's transaction: servers of the previous version run, and its triggers may
      // write to its tables.
      await grantServing(client, serving)
      await client.query('commit')
      return
    } catch (error) {
      await client.query('rollback')
      if (!retriedStates.includes((error as { code?: string }).code ?? '') || tries === lockTries)
        throw new MigrationError(`Migration ${name} failed: ${(error as Error).message}`, {
          cause: error,
        })
      await sleep(lockWaitMs / 4)
    }
  }
}

/**
 * Migrates as the owner of the tables and grants the serving role its privileges.
 * @throws {MigrationError} also if no owner is known and the serving role does not own the tables
 */
export async function migrateAsOwner(
  { url, ownerUrl }: Access,
  report?: Report,
  which: Which = 'new',
): Promise<void> {
  const { role, migrates } = await withSession(url, standingOf)
  if (ownerUrl === null) {
    if (!migrates)
      throw new MigrationError(
        `The role ${role} of DATABASE_URL may not change the schema: give MIGRATE_DATABASE_URL, of the role that owns the tables.`,
      )
    await migrate(url, null, report, which)
    return
  }
  await migrate(ownerUrl, role, report, which)
  await withSession(url, async (client) => {
    const standing = await standingOf(client)
    if (standing.empty)
      throw new MigrationError(
        'MIGRATE_DATABASE_URL has a schema that DATABASE_URL does not see: both must lead to one database, with the same search_path.',
      )
    await assertFits(client, standing)
  })
}

/**
 * Prepares a schema for serving: migrates it if the owner is known or serves; else it must be up to
 * date.
 * @throws {MigrationError} if the schema does not fit, or the serving role lacks privileges
 */
export async function prepareSchema(access: Access): Promise<void> {
  if (access.ownerUrl !== null || (await withSession(access.url, standingOf)).migrates)
    return migrateAsOwner(access)
  await requireSchema(access)
  await withSession(access.url, (client) => client.query('select keep_event_positions()'))
  await migrateJobs(access.url).catch((error) => {
    // More than read access is needed only if the tables of jobs have another version.
    if (!isSqlError(error, '42501')) throw error
    throw new MigrationError(
      'The tables of jobs are of another version: run `bursar migrate` to upgrade them.',
    )
  })
}

/**
 * Checks that the schema has this version; only an empty database gets its schema. Nothing else is
 * written: servers of another version may be running, and a replica is read-only.
 * @throws {MigrationError} if the schema is older or newer, an applied file has changed, or
 * privileges are missing
 */
export async function requireSchema(access: Access): Promise<void> {
  const { empty, migrates, role } = await withSession(access.url, async (client) => {
    // Waits for a running migration.
    await lockMigrations(client, 'shared')
    const standing = await standingOf(client)
    if (!standing.empty) await assertFits(client, standing)
    return standing
  })
  if (!empty) return
  if (access.ownerUrl === null && !migrates)
    throw new MigrationError(
      `The database has no schema, and the role ${role} may not make one: run \`bursar migrate\` with MIGRATE_DATABASE_URL, of the role that is to own the tables.`,
    )
  await migrateAsOwner(access)
}

type Client = Pick<ReturnType<typeof newClient>, 'query'>

const lookAfterMs = 10_000
/** A migration is idle for less than this, while its other connection makes the tables of jobs. */
const usualIdleMs = 60_000

type Holder = { pid: number; role: string; address: string; idleMs: number | null }

/** Who holds the lock of migrations. The state of another role's session is not shown. */
const holdersQuery = `select pid, usename as role, coalesce(client_addr::text, 'this machine') as address,
         case when state = 'idle' then extract(epoch from clock_timestamp() - state_change)::float8 * 1000 end as "idleMs"
    from pg_locks join pg_stat_activity using (pid)
   where locktype = 'advisory' and granted and objsubid = 1 and pid <> pg_backend_pid()
     and database = (select oid from pg_database where datname = current_database())
     and ((classid::bigint << 32) | objid::bigint) = hashtext('bursar.migrate')`

/**
 * Takes the lock of migrations for this session. Waits while its holder works.
 * @param kind `shared`: only keeps others from migrating
 * @throws {MigrationError} if the holder has been idle for `mostIdleMs`, such as a session that a
 * pooler keeps
 */
export async function lockMigrations(
  client: Client,
  kind: 'shared' | 'exclusive',
  { afterMs = lookAfterMs, mostIdleMs = usualIdleMs } = {},
): Promise<void> {
  const lock = `select pg_advisory_lock${kind === 'shared' ? '_shared' : ''}(hashtext('bursar.migrate'))`
  for (;;)
    try {
      await client.query(`set lock_timeout = ${afterMs}`)
      await client.query(lock)
      return
    } catch (error) {
      if (!isSqlError(error, '55P03')) throw error
      const { rows } = await client.query<Holder>(holdersQuery)
      const idle = rows.find(({ idleMs }) => idleMs !== null && idleMs >= mostIdleMs)
      if (idle)
        throw new MigrationError(
          `The lock of migrations is held by a session that does nothing: process ${idle.pid} of role ${idle.role} from ${idle.address}. If that is no migration, end it with \`select pg_terminate_backend(${idle.pid})\`, and start again.`,
        )
    } finally {
      await client.query('reset lock_timeout')
    }
}

/**
 * Checks the server, the database and the session settings.
 * @throws {MigrationError} with the unsuitable setting and how to change it
 */
async function assertSuitable(client: Client): Promise<void> {
  const { rows } = await client.query<{
    version: number
    encoding: string
    style: string
    isolation: string
  }>(
    `select current_setting('server_version_num')::int as version, current_setting('server_encoding') as encoding,
            current_setting('DateStyle') as style, current_setting('default_transaction_isolation') as isolation`,
  )
  const [
    { version, encoding, style, isolation } = {
      version: 0,
      encoding: '',
      style: '',
      isolation: '',
    },
  ] = rows
  if (version < leastVersion) throw new MigrationError('Bursar needs PostgreSQL 15 or newer.')
  if (encoding !== 'UTF8')
    throw new MigrationError(
      `The database has the encoding ${encoding}, which cannot hold every name: make one by \`create database … encoding 'UTF8' template template0\`.`,
    )
  // Our sessions request ISO at their start: a pooler has dropped the setting.
  if (!style.startsWith('ISO'))
    throw new MigrationError(
      `Sessions have the DateStyle '${style}' though they ask for ISO: have the pooler pass on DateStyle, or set it to ISO for the role.`,
    )
  if (isolation !== 'read committed')
    throw new MigrationError(
      `Sessions have default_transaction_isolation = '${isolation}', with which writes that meet fail: reset it for the database and the role.`,
    )
}

/**
 * Compares a schema with this version.
 * @throws {MigrationError} if it lacks something, or has something that this version does not
 * understand; also if the role lacks privileges
 */
export async function assertFits(client: Client, standing: Standing): Promise<void> {
  await assertUnderstood(client, standing)
  const { role } = standing
  const [lacking] = await lackingPrivileges(client, role)
  if (lacking)
    throw new MigrationError(
      `The role ${role} may not do what this version needs (${lacking}): run \`bursar migrate\`, as the owner of the tables, which grants it.`,
    )
}

/** The same without a look at privileges, which takes longer than the rest. */
export async function assertUnderstood(
  client: Client,
  { reads }: Pick<Standing, 'reads'>,
): Promise<void> {
  await assertSuitable(client)
  const [missing] = reads
    ? (await missingMigrations(client)).filter(({ finishes }) => !finishes)
    : []
  if (missing)
    throw new MigrationError(
      `The database lacks migration ${missing.name}: run \`bursar migrate\` to upgrade it.`,
    )
}

/**
 * The state of a database. `misfit` says what is wrong with its schema or role, and how to fix it.
 */
export type DatabaseState = Pick<Standing, 'role' | 'power'> & {
  version: string
  supported: boolean
  misfit: string | null
  /** Second halves of migrations that are not applied yet. */
  unfinished: string[]
  /**
   * How far its clock is ahead of this machine's, and the uncertainty due to the round trip, in
   * milliseconds.
   */
  aheadMs: number
  unsureMs: number
}

/**
 * Inspects a database without writing.
 * @param clock this machine's
 */
export async function inspectDatabase({ pool }: Database, clock: Clock): Promise<DatabaseState> {
  const client = await pool.connect()
  try {
    const askedAt = clock.now().getTime()
    const { rows } = await client.query<{ version: string; number: number; at: Date }>(
      `select current_setting('server_version') as version, current_setting('server_version_num')::int as number,
              clock_timestamp() as at`,
    )
    const unsureMs = (clock.now().getTime() - askedAt) / 2
    const { version, number, at } = rows[0] as { version: string; number: number; at: Date }
    const standing = await standingOf(client)
    const misfit = standing.empty
      ? 'The database has no schema yet: run `bursar migrate`.'
      : await misfitOf(client, standing)
    return {
      version,
      supported: number >= leastVersion,
      role: standing.role,
      power: standing.power,
      misfit,
      unfinished: misfit === null && standing.reads ? await secondHalves(client) : [],
      aheadMs: at.getTime() - askedAt - unsureMs,
      unsureMs,
    }
  } finally {
    client.release()
  }
}

async function misfitOf(client: Client, standing: Standing): Promise<string | null> {
  try {
    await assertFits(client, standing)
    return null
  } catch (error) {
    if (error instanceof MigrationError) return error.message
    throw error
  }
}

/**
 * Returns why the role of this URL could bypass the tables' protection, such as `the role x owns
 * the tables`; null if it could not.
 */
export async function powerOf(url: string): Promise<string | null> {
  const { role, power } = await withSession(url, standingOf)
  return power && `the role ${role} ${power}`
}

/** Runs `work` on a session of its own. */
async function withSession<T>(
  url: string,
  work: (client: ReturnType<typeof newClient>) => Promise<T>,
): Promise<T> {
  const client = newClient(url)
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

/**
 * @throws {MigrationError} if the database has other or changed migrations, or predates the first
 * release
 */
async function missingMigrations(client: Client): Promise<Migration[]> {
  const known = readMigrations()
  const { rows: names } = await client.query<{ name: string }>(
    'select name from schema_migrations order by name',
  )
  // Checkouts before the first release had other migrations, some with numbers that this server
  // knows.
  if (names[0] && !names.some(({ name }) => name === known[0]?.name))
    throw new MigrationError(
      `The database was made before the first release of Bursar (migration ${names[0].name}), and no version upgrades it. Start with an empty database.`,
    )
  const { rows: applied } = await client.query<{
    name: string
    checksum: string
    understood_from: number | null
  }>('select name, checksum, understood_from from schema_migrations')
  for (const { name, checksum, understood_from: from } of applied) {
    const mine = known.find((migration) => migration.name === name)
    if (!mine && (from ?? numberOf(name)) <= ownNumber()) continue
    if (!mine)
      throw new MigrationError(
        `The database has migration ${name}, which this server does not know. Upgrade the server.`,
      )
    if (mine.checksum !== checksum)
      throw new MigrationError(`Migration ${name} was changed after it was applied.`)
  }
  return known.filter(({ name }) => !applied.some((row) => row.name === name))
}

/** Uses its own pool with an error handler: the embedded PostgreSQL may stop right after. */
async function migrateJobs(url: string): Promise<void> {
  const db = openDatabase(url, { max: 2, onError() {} })
  try {
    await runMigrations({ pgPool: db.pool, logger: quiet })
  } finally {
    await db.close()
  }
}

/** Returns the names of the applied migrations. */
export function appliedMigrations(url: string): Promise<string[]> {
  return withSession(url, async (client) => {
    if ((await standingOf(client)).empty) return []
    const { rows } = await client.query<{ name: string }>(
      'select name from schema_migrations order by name',
    )
    return rows.map(({ name }) => name)
  })
}

/** Returns the names of the migrations that this server requires. */
export function expectedMigrations(): string[] {
  return readMigrations().flatMap(({ name, finishes }) => (finishes ? [] : [name]))
}

/** Returns the names of the second halves that `bursar migrate --finish` would apply. */
export const unfinishedIn = (url: string): Promise<string[]> => withSession(url, secondHalves)

async function secondHalves(client: Client): Promise<string[]> {
  return (await missingMigrations(client)).flatMap(({ name, finishes }) => (finishes ? [name] : []))
}
