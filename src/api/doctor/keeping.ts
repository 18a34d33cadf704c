/** Checks the disk and the backups. */
import { existsSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { resolve } from 'node:path'
import { archiveState } from '../../db/cluster/archive.ts'
import { latestBackups } from '../../db/cluster/backup-log.ts'
import { type Finding, fail, type Installation, ok, type Settings, warn } from './finding.ts'

const mebibyte = 1024 * 1024
const sized = (bytes: number): string =>
  `${Math.round(bytes / mebibyte).toLocaleString('en-US')} MiB`

export async function disk({ config }: Settings): Promise<Finding[]> {
  if (config.DATABASE_URL !== null)
    return [ok('disk', 'that of your own PostgreSQL is not seen from here')]
  const dir = resolve(config.DATA_DIR)
  if (!existsSync(dir))
    return [fail('disk', `${dir} does not exist`, 'Set DATA_DIR to the server’s data directory.')]
  const { bavail, blocks, bsize } = await statfs(dir)
  return [ofDisk(dir, bavail * bsize, blocks * bsize)]
}

/** PostgreSQL stops when the disk is full. */
export function ofDisk(dir: string, left: number, size: number): Finding {
  const found = `${sized(left)} of ${sized(size)} are left at ${dir}`
  const todo = 'Make room, or move DATA_DIR to a larger disk: the database stops when it is full.'
  if (left < 256 * mebibyte) return fail('disk', found, todo)
  return left < 2048 * mebibyte || left < size / 20 ? warn('disk', found, todo) : ok('disk', found)
}

export async function archive({ app: { db, config, clock } }: Installation): Promise<Finding[]> {
  const state = await archiveState(db, config, clock)
  if (state === null) return []
  const todo =
    'Mend WAL_ARCHIVE_DIR: docs/backup.md, “Point in time”. Until then only backups can be restored.'
  if (state.warning !== null) return [warn('archive', state.warning, todo)]
  return [
    ok(
      'archive',
      state.archivedAt === null
        ? 'no WAL was archived yet: the first is, WAL_ARCHIVE_TIMEOUT after a change'
        : `WAL is archived, the last on ${state.archivedAt.toISOString()}`,
    ),
  ]
}

const dayMs = 24 * 60 * 60 * 1_000
/** One a day, plus some hours of delay. */
const backupAgeMs = 2 * dayMs
/** One a month. */
const drillAgeMs = 35 * dayMs

export async function backups({ app: { db, config, clock } }: Installation): Promise<Finding[]> {
  if (config.DATABASE_URL !== null)
    return [
      ok(
        'backups',
        'those of your own PostgreSQL are not seen from here: docs/backup.md says what they need',
      ),
    ]
  const { made_of: made, dir, tried_at: tried, dirty_at: dirty } = await latestBackups(db)
  const olderThan = (at: Date, ms: number): boolean => clock.now().getTime() - at.getTime() > ms
  if (made === null)
    return [
      warn(
        'backups',
        'none was ever made',
        'Run `bursar backup DIR` every day: docs/backup.md has the schedule.',
      ),
    ]
  const found = `the last, ${dir}, has the data of ${made.toISOString()}`
  const drill = `Run \`bursar restore ${dir} --drill\`, and do so every month.`
  return [
    olderThan(made, backupAgeMs)
      ? warn('backups', found, 'Run `bursar backup DIR` every day.')
      : ok('backups', found),
    dirty !== null && (tried === null || dirty > tried)
      ? fail(
          'backups',
          `one that was restored on ${dirty.toISOString()} had books that differ`,
          'Run `bursar ledger verify`.',
        )
      : tried === null
        ? warn('backups', 'none was ever tried', drill)
        : olderThan(tried, drillAgeMs)
          ? warn('backups', `one was last tried on ${tried.toISOString()}`, drill)
          : ok('backups', `one was tried on ${tried.toISOString()}, and its books were clean`),
  ]
}
