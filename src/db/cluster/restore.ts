/**
 * Turns a copied cluster into a data directory: builds it beside its target, recovers it, and moves
 * it when it is verified.
 */
import * as fs from 'node:fs'
import { join, resolve } from 'node:path'
import { newClient } from '../db.ts'
import { knownMigrations } from '../schema/migrations.ts'
import { type ArchivedWal, endOfRecovery, segmentNumber } from './archive.ts'
import {
  assertRoom,
  assertUnchanged,
  BackupError,
  byteCounter,
  copyFile,
  forEach,
  type Manifest,
  type Progress,
} from './backup-folder.ts'
import { findBinaries, give, keepPassable, postgresUser, versionOf } from './binaries.ts'
import { draftName, type Embedded, useEmbedded } from './embedded.ts'

/** Returns the version of the embedded PostgreSQL, such as `18.4`. */
export const embeddedVersion = async (): Promise<{ major: number; version: string }> =>
  versionOf(await findBinaries())

/**
 * Checks that this version can restore the backup on this machine.
 * @throws {BackupError} with what to do instead
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
 * Checks that a data directory is empty.
 * @throws {BackupError} if it is not
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

/** A restored cluster that runs but is not in its place yet. */
export type RestoredCluster = Embedded & {
  /** The current folder. */
  dir: string
  /** Everything committed before this time is in it. */
  reaches: Date
  /** Stops it and moves it to its place. */
  finish(): Promise<void>
}

/** The archived WAL to replay after a backup: to its end, or to a point in time. */
export type WalReplay = { wal: ArchivedWal; until: Date | null }

/** @throws {BackupError} if the WAL does not reach the point in time */
async function recoverTo(dir: string, until: Date | null): Promise<Embedded> {
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
 * Returns the data time that was reached.
 * @throws {BackupError} if PostgreSQL could not read the WAL to its end
 */
async function dataTimeOf(
  { superuserUrl, cluster }: Embedded,
  manifest: Manifest,
  further: WalReplay | null,
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
 * Assembles the copy of a cluster and starts it, so that it recovers.
 * @param further the archived WAL to replay
 * @param secrets the content of `secrets.key`, or null for none
 * @throws {BackupError} if a file differs from the manifest
 * @throws {Error} if PostgreSQL does not recover; with the end of its log
 */
export async function startCopy(
  from: string,
  manifest: Manifest,
  dir: string,
  secrets: Uint8Array | null,
  onProgress: Progress,
  further: WalReplay | null = null,
): Promise<RestoredCluster> {
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
  const onBytes = byteCounter(manifest.bytes + wal.bytes, onProgress)
  await forEach(manifest.files, async (stored) => {
    const to = join(draft, stored.path)
    const found = await copyFile(join(from, stored.path), to, onBytes)
    assertUnchanged(stored, found)
    if (stored.path.startsWith('postgres/')) give(to, user)
  })
  for (const name of wal.segments) {
    const to = join(draft, 'postgres', 'pg_wal', name)
    // The backup's last segment is incomplete; the archive has all of it.
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
  const embedded = await recoverTo(draft, further?.until ?? null)
  let reaches: Date
  try {
    reaches = await dataTimeOf(embedded, manifest, further)
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
      // The cluster is moved last, because it makes a folder a data directory.
      const names = fs
        .readdirSync(draft)
        .sort((a, b) => Number(a === 'postgres') - Number(b === 'postgres'))
      for (const name of names) fs.renameSync(join(draft, name), join(dir, name))
      fs.rmdirSync(draft)
    },
  }
}

/** The name of the encrypted key in a backup. */
export const sealedName = 'secrets.key.sealed'

/** Removes what a failed restore left. */
export function clearDraft(dir: string): void {
  fs.rmSync(join(resolve(dir), draftName), { recursive: true, force: true })
}
