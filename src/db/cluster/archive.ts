/**
 * The WAL archive of the embedded PostgreSQL: a backup and the segments archived since allow
 * point-in-time recovery. PostgreSQL's own module archives: it fsyncs a copy of a segment, then
 * renames it. See https://www.postgresql.org/docs/18/basic-archive.html
 */
import { randomBytes } from 'node:crypto'
import * as fs from 'node:fs'
import { basename, dirname, join, relative, resolve } from 'node:path'
import type { Clock } from '../../lib/clock.ts'
import { type Config, ConfigError } from '../../lib/config.ts'
import { makeOnce } from '../../lib/files.ts'
import { type Database, newClient, sqlOfAll } from '../db.ts'
import { BackupError, type Manifest } from './backup-folder.ts'
import { findBinaries, give, keepPassable, postgresUser } from './binaries.ts'
import { archiveSetting, type Embedded, useEmbedded } from './embedded.ts'

type Settings = Pick<Config, 'DATA_DIR' | 'WAL_ARCHIVE_DIR' | 'WAL_ARCHIVE_TIMEOUT'>

/** The segment size of our clusters, which determines how PostgreSQL numbers segments. */
const segmentBytes = 16 * 1024 * 1024
const perLog = 2 ** 32 / segmentBytes

/** Returns the ordinal of a segment from its name: a timeline, then two halves of a number. */
export const segmentNumber = (name: string): number =>
  Number.parseInt(name.slice(8, 16), 16) * perLog + Number.parseInt(name.slice(16, 24), 16)

export const isSegment = (name: string): boolean => /^[0-9A-F]{24}$/.test(name)

/** The file in a data directory with the name of its folder in the archive. */
const nameFile = (dir: string): string => join(dir, 'postgres-archive.json')

/**
 * Detaches a newly created cluster from the archive: it numbers its segments from the start again,
 * and the archive never overwrites a segment.
 */
export const detachArchive = (dir: string): void => fs.rmSync(nameFile(dir), { force: true })

/**
 * Returns the PostgreSQL settings for archiving a data directory into a folder of its own. Two
 * restores of one backup would otherwise write different segments under the same names.
 * @throws {ConfigError} if it cannot archive there
 */
export async function archiveSettings(
  dir: string,
  root: string,
  timeoutMs: number,
): Promise<Record<string, string>> {
  if (!relative(dir, root).startsWith('..'))
    throw new ConfigError('WAL_ARCHIVE_DIR: is in the data directory, and would be lost with it')
  const libraries = join(dirname((await findBinaries()).postgres), '..', 'lib', 'postgresql')
  if (
    !fs.existsSync(libraries) ||
    !fs.readdirSync(libraries).some((name) => name.startsWith('basic_archive.'))
  )
    throw new ConfigError(
      'WAL_ARCHIVE_DIR: the embedded PostgreSQL of this platform cannot archive; back up more often',
    )
  fs.mkdirSync(dir, { recursive: true })
  const file = nameFile(dir)
  if (!fs.existsSync(file))
    makeOnce(file, JSON.stringify({ id: `wal-${randomBytes(6).toString('hex')}` }))
  const folder = join(root, (JSON.parse(fs.readFileSync(file, 'utf8')) as { id: string }).id)
  const user = postgresUser()
  try {
    if (!fs.existsSync(root)) {
      fs.mkdirSync(root, { recursive: true, mode: 0o700 })
      keepPassable(root, user)
    }
    fs.mkdirSync(folder, { recursive: true, mode: 0o700 })
    give(folder, user)
  } catch (error) {
    throw new ConfigError(`WAL_ARCHIVE_DIR: ${(error as Error).message}`)
  }
  return {
    archive_mode: 'on',
    archive_library: 'basic_archive',
    [archiveSetting]: folder,
    // PostgreSQL takes whole seconds.
    archive_timeout: String(Math.max(1, Math.round(timeoutMs / 1000))),
  }
}

/**
 * Uses the embedded PostgreSQL with the configured archiving.
 * @throws {ConfigError} if it cannot archive there
 */
export async function useArchived(config: Settings, role: 'serve' | 'tool'): Promise<Embedded> {
  const { WAL_ARCHIVE_DIR: root, WAL_ARCHIVE_TIMEOUT: timeoutMs } = config
  const dir = resolve(config.DATA_DIR)
  const settings = root === null ? {} : await archiveSettings(dir, resolve(root), timeoutMs)
  const embedded = await useEmbedded({ dir, settings }, role)
  // Running with other settings: a killed server or another command started it.
  if (role === 'tool' || (await archivesBy(embedded, settings)) || !(await embedded.alone()))
    return embedded
  await embedded.stop()
  return useEmbedded({ dir, settings }, role)
}

async function archivesBy(
  { superuserUrl }: Embedded,
  settings: Record<string, string>,
): Promise<boolean> {
  const wanted: Record<string, string> = { archive_mode: 'off', ...settings }
  const client = newClient(superuserUrl)
  await client.connect()
  try {
    const { rows } = await client.query<{ same: boolean }>(
      `select coalesce(case name when 'archive_timeout' then setting else current_setting(name, true) end, '') = value as same
         from unnest($1::text[], $2::text[]) as wanted (name, value) left join pg_settings using (name)`,
      [Object.keys(wanted), Object.values(wanted)],
    )
    return rows.every(({ same }) => same)
  } finally {
    await client.end()
  }
}

/** The WAL with which a backup reaches a later moment, in the order of writing. */
export type ArchivedWal = { folder: string; segments: string[]; bytes: number }

/**
 * Returns the segments archived since a backup.
 * @param root `WAL_ARCHIVE_DIR`, or a copy of it
 * @throws {BackupError} if there are none of this database, or one is missing or incomplete
 */
export function archivedSince({ archive, files }: Manifest, root: string): ArchivedWal {
  if (!archive)
    throw new BackupError(
      'No WAL was archived when this backup was made (WAL_ARCHIVE_DIR): restore it without --wal, as it is.',
    )
  const folder = basename(root) === archive ? root : join(root, archive)
  if (!fs.existsSync(folder))
    throw new BackupError(
      `${root} has no folder ${archive}, into which the WAL since this backup was archived.`,
    )
  const own = files.map(({ path }) => basename(path)).filter(isSegment)
  const last = own.sort().at(-1) as string
  const segments = fs
    .readdirSync(folder)
    .filter((name) => isSegment(name) && name.slice(0, 8) === last.slice(0, 8) && name >= last)
    .sort()
  // The last segment of the backup may be archived too.
  let expected = segmentNumber(last) + (segments[0] === last ? 0 : 1)
  for (const name of segments) {
    if (segmentNumber(name) !== expected)
      throw new BackupError(
        `The archive lacks what comes before ${name}: what was committed later cannot be restored. Bring it back, or move ${name} and all after it away and restore what is before.`,
      )
    if (fs.statSync(join(folder, name)).size !== segmentBytes)
      throw new BackupError(
        `${name} in ${folder} is not whole: copy it again, or move it and all after it away.`,
      )
    expected++
  }
  return { folder, segments, bytes: segments.length * segmentBytes }
}

/**
 * Returns where PostgreSQL ended its recovery.
 * @param history the history file of the timeline that began there
 */
export function endOfRecovery(history: string): number {
  const [, high, low] =
    /^\d+\t([0-9A-F]+)\/([0-9A-F]+)/.exec(history.trim().split('\n').at(-1) ?? '') ?? []
  return (
    Number.parseInt(high ?? '0', 16) * perLog +
    Math.floor(Number.parseInt(low ?? '0', 16) / segmentBytes)
  )
}

type ArchiverState = {
  mode: string
  archived: string | null
  archived_at: Date | null
  failed: string | null
  failed_at: Date | null
  current: string
  started_at: Date
}

// Of the installation, not of a business.
const selectArchiver = sqlOfAll<ArchiverState>(
  'archive.select_state',
  `select current_setting('archive_mode') as mode, last_archived_wal as archived, last_archived_time as archived_at,
          last_failed_wal as failed, last_failed_time as failed_at,
          pg_walfile_name(pg_current_wal_lsn()) as current, pg_postmaster_start_time() as started_at
     from pg_stat_archiver`,
)

/**
 * WAL that is unarchived for longer than this and several times the archive interval counts as
 * late.
 */
const lateMs = 5 * 60_000

export type ArchiveState = { warning: string | null; archivedAt: Date | null }

/** Returns the state of archiving, or null if it is not configured. */
export async function archiveState(
  db: Database,
  config: Settings,
  clock: Clock,
): Promise<ArchiveState | null> {
  if (config.WAL_ARCHIVE_DIR === null) return null
  const state = (await db.row(selectArchiver)) as ArchiverState
  return { warning: warningOf(state, config, clock.now()), archivedAt: state.archived_at }
}

function warningOf(state: ArchiverState, config: Settings, now: Date): string | null {
  if (state.mode !== 'on')
    return 'WAL is not archived: PostgreSQL was started without WAL_ARCHIVE_DIR, and a command uses it; start the server again when that has ended'
  const since = (state.archived_at ?? state.started_at).toISOString()
  if (
    state.failed_at !== null &&
    (state.archived_at === null || state.failed_at > state.archived_at)
  )
    return `WAL is not archived since ${since}: ${state.failed} cannot be written to ${config.WAL_ARCHIVE_DIR}, and DATA_DIR grows until it can; postgres.log says why`
  const last = state.archived?.slice(0, 24) ?? ''
  // One segment is being written, and one may just have ended.
  const behind = isSegment(last) ? segmentNumber(state.current) - segmentNumber(last) - 1 : 1
  const late =
    now.getTime() - new Date(since).getTime() > Math.max(lateMs, 3 * config.WAL_ARCHIVE_TIMEOUT)
  if (behind < 1 || !late) return null
  return `WAL is archived late: the last was on ${since}, and ${behind} segments wait`
}

/** Returns a sentence for `/health` if archiving needs attention. */
export async function archiveWarnings({
  db,
  config,
  clock,
}: {
  db: Database
  config: Config
  clock: Clock
}): Promise<string[]> {
  const state = await archiveState(db, config, clock)
  return state?.warning ? [state.warning] : []
}
