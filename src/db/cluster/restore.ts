/**
 * A copied cluster becomes a data directory: it is put together beside the place it is for,
 * recovered there, and moved only when it is well.
 */
import * as fs from 'node:fs'
import { join, resolve } from 'node:path'
import { newClient } from '../db.ts'
import { knownMigrations } from '../schema/migrations.ts'
import { type ArchivedWal, endOfRecovery, segmentNumber } from './archive.ts'
import {
  assertRoom,
  assertSame,
  BackupError,
  copyFile,
  counting,
  forEach,
  type Manifest,
  type Progress,
} from './backup-folder.ts'
import { findBinaries, give, keepPassable, postgresUser, versionOf } from './binaries.ts'
import { draftName, type Embedded, useEmbedded } from './embedded.ts'

/** What PostgreSQL the embedded package brings, such as `18.4`. */
export const embeddedVersion = async (): Promise<{ major: number; version: string }> =>
  versionOf(await findBinaries())

/**
 * Whether this version, on this machine, can restore a backup.
 * @throws {BackupError} that says what to do instead
 */
export async function assertRestorable({
  bursar,
  postgres,
  platform,
  migrations,
}: Manifest): Promise<void> {
  const own = await embeddedVersion()
  if (postgres.major !== own.major)
    throw new BackupError(
      `The backup is of PostgreSQL ${postgres.major}, and this Bursar brings ${own.major}, which cannot open its files. Restore it with Bursar ${bursar}, which made it; then run \`bursar database upgrade\` with this one, as docs/backup.md says.`,
    )
  if (platform !== platformName())
    throw new BackupError(
      `The backup was made on ${platform}, and this is ${platformName()}, which cannot open its files. Restore it on such a machine; then carry the data over with pg_dump and pg_restore, as docs/backup.md says.`,
    )
  const known = knownMigrations()
  const unknown = migrations.find((name) => !known.includes(name))
  if (unknown)
    throw new BackupError(
      `The backup has migration ${unknown}, which this Bursar does not know: restore it with Bursar ${bursar} or newer.`,
    )
}

export const platformName = (): string => `${process.platform}-${process.arch}`

/**
 * Whether a data directory can be restored into.
 * @throws {BackupError} when there is anything in it
 */
export function assertEmpty(dir: string): void {
  if (!fs.existsSync(dir)) return
  const pid = fs.existsSync(join(dir, 'postgres', 'postmaster.pid'))
  if (pid)
    throw new BackupError(
      `A server or a command is using ${dir}: stop it, and name a directory that is empty.`,
    )
  const names = fs.readdirSync(dir)
  if (names.includes(draftName))
    throw new BackupError(
      `${dir} has what is left of a restore that was broken off: delete it, and restore again.`,
    )
  if (names.length > 0)
    throw new BackupError(
      `${dir} is not empty, and nothing is ever overwritten: name another directory, or move it away.`,
    )
}

/** A cluster that is put together, and runs: not at its place yet. */
export type Restored = Embedded & {
  /** Where it is now. */
  dir: string
  /** All that was committed before this is in it. */
  reaches: Date
  /** Leaves it, and moves it to its place. */
  finish(): Promise<void>
}

/** What comes after a backup: WAL that was archived since, to its end or to a moment. */
export type Further = { wal: ArchivedWal; until: Date | null }

/** @throws {BackupError} when the moment is not reached */
async function recover(dir: string, until: Date | null): Promise<Embedded> {
  const settings: Record<string, string> =
    until === null
      ? {}
      : {
          recovery_target_time: until.toISOString().replace('Z', '+00'),
          recovery_target_action: 'promote',
        }
  try {
    return await useEmbedded({ dir, settings, recovering: true }, 'serve')
  } catch (error) {
    if (
      until === null ||
      !/recovery ended before configured recovery target/.test((error as Error).message)
    )
      throw error
    throw new BackupError(
      `Nothing that was archived was committed after ${until.toISOString()}: leave --until away to restore all of it.`,
    )
  }
}

/**
 * Until when the data reach.
 * @throws {BackupError} when PostgreSQL could not read the WAL to its end
 */
async function reached(
  { superuserUrl, cluster }: Embedded,
  manifest: Manifest,
  further: Further | null,
): Promise<Date> {
  const dataOf = new Date(manifest.data_of)
  if (further === null) return dataOf
  const client = newClient(superuserUrl)
  await client.connect()
  const { rows } = await client
    .query<{ at: Date | null; timeline: number }>(
      'select pg_last_xact_replay_timestamp() as at, timeline_id as timeline from pg_control_checkpoint()',
    )
    .finally(() => client.end())
  const { at, timeline } = rows[0] as { at: Date | null; timeline: number }
  const last = further.wal.segments.at(-1)
  if (further.until === null && last !== undefined) {
    const name = `${timeline.toString(16).toUpperCase().padStart(8, '0')}.history`
    const ended = endOfRecovery(fs.readFileSync(join(cluster, 'pg_wal', name), 'utf8'))
    if (ended < segmentNumber(last))
      throw new BackupError(
        `PostgreSQL cannot read the archived WAL to its end, ${last}: it is damaged ${segmentNumber(last) - ended} segments before. Take another copy of it, or move those away.`,
      )
  }
  return at !== null && at > dataOf ? at : dataOf
}

/**
 * Puts the copy of a cluster together and starts it, so that it recovers.
 * @param further what it recovers from beyond the backup
 * @param secrets what `secrets.key` is to hold, or null where it is to have none
 * @throws {BackupError} when a file is not what the manifest says
 * @throws {Error} when PostgreSQL does not recover; says why, with the end of its log
 */
export async function startCopy(
  from: string,
  manifest: Manifest,
  dir: string,
  secrets: Uint8Array | null,
  onProgress: Progress,
  further: Further | null = null,
): Promise<Restored> {
  const wal = further?.wal ?? { folder: '', segments: [], bytes: 0 }
  assertRoom(dir, manifest.bytes + wal.bytes)
  fs.mkdirSync(dir, { recursive: true, mode: 0o700 })
  const user = postgresUser()
  keepPassable(dir, user)
  const draft = join(dir, draftName)
  fs.mkdirSync(draft, { mode: 0o700 })
  keepPassable(draft, user)
  for (const folder of manifest.folders) {
    fs.mkdirSync(join(draft, folder), { mode: 0o700 })
    give(join(draft, folder), user)
  }
  const onBytes = counting(manifest.bytes + wal.bytes, onProgress)
  await forEach(manifest.files, async (stored) => {
    const to = join(draft, stored.path)
    const found = await copyFile(join(from, stored.path), to, onBytes)
    assertSame(stored, found)
    if (stored.path.startsWith('postgres/')) give(to, user)
  })
  for (const name of wal.segments) {
    const to = join(draft, 'postgres', 'pg_wal', name)
    // Of the backup's last one the archive has the end.
    fs.rmSync(to, { force: true })
    await copyFile(join(wal.folder, name), to, onBytes)
    give(to, user)
  }
  fs.rmSync(join(draft, sealedName), { force: true })
  if (secrets !== null)
    fs.writeFileSync(join(draft, 'secrets.key'), secrets, { mode: 0o600, flush: true })
  const signal = join(draft, 'postgres', 'recovery.signal')
  fs.writeFileSync(signal, '', { mode: 0o600 })
  give(signal, user)
  const embedded = await recover(draft, further?.until ?? null)
  let reaches: Date
  try {
    reaches = await reached(embedded, manifest, further)
  } catch (error) {
    await embedded.release()
    throw error
  }
  return {
    ...embedded,
    dir: draft,
    reaches,
    async finish() {
      await embedded.release()
      // The cluster last: with it, a data directory is one.
      const names = fs
        .readdirSync(draft)
        .sort((a, b) => Number(a === 'postgres') - Number(b === 'postgres'))
      for (const name of names) fs.renameSync(join(draft, name), join(dir, name))
      fs.rmdirSync(draft)
    },
  }
}

/** What the sealed key is called in a backup. */
export const sealedName = 'secrets.key.sealed'

/** Takes away what a restore that failed has made. */
export function clearDraft(dir: string): void {
  fs.rmSync(join(resolve(dir), draftName), { recursive: true, force: true })
}
