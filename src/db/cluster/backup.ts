/**
 * Online backup of the embedded PostgreSQL. Its package has no pg_basebackup, so this does the
 * same: it copies the files between `pg_backup_start` and `pg_backup_stop`, then the WAL in
 * between. See
 * https://www.postgresql.org/docs/18/continuous-archiving.html#BACKUP-LOWLEVEL-BASE-BACKUP
 */
import * as fs from 'node:fs'
import { basename, join } from 'node:path'
import type pg from 'pg'
import type { Clock } from '../../lib/clock.ts'
import { newClient } from '../db.ts'
import {
  BackupError,
  byteCounter,
  copyFile,
  forEach,
  type Manifest,
  type Progress,
  type StoredFile,
  storeText,
} from './backup-folder.ts'
import { archiveSetting, type Embedded } from './embedded.ts'

/**
 * Folders that are created empty, as pg_basebackup does. Needed files of `pg_wal` are copied at the
 * end.
 */
const emptyFolders = [
  'pg_dynshmem',
  'pg_notify',
  'pg_replslot',
  'pg_serial',
  'pg_snapshots',
  'pg_stat_tmp',
  'pg_subtrans',
  'pg_wal',
]
const excludedFiles =
  /(^|\/)(postmaster\.(pid|opts)|pg_internal\.init.*|pgsql_tmp.*|postgresql\.auto\.conf\.tmp|current_logfiles\.tmp|backup_label(\.old)?|backup_manifest|tablespace_map|recovery\.signal|standby\.signal|\.s\.PGSQL\..*)$/

/** Copied last: it says where recovery begins unless a backup label does. */
const controlFile = 'global/pg_control'

/** The folder of a cluster in a backup and in a data directory. */
export const clusterName = 'postgres'

/** The manifest fields of a copied cluster. */
type ClusterCopy = Pick<
  Manifest,
  'started_at' | 'data_of' | 'wal' | 'archive' | 'folders' | 'files'
>

/**
 * Copies the cluster into `postgres` below a folder.
 * @throws {BackupError} if it cannot be copied
 */
export async function copyCluster(
  { backupUrl, cluster }: Pick<Embedded, 'backupUrl' | 'cluster'>,
  dir: string,
  clock: Clock,
  onProgress: Progress,
): Promise<ClusterCopy> {
  if (fs.readdirSync(join(cluster, 'pg_tblspc')).length > 0)
    throw new BackupError(
      'The database has tablespaces outside of its data directory, which are not copied.',
    )
  const session = newClient(backupUrl)
  session.on('error', () => {})
  await session.connect()
  try {
    return await copyBy(session, cluster, dir, clock, onProgress)
  } finally {
    // Ending the session also ends a running backup and drops its slot.
    await session.end().catch(() => {})
  }
}

async function copyBy(
  session: pg.Client,
  cluster: string,
  dir: string,
  clock: Clock,
  onProgress: Progress,
): Promise<ClusterCopy> {
  const startedAt = clock.now()
  // Keeps WAL from being recycled before it is copied. The temporary slot ends with the session.
  await session.query('select pg_create_physical_replication_slot($1, true, true)', [
    `bursar_backup_${process.pid}`,
  ])
  await session.query(`select pg_backup_start('bursar backup', true)`)
  const { folders, files } = listFiles(cluster)
  const total = files.reduce((sum, { bytes }) => sum + bytes, 0)
  const onBytes = byteCounter(total, onProgress)
  const stored = await copyFiles(cluster, join(dir, clusterName), { folders, files }, onBytes)
  stored.push(
    storeText(dir, `${clusterName}/${controlFile}`, readSteadily(join(cluster, controlFile))),
  )
  // Everything committed before this time has its WAL before the stop.
  const dataOf = clock.now()
  const archive = await archiveFolder(session)
  const { start, stop, first, last, label } = await stopBackup(session)
  stored.push(storeText(dir, `${clusterName}/backup_label`, label))
  for (const segment of segmentsFrom(cluster, first, last)) {
    const path = `pg_wal/${segment}`
    stored.push({
      path: `${clusterName}/${path}`,
      ...(await copyFile(join(cluster, path), join(dir, clusterName, path), onBytes)),
    })
  }
  return {
    started_at: startedAt.toISOString(),
    data_of: dataOf.toISOString(),
    wal: { start, stop },
    archive,
    folders: [clusterName, ...folders.map((folder) => `${clusterName}/${folder}`)],
    files: stored,
  }
}

type ClusterFiles = { folders: string[]; files: { path: string; bytes: number }[] }

async function copyFiles(
  cluster: string,
  into: string,
  { folders, files }: ClusterFiles,
  onBytes: (bytes: number) => void,
): Promise<StoredFile[]> {
  fs.mkdirSync(into, { mode: 0o700 })
  for (const folder of folders) fs.mkdirSync(join(into, folder), { mode: 0o700 })
  const stored: StoredFile[] = []
  await forEach(files, async ({ path }) => {
    try {
      stored.push({
        path: `${clusterName}/${path}`,
        ...(await copyFile(join(cluster, path), join(into, path), onBytes)),
      })
    } catch (error) {
      // The table was dropped meanwhile, which the WAL records too.
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || fs.existsSync(join(cluster, path)))
        throw error
      fs.rmSync(join(into, path), { force: true })
    }
  })
  return stored
}

/** Returns the name of the folder into which PostgreSQL archives WAL, or null. */
async function archiveFolder(session: pg.Client): Promise<string | null> {
  const { rows } = await session.query<{ folder: string | null }>(
    `select nullif(current_setting($1, true), '') as folder where current_setting('archive_mode') <> 'off'`,
    [archiveSetting],
  )
  const folder = rows[0]?.folder ?? null
  return folder === null ? null : basename(folder)
}

/** Stops the backup; returns its range of WAL, as positions and as segments, and its label. */
async function stopBackup(
  session: pg.Client,
): Promise<Record<'start' | 'stop' | 'first' | 'last' | 'label', string>> {
  const { rows } = await session.query<{ stop: string; last: string; label: string }>(
    `select lsn::text as stop, pg_walfile_name(lsn) as last, labelfile as label from pg_backup_stop(false)`,
  )
  const ended = rows[0] as { stop: string; last: string; label: string }
  const range = /^START WAL LOCATION: (\S+) \(file ([0-9A-F]{24})\)/m.exec(ended.label)
  if (!range)
    throw new BackupError('This version cannot read the backup label that PostgreSQL made.')
  const [, start, first] = range as unknown as [string, string, string]
  return { ...ended, start, first }
}

/** Returns the approximate size of a copy in bytes: the cluster's files without old WAL. */
export const sizeOf = (cluster: string): number =>
  listFiles(cluster).files.reduce((sum, { bytes }) => sum + bytes, 3 * 16 * 1024 * 1024)

/** Lists everything that is copied while the cluster runs. */
function listFiles(cluster: string): ClusterFiles {
  const folders: ClusterFiles['folders'] = []
  const files: ClusterFiles['files'] = []
  const walk = (folder: string): void => {
    for (const name of fs.readdirSync(join(cluster, folder))) {
      const path = folder === '' ? name : `${folder}/${name}`
      const stat = fs.statSync(join(cluster, path), { throwIfNoEntry: false })
      if (!stat || excludedFiles.test(path) || path === controlFile) continue
      if (!stat.isDirectory()) {
        if (stat.isFile()) files.push({ path, bytes: stat.size })
        continue
      }
      folders.push(path)
      if (path === 'pg_wal')
        folders.push(...['archive_status', 'summaries'].map((one) => `${path}/${one}`))
      if (!emptyFolders.includes(path)) walk(path)
    }
  }
  walk('')
  return { folders, files }
}

/** Reads a file that PostgreSQL rewrites in place, until two reads agree. */
function readSteadily(file: string): Buffer {
  for (;;) {
    const once = fs.readFileSync(file)
    if (once.equals(fs.readFileSync(file))) return once
  }
}

/**
 * Returns the WAL segments from one to another, inclusive.
 * @throws {BackupError} if one is missing
 */
function segmentsFrom(cluster: string, first: string, last: string): string[] {
  const there = fs
    .readdirSync(join(cluster, 'pg_wal'))
    .filter((name) => /^[0-9A-F]{24}$/.test(name) && name >= first && name <= last)
    .sort()
  const numberOf = (name: string): number =>
    Number.parseInt(name.slice(8, 16), 16) * 256 + Number.parseInt(name.slice(16), 16)
  if (
    there[0] !== first ||
    there.at(-1) !== last ||
    there.length !== numberOf(last) - numberOf(first) + 1
  )
    throw new BackupError(
      `WAL between ${first} and ${last} is gone: the backup would not be whole, and was given up.`,
    )
  return there
}
