/**
 * Plain numbered SQL files, applied in order, each in its own transaction, under an advisory lock;
 * checksummed; forward only.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { Logger, runMigrations } from 'graphile-worker'
import type { Clock } from '../../lib/clock.ts'
import { type Database, isSqlError, newClient, openDatabase } from '../db.ts'
import { type Migration, numberOf, ownNumber, readMigrations } from './migrations.ts'
import { grantServing, lackingPrivileges, type Standing, standingOf } from './roles.ts'

const quiet = new Logger(() => () => {})

const leastVersion = 150_000

/** The database's schema and this server do not fit together. */
export class MigrationError extends Error {}

/**
 * How the database is reached: as the role that serves and, where another has the tables and
 * migrates, as that.
 */
export type Access = { url: string; ownerUrl: string | null }

type Report = (done: number, total: number) => void

/**
 * Brings the schema up to this version of the server, what serving roles are granted with it, and
 * the positions of events above those of a restored dump.
 * @param url as the owner of the tables
 * @param serving a role that is to serve from now on; those that do already need no naming
 * @param report is told how many of the missing migrations are applied
 * @param which `new`: all but second halves, which an empty database gets at once; names: as far as
 * these, to have the schema of another
 * database, whose migrations they are; `finish`: also second halves, when `mayFinish` does not
 * throw
 * @returns the names of the migrations that were applied now
 * @throws {MigrationError} when an applied file has changed, or the database is newer than this
 * server understands
 */
export async function migrate(
  url: string,
  serving: string | null = null,
  report: Report = () => {},
  which: Which = 'new',
): Promise<string[]> {
  return on(url, async (client) => {
    const { empty } = await standingOf(client)
    await assertSuitable(client)
    await client.query(`select pg_advisory_lock(hashtext('bursar.migrate'))`)
    await client.query(
      `create table if not exists schema_migrations (
        name text primary key, checksum text not null, applied_at timestamptz not null default now(), understood_from integer)`,
    )
    const done: string[] = []
    const missing = (await missingIn(client)).filter((one) => isAsked(one, which, empty))
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

/** Which migrations are applied, of those that a database lacks. */
type Which =
  | 'new'
  | readonly string[]
  | { mayFinish(client: Client, missing: Migration[]): Promise<void> }

function isAsked({ name, finishes }: Migration, which: Which, empty: boolean): boolean {
  if (which === 'new') return empty || !finishes
  return 'mayFinish' in which || which.includes(name)
}

/**
 * How long a migration waits for a table that is in use before it lets go, so that what waits
 * behind it goes on, and how often it tries.
 */
const lockWaitMs = 2_000
const lockTries = 60
/**
 * PostgreSQL's `lock_not_available` and `deadlock_detected`: nothing was done, and the other goes
 * on.
 */
const inTheWay = ['55P03', '40P01']

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
      // With the migration: servers of the version before are running, and its triggers may write
      // to its tables.
      await grantServing(client, serving)
      await client.query('commit')
      return
    } catch (error) {
      await client.query('rollback')
      if (!inTheWay.includes((error as { code?: string }).code ?? '') || tries === lockTries)
        throw new MigrationError(`Migration ${name} failed: ${(error as Error).message}`, {
          cause: error,
        })
      await sleep(lockWaitMs / 4)
    }
  }
}

/**
 * Brings the schema up to date by the owner of the tables, and grants the role that serves what it
 * needs.
 * @throws {MigrationError} also when there is no owner, and the role that serves is none
 */
export async function upgrade(
  { url, ownerUrl }: Access,
  report?: Report,
  which: Which = 'new',
): Promise<void> {
  const { role, migrates } = await on(url, standingOf)
  if (ownerUrl === null) {
    if (!migrates)
      throw new MigrationError(
        `The role ${role} of DATABASE_URL may not change the schema: give MIGRATE_DATABASE_URL, of the role that owns the tables.`,
      )
    await migrate(url, null, report, which)
    return
  }
  await migrate(ownerUrl, role, report, which)
  await on(url, async (client) => {
    const standing = await standingOf(client)
    if (standing.empty)
      throw new MigrationError(
        'MIGRATE_DATABASE_URL has a schema that DATABASE_URL does not see: both must lead to one database, with the same search_path.',
      )
    await assertFits(client, standing)
  })
}

/**
 * Makes a schema ready to be served: brings it up to date where the owner is known, or serves
 * itself. Else it must be up to date.
 * @throws {MigrationError} when the schema does not fit, or the role that serves lacks privileges
 */
export async function prepare(access: Access): Promise<void> {
  if (access.ownerUrl !== null || (await on(access.url, standingOf)).migrates)
    return upgrade(access)
  await requireSchema(access)
  await on(access.url, (client) => client.query('select keep_event_positions()'))
  await migrateJobs(access.url).catch((error) => {
    // Only who finds them of another version asks for more than to read.
    if (!isSqlError(error, '42501')) throw error
    throw new MigrationError(
      'The tables of jobs are of another version: run `bursar migrate` to upgrade them.',
    )
  })
}

/**
 * Makes sure that the schema is this version's, and gives an empty database its schema. Writes
 * nothing to any other: servers of another version may be running on it, and a replica cannot be
 * written to.
 * @throws {MigrationError} when the schema is older or newer than this version, an applied file has
 * changed, or privileges are lacking
 */
export async function requireSchema(access: Access): Promise<void> {
  const { empty, migrates, role } = await on(access.url, async (client) => {
    // Whoever brings it up to date right now is waited for.
    await client.query(`select pg_advisory_lock_shared(hashtext('bursar.migrate'))`)
    const standing = await standingOf(client)
    if (!standing.empty) await assertFits(client, standing)
    return standing
  })
  if (!empty) return
  if (access.ownerUrl === null && !migrates)
    throw new MigrationError(
      `The database has no schema, and the role ${role} may not make one: run \`bursar migrate\` with MIGRATE_DATABASE_URL, of the role that is to own the tables.`,
    )
  await upgrade(access)
}

type Client = Pick<ReturnType<typeof newClient>, 'query'>

/**
 * Checks the server, the database and what its sessions are set to, before anything is done with
 * them.
 * @throws {MigrationError} when Bursar cannot work with one of them; the message names it and says
 * how to change it
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
  // Sessions ask for ISO as they start: a pooler that does not pass it on is in between.
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
 * Holds a schema against this version.
 * @throws {MigrationError} when it lacks something, or has what this version does not understand
 */
export async function assertFits(client: Client, { role, reads }: Standing): Promise<void> {
  await assertSuitable(client)
  const [missing] = reads ? (await missingIn(client)).filter(({ finishes }) => !finishes) : []
  if (missing)
    throw new MigrationError(
      `The database lacks migration ${missing.name}: run \`bursar migrate\` to upgrade it.`,
    )
  const [lacking] = await lackingPrivileges(client)
  if (lacking)
    throw new MigrationError(
      `The role ${role} may not do what this version needs (${lacking}): run \`bursar migrate\`, as the owner of the tables, which grants it.`,
    )
}

/**
 * How a database is to this version: `misfit` says what is wrong with its schema, or with what its
 * role may do, and what mends it.
 */
export type Inspected = Pick<Standing, 'role' | 'power'> & {
  version: string
  supported: boolean
  misfit: string | null
  /** Second halves of migrations that wait. */
  unfinished: string[]
  /**
   * How far its clock is ahead of this machine's, and how far off that may be, as the question took
   * its time. Milliseconds.
   */
  aheadMs: number
  unsureMs: number
}

/** Looks at a database, and writes nothing. @param clock this machine's */
export async function inspect({ pool }: Database, clock: Clock): Promise<Inspected> {
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
 * Why the role of this URL could undo what the tables refuse, as `the role x owns the tables`; null
 * when it could not.
 */
export async function powerOf(url: string): Promise<string | null> {
  const { role, power } = await on(url, standingOf)
  return power && `the role ${role} ${power}`
}

/** Runs `work` on a session of its own. */
async function on<T>(
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
 * @throws {MigrationError} when the database has others or changed ones, or was made before the
 * first release
 */
async function missingIn(client: Client): Promise<Migration[]> {
  const known = readMigrations()
  const { rows: names } = await client.query<{ name: string }>(
    'select name from schema_migrations order by name',
  )
  // Checkouts from before the first release had other migrations, some of them under numbers that
  // this server knows.
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

/**
 * On a pool of ours: the embedded PostgreSQL may stop right after, which a pool of theirs would die
 * of.
 */
async function migrateJobs(url: string): Promise<void> {
  const db = openDatabase(url, { max: 2, onError() {} })
  try {
    await runMigrations({ pgPool: db.pool, logger: quiet })
  } finally {
    await db.close()
  }
}

/** The names of the migrations that a database has. */
export function appliedMigrations(url: string): Promise<string[]> {
  return on(url, async (client) => {
    if ((await standingOf(client)).empty) return []
    const { rows } = await client.query<{ name: string }>(
      'select name from schema_migrations order by name',
    )
    return rows.map(({ name }) => name)
  })
}

/** The names of the migrations that a database must have for this server. */
export function expectedMigrations(): string[] {
  return readMigrations().flatMap(({ name, finishes }) => (finishes ? [] : [name]))
}

/** The names of the second halves that a database may get by `bursar migrate --finish`. */
export const unfinishedIn = (url: string): Promise<string[]> => on(url, secondHalves)

async function secondHalves(client: Client): Promise<string[]> {
  return (await missingIn(client)).flatMap(({ name, finishes }) => (finishes ? [name] : []))
}
