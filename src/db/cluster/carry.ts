/**
 * Upgrades the embedded database to the major version of PostgreSQL that this Bursar contains. Its
 * package has no pg_upgrade and no pg_dump, so both versions run side by side and COPY moves every
 * row. The old cluster is only read, and is set aside at the end.
 */
import { spawnSync } from 'node:child_process'
import * as fs from 'node:fs'
import { join } from 'node:path'
import type { Duplex } from 'node:stream'
import type pg from 'pg'
import { copyRows, readRows } from '../copy.ts'
import { newClient } from '../db.ts'
import { appliedMigrations, migrate } from '../schema/migrate.ts'
import { knownMigrations } from '../schema/migrations.ts'
import { detachArchive } from './archive.ts'
import { clusterName, sizeOf } from './backup.ts'
import {
  assertRoom,
  BackupError,
  byteCounter,
  type Progress,
  syncFolders,
} from './backup-folder.ts'
import {
  asUser,
  type Binaries,
  findBinaries,
  keepPassable,
  postgresUser,
  versionOf,
} from './binaries.ts'
import {
  carriedName,
  draftName,
  type Embedded,
  EmbeddedInUse,
  majorIn,
  stopCluster,
  useEmbedded,
} from './embedded.ts'
import { freePort } from './embedded-roles.ts'

/** The folder in which the new cluster is built. */
const workName = 'upgrading'

/** Settings for loading without durability: an interrupted new cluster is thrown away. */
const loadingSettings = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  autovacuum: 'off',
  // Rows loaded into a table that the same transaction truncated then need no WAL.
  wal_level: 'minimal',
  max_wal_senders: '0',
}

/** The upgraded cluster: it runs, but is not in its place yet. */
export type UpgradedCluster = Embedded & {
  from: number
  to: number
  tables: number
  rows: number
  /**
   * Stops it and puts it in the place of the old cluster.
   * @returns where the old cluster is kept
   */
  finish(): Promise<string>
  /** Removes it and leaves the old cluster as it was. */
  giveUp(): Promise<void>
}

/** The replacement of the old cluster by the new one. `completeUpgrade` completes an interrupted one. */
type Replacement = { kept: string }

/**
 * Completes an upgrade that was interrupted after all rows were copied.
 * @returns where the old cluster is kept, or null if nothing was interrupted
 */
export async function completeUpgrade(dir: string): Promise<string | null> {
  const said = join(dir, draftName, carriedName)
  if (!fs.existsSync(said)) return null
  const { kept } = JSON.parse(fs.readFileSync(said, 'utf8')) as Replacement
  for (const name of [clusterName, kept]) await stopCluster(join(dir, name))
  return replaceCluster(dir, kept)
}

/**
 * Replaces the old cluster. Idempotent after an interruption.
 * @returns where the old cluster is kept
 */
function replaceCluster(dir: string, kept: string): string {
  const [draft, place, aside] = [join(dir, draftName), join(dir, clusterName), join(dir, kept)]
  const [made, work] = [join(draft, clusterName), join(dir, workName)]
  if (fs.existsSync(made)) {
    detachArchive(dir)
    if (fs.existsSync(place)) fs.renameSync(place, aside)
    fs.renameSync(made, place)
    syncFolders(dir, [])
  }
  // Renamed first: a partly deleted draft would look like an interrupted restore.
  fs.rmSync(work, { recursive: true, force: true })
  fs.renameSync(draft, work)
  fs.rmSync(work, { recursive: true, force: true })
  return aside
}

/**
 * Copies the cluster of a data directory to this version's binaries and starts the copy beside it.
 * @param binaries of the cluster's version
 * @param now names the old cluster
 * @param stop aborts
 * @throws {EmbeddedInUse} if it is in use
 * @throws {BackupError} if it contains data that would be lost, or the disk has too little space
 */
export async function upgradeCluster(
  dir: string,
  binaries: Binaries,
  now: Date,
  stop: AbortSignal,
  onProgress: Progress,
): Promise<UpgradedCluster> {
  const cluster = join(dir, clusterName)
  const from = majorIn(cluster)
  const { major: to } = versionOf(await findBinaries())
  const given = versionOf(binaries)
  if (given.major !== from)
    throw new BackupError(
      `The database is of PostgreSQL ${from}, and these binaries are ${given.version}: name those of ${from}.`,
    )
  const work = join(dir, workName)
  const old = await useEmbedded({ dir, binaries }, 'serve')
  let made: Embedded | null = null
  const giveUp = async (): Promise<void> => {
    await made?.release()
    fs.rmSync(work, { recursive: true, force: true })
    await old.release()
  }
  try {
    if (!(await old.alone()))
      throw new EmbeddedInUse(
        `A command is using the database of ${dir}: wait for its end, then run this again.`,
      )
    await assertOurs(old)
    await stopCluster(join(work, clusterName))
    fs.rmSync(work, { recursive: true, force: true })
    // Indexes are rebuilt and rows packed, so the copy grows only by what is written meanwhile.
    assertRoom(dir, sizeOf(cluster) * 1.2 + 256 * 1024 * 1024)
    fs.mkdirSync(work, { mode: 0o700 })
    keepPassable(work, postgresUser())
    // The roles keep their passwords.
    await copyPasswords(dir, work)
    made = await useEmbedded({ dir: work, settings: loadingSettings }, 'serve')
    const copied = await copyDatabase(old, made, stop, onProgress)
    await made.release()
    made = null
    await syncCluster(join(work, clusterName))
    made = await useEmbedded({ dir: work }, 'serve')
    return {
      ...made,
      from,
      to,
      ...copied,
      giveUp,
      async finish() {
        await (made as Embedded).release()
        const kept = `${clusterName}-${from}-${now.toISOString().slice(0, 19).replaceAll(':', '-')}Z`
        fs.writeFileSync(join(work, carriedName), JSON.stringify({ kept } satisfies Replacement), {
          flush: true,
        })
        // Until here the old directory is unchanged. From here on, no server starts in it before
        // the replacement is complete.
        fs.renameSync(work, join(dir, draftName))
        syncFolders(dir, [])
        await old.stop()
        return replaceCluster(dir, kept)
      },
    }
  } catch (error) {
    await giveUp()
    throw error
  }
}

async function copyPasswords(dir: string, work: string): Promise<void> {
  const secrets = JSON.parse(fs.readFileSync(join(dir, 'postgres.json'), 'utf8'))
  // Both clusters run at once.
  const port = process.platform === 'win32' ? await freePort() : secrets.port
  fs.writeFileSync(join(work, 'postgres.json'), JSON.stringify({ ...secrets, port }), {
    mode: 0o600,
  })
}

/** Fsyncs a cluster that was written without fsync. */
async function syncCluster(cluster: string): Promise<void> {
  const place = { user: postgresUser(), cluster }
  const { command, args, options } = asUser(place, (await findBinaries()).initdb, [
    '--sync-only',
    `--pgdata=${cluster}`,
  ])
  const { status, stderr } = spawnSync(command, args, { ...options, encoding: 'utf8' })
  if (status !== 0) throw new Error(`The new cluster could not be written to the disk:\n${stderr}`)
}

const inDatabase = (url: string): string => url.replace('/postgres?', '/bursar?')

async function copyDatabase(
  old: Embedded,
  made: Embedded,
  stop: AbortSignal,
  onProgress: Progress,
): Promise<{ tables: number; rows: number }> {
  const applied = await appliedMigrations(old.ownerUrl)
  const unknown = applied.find((name) => !knownMigrations().includes(name))
  if (unknown)
    throw new BackupError(
      `The database has migration ${unknown}, which this Bursar does not know: take a newer one.`,
    )
  await migrate(made.ownerUrl, 'bursar_server', undefined, applied)
  await makePartitions(old, made)
  const [from, to] = [
    newClient(inDatabase(old.superuserUrl)),
    newClient(inDatabase(made.superuserUrl)),
  ]
  for (const client of [from, to]) {
    client.on('error', () => {})
    await client.connect()
    // Makes the text of rows and their order independent of settings.
    await client.query(`set datestyle = 'ISO'; set intervalstyle = 'postgres'; set bytea_output = 'hex'; set timezone = 'UTC';
                        set extra_float_digits = 1; set synchronize_seqscans = off`)
  }
  const cut = (): void => {
    for (const client of [from, to])
      (client as unknown as { connection: { stream: Duplex } }).connection.stream.destroy()
  }
  stop.throwIfAborted()
  stop.addEventListener('abort', cut)
  try {
    await from.query('begin isolation level repeatable read read only')
    const tables = await tablesToCopy(from, to)
    const rows = await copyAll(from, to, tables, onProgress)
    await to.query('analyze')
    return { tables: tables.length, rows }
  } finally {
    stop.removeEventListener('abort', cut)
    for (const client of [from, to]) await client.end().catch(() => {})
  }
}

/** Objects of others in the cluster, which would be lost. */
const selectOthers = `
select 'the database ' || datname as what from pg_database where datname not in ('postgres', 'template0', 'template1', 'bursar')
union all
select 'the role ' || rolname from pg_roles where rolname not in ('postgres', 'bursar', 'bursar_server', 'bursar_backup') and rolname !~ '^pg_'
union all
select 'the schema ' || nspname from pg_namespace
 where nspname not in ('public', 'graphile_worker', 'information_schema') and nspname !~ '^pg_'
union all
select 'the extension ' || extname from pg_extension where extname <> 'plpgsql'
union all
select 'large objects' from pg_largeobject_metadata having count(*) > 0`

/** @throws {BackupError} that names objects that do not belong to Bursar */
async function assertOurs({ superuserUrl }: Embedded): Promise<void> {
  const client = newClient(inDatabase(superuserUrl))
  await client.connect()
  const { rows } = await client.query<{ what: string }>(selectOthers).finally(() => client.end())
  if (rows.length === 0) return
  throw new BackupError(
    `The database holds what is not Bursar's and would be lost: ${rows.map(({ what }) => what).join(', ')}. Carry that elsewhere, and drop it here.`,
  )
}

/** Our partitions, ordered by table. */
const selectPartitions = `
select base.relname as base, part.relname as part, pg_get_expr(part.relpartbound, part.oid) as bounds
  from pg_inherits i
  join pg_class base on base.oid = i.inhparent and base.relkind = 'p' and base.relnamespace = 'public'::regnamespace
  join pg_class part on part.oid = i.inhrelid
 order by 1, 2`

/** Gives the new cluster the partitions of the old one; each is then copied as a table. */
async function makePartitions(old: Embedded, made: Embedded): Promise<void> {
  const [from, to] = [newClient(inDatabase(old.superuserUrl)), newClient(made.ownerUrl)]
  try {
    for (const client of [from, to]) await client.connect()
    const { rows: wanted } = await from.query<{ base: string; part: string; bounds: string }>(
      selectPartitions,
    )
    const { rows: own } = await to.query<{ part: string }>(selectPartitions)
    for (const { part } of own) await to.query(`drop table ${part}`)
    for (const { base, part, bounds } of wanted) {
      await to.query('select make_event_partition($1, $2)', [base, part])
      await to.query(`alter table ${base} attach partition ${part} ${bounds}`)
    }
  } finally {
    for (const client of [from, to]) await client.end().catch(() => {})
  }
}

type Column = { name: string; type: string; fallback: string | null; optional: boolean }
type Table = { name: string; columns: Column[]; bytes: number; parted: boolean }

/** Our tables, except those in which the schema's version is recorded. */
const selectTables = `
select format('%I.%I', n.nspname, c.relname) as name, pg_relation_size(c.oid)::float8 as bytes, c.relkind = 'p' as parted,
       coalesce(json_agg(json_build_object('name', quote_ident(a.attname), 'type', format_type(a.atttypid, a.atttypmod),
                'fallback', pg_get_expr(d.adbin, d.adrelid), 'optional', not a.attnotnull or a.atthasdef or a.attidentity <> '')
                order by a.attnum) filter (where a.attgenerated = ''), '[]') as columns
  from pg_class c
  join pg_namespace n on n.oid = c.relnamespace
  join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
  left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
 where n.nspname in ('public', 'graphile_worker') and c.relkind in ('r', 'p')
   and (n.nspname, c.relname) <> ('graphile_worker', 'migrations')
 group by n.nspname, c.relname, c.oid
 order by 1`

/** @throws {BackupError} if the new schema lacks a table or column of the old one */
async function tablesToCopy(from: pg.Client, to: pg.Client): Promise<Table[]> {
  const [old, made] = [await from.query<Table>(selectTables), await to.query<Table>(selectTables)]
  for (const table of old.rows) {
    const other = made.rows.find(({ name }) => name === table.name)
    if (!other)
      throw new BackupError(
        `The table ${table.name} is not Bursar's and would be lost: carry it elsewhere, and drop it here.`,
      )
    for (const { name, type } of table.columns) {
      const column = other.columns.find((one) => one.name === name)
      if (column?.type !== type)
        throw new BackupError(
          `The column ${name} of ${table.name} is ${type}, and ${column?.type ?? 'gone'} in the new schema: start the Bursar before this one once, then run this again.`,
        )
      if (column.fallback === table.columns.find((one) => one.name === name)?.fallback) continue
      const { fallback } = table.columns.find((one) => one.name === name) as Column
      // Event positions continue where the installation left off.
      await to.query(
        `alter table ${table.name} alter column ${name} ${fallback === null ? 'drop default' : `set default ${fallback}`}`,
      )
    }
    const lacking = other.columns.find(
      ({ name, optional }) => !optional && !table.columns.some((one) => one.name === name),
    )
    if (lacking)
      throw new BackupError(
        `The column ${lacking.name} of ${table.name} is not in the old schema, and cannot be empty.`,
      )
  }
  return old.rows.filter(({ parted }) => !parted)
}

/**
 * Copies all rows in one transaction, then reads each table back and compares the text. The
 * triggers that reject, count and check are disabled in this session only.
 */
async function copyAll(
  from: pg.Client,
  to: pg.Client,
  tables: Table[],
  onProgress: Progress,
): Promise<number> {
  const onBytes = byteCounter(
    tables.reduce((sum, { bytes }) => sum + 2 * bytes, 0),
    onProgress,
  )
  const columnsOf = ({ name, columns }: Table): string =>
    `${name} (${columns.map((one) => one.name).join(', ')})`
  await to.query('begin')
  await to.query('set local session_replication_role = replica')
  await to.query(`truncate ${tables.map(({ name }) => name).join(', ')}`)
  const checksums: string[] = []
  let rows = 0
  for (const table of tables) {
    const copied = await copyRows(
      { client: from, out: `copy ${columnsOf(table)} to stdout` },
      { client: to, into: `copy ${columnsOf(table)} from stdin` },
      onBytes,
    )
    checksums.push(copied.sha256)
    rows += copied.rows
  }
  const { rows: sequences } = await from.query<{ name: string }>(
    `select format('%I.%I', schemaname, sequencename) as name from pg_sequences where schemaname in ('public', 'graphile_worker')`,
  )
  for (const { name } of sequences) {
    const { rows: state } = await from.query<{ last_value: string; is_called: boolean }>(
      `select last_value, is_called from ${name}`,
    )
    await to.query('select setval($1, $2, $3)', [name, state[0]?.last_value, state[0]?.is_called])
  }
  await to.query('commit')
  for (const [i, table] of tables.entries()) {
    const { sha256 } = await readRows(to, `copy ${columnsOf(table)} to stdout`, onBytes)
    if (sha256 !== checksums[i])
      throw new BackupError(
        `${table.name} is not the same in the new cluster. Nothing was changed.`,
      )
  }
  return rows
}
