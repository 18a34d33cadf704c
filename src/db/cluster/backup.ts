/**
 * A copy of the embedded PostgreSQL while it runs. The package of its binaries has no
 * pg_basebackup, so it is made as that one does: `pg_backup_start`, the files as they stand,
 * `pg_backup_stop`, and the WAL in between, which makes of them one moment. See
 * https://www.postgresql.org/docs/18/continuous-archiving.html#BACKUP-LOWLEVEL-BASE-BACKUP
 */
import * as fs from 'node:fs'
import { basename, join } from 'node:path'
import type pg from 'pg'
import type { Clock } from '../../lib/clock.ts'
import { newClient } from '../db.ts'
import {
  BackupError,
  copyFile,
  counting,
  forEach,
  type Manifest,
  type Progress,
  type StoredFile,
  storeText,
} from './backup-folder.ts'
import { archiveSetting, type Embedded } from './embedded.ts'

/**
 * Folders whose contents are made anew, as by pg_basebackup. `pg_wal`: what is needed of it is
 * copied at the end.
 */
const emptied = [
  'pg_dynshmem',
  'pg_notify',
  'pg_replslot',
  'pg_serial',
  'pg_snapshots',
  'pg_stat_tmp',
  'pg_subtrans',
  'pg_wal',
]
const leftOut =
  /(^|\/)(postmaster\.(pid|opts)|pg_internal\.init.*|pgsql_tmp.*|postgresql\.auto\.conf\.tmp|current_logfiles\.tmp|backup_label(\.old)?|backup_manifest|tablespace_map|recovery\.signal|standby\.signal|\.s\.PGSQL\..*)$/

/**
 * The control file says where recovery begins, unless a backup's label does: it is read after
 * everything else.
 */
const controlFile = 'global/pg_control'

/** What a copied cluster is called in a backup, and in a data directory. */
export const clusterName = 'postgres'

/** What a copy knows of itself. */
export type Copy = Pick<
  Manifest,
  'started_at' | 'data_of' | 'wal' | 'archive' | 'folders' | 'files'
>

/**
 * Copies the cluster into `postgres` of a folder.
 * @throws {BackupError} when it cannot be copied so
 */
export async function copyCluster(
  { backupUrl, cluster }: Pick<Embedded, 'backupUrl' | 'cluster'>,
  dir: string,
  clock: Clock,
  onProgress: Progress,
): Promise<Copy> {
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
    // With its session a backup that has begun ends too, and the slot goes.
    await session.end().catch(() => {})
  }
}

async function copyBy(
  session: pg.Client,
  cluster: string,
  dir: string,
  clock: Clock,
  onProgress: Progress,
): Promise<Copy> {
  const startedAt = clock.now()
  // From here on no WAL is recycled that is not copied yet. The slot is this session's, and goes
  // with it, however it ends.
  await session.query('select pg_create_physical_replication_slot($1, true, true)', [
    `bursar_backup_${process.pid}`,
  ])
  await session.query(`select pg_backup_start('bursar backup', true)`)
  const { folders, files } = listCluster(cluster)
  const total = files.reduce((sum, { bytes }) => sum + bytes, 0)
  const onBytes = counting(total, onProgress)
  const into = join(dir, clusterName)
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
      // A table that is dropped meanwhile: the WAL says so too.
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || fs.existsSync(join(cluster, path)))
        throw error
      fs.rmSync(join(into, path), { force: true })
    }
  })
  stored.push(
    storeText(dir, `${clusterName}/${controlFile}`, readSteadily(join(cluster, controlFile))),
  )
  // What is committed before this has its WAL before the stop.
  const dataOf = clock.now()
  const { rows: archives } = await session.query<{ folder: string | null }>(
    `select nullif(current_setting($1, true), '') as folder where current_setting('archive_mode') <> 'off'`,
    [archiveSetting],
  )
  const folder = archives[0]?.folder ?? null
  const ended = await session.query<{
    stop: string
    last: string
    labelfile: string
    spcmapfile: string | null
  }>(
    `select lsn::text as stop, pg_walfile_name(lsn) as last, labelfile, spcmapfile from pg_backup_stop(false)`,
  )
  const { stop, last, labelfile } = ended.rows[0] as {
    stop: string
    last: string
    labelfile: string
  }
  const label = /^START WAL LOCATION: (\S+) \(file ([0-9A-F]{24})\)/m.exec(labelfile)
  if (!label)
    throw new BackupError('PostgreSQL made a label of the backup that this version cannot read.')
  const [, start, first] = label as unknown as [string, string, string]
  stored.push(storeText(dir, `${clusterName}/backup_label`, labelfile))
  for (const segment of segmentsFrom(cluster, first, last)) {
    const path = `pg_wal/${segment}`
    stored.push({
      path: `${clusterName}/${path}`,
      ...(await copyFile(join(cluster, path), join(into, path), onBytes)),
    })
  }
  return {
    started_at: startedAt.toISOString(),
    data_of: dataOf.toISOString(),
    wal: { start, stop },
    archive: folder === null ? null : basename(folder),
    folders: [clusterName, ...folders.map((folder) => `${clusterName}/${folder}`)],
    files: stored,
  }
}

/** How much a copy of a cluster takes, about: its files, less old WAL. */
export const sizeOf = (cluster: string): number =>
  listCluster(cluster).files.reduce((sum, { bytes }) => sum + bytes, 3 * 16 * 1024 * 1024)

/** Everything that is copied while the cluster runs. */
function listCluster(cluster: string): {
  folders: string[]
  files: { path: string; bytes: number }[]
} {
  const folders: string[] = []
  const files: { path: string; bytes: number }[] = []
  const walk = (folder: string): void => {
    for (const name of fs.readdirSync(join(cluster, folder))) {
      const path = folder === '' ? name : `${folder}/${name}`
      const stat = fs.statSync(join(cluster, path), { throwIfNoEntry: false })
      if (!stat || leftOut.test(path) || path === controlFile) continue
      if (!stat.isDirectory()) {
        if (stat.isFile()) files.push({ path, bytes: stat.size })
        continue
      }
      folders.push(path)
      if (path === 'pg_wal')
        folders.push(...['archive_status', 'summaries'].map((one) => `${path}/${one}`))
      if (!emptied.includes(path)) walk(path)
    }
  }
  walk('')
  return { folders, files }
}

/** A file that PostgreSQL rewrites in place, when two readings agree. */
function readSteadily(file: string): Buffer {
  for (;;) {
    const once = fs.readFileSync(file)
    if (once.equals(fs.readFileSync(file))) return once
  }
}

/**
 * The segments of WAL from one to another, both included.
 * @throws {BackupError} when one is missing
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
