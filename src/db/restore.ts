/**
 * A copied cluster becomes a data directory: it is put together beside the place it is for, recovered there, and moved only when it
 * is well.
 */
import { spawnSync } from 'node:child_process'
import * as fs from 'node:fs'
import { join, resolve } from 'node:path'
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
import { findBinaries, give, postgresUser } from './binaries.ts'
import { draftName, type Embedded, useEmbedded } from './embedded.ts'
import { expectedMigrations } from './migrate.ts'

/** What PostgreSQL the embedded package brings, such as `18.4`. */
export async function embeddedVersion(): Promise<{ major: number; version: string }> {
  const { stdout } = spawnSync((await findBinaries()).postgres, ['--version'], { encoding: 'utf8', env: {} })
  const version = /(\d+)[\w.]*/.exec(stdout)
  if (!version) throw new BackupError('The version of the embedded PostgreSQL cannot be told.')
  return { major: Number(version[1]), version: version[0] }
}

/**
 * Whether this version, on this machine, can restore a backup.
 * @throws {BackupError} that says what to do instead
 */
export async function assertRestorable({ bursar, postgres, platform, migrations }: Manifest): Promise<void> {
  const own = await embeddedVersion()
  if (postgres.major !== own.major)
    throw new BackupError(
      `The backup is of PostgreSQL ${postgres.major}, and this Bursar brings ${own.major}, which cannot open its files. Restore it with Bursar ${bursar}, which made it; then carry the data over with pg_dump and pg_restore, as docs/backup.md says.`,
    )
  if (platform !== platformName())
    throw new BackupError(
      `The backup was made on ${platform}, and this is ${platformName()}, which cannot open its files. Restore it on such a machine; then carry the data over with pg_dump and pg_restore, as docs/backup.md says.`,
    )
  const known = expectedMigrations()
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
  if (pid) throw new BackupError(`A server or a command is using ${dir}: stop it, and name a directory that is empty.`)
  const names = fs.readdirSync(dir)
  if (names.includes(draftName))
    throw new BackupError(`${dir} has what is left of a restore that was broken off: delete it, and restore again.`)
  if (names.length > 0)
    throw new BackupError(
      `${dir} is not empty, and nothing is ever overwritten: name another directory, or move it away.`,
    )
}

/** A cluster that is put together, and runs: not at its place yet. */
export type Restored = Embedded & {
  /** Where it is now. */
  dir: string
  /** Leaves it, and moves it to its place. */
  finish(): Promise<void>
}

/**
 * Puts the copy of a cluster together and starts it, so that it recovers.
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
): Promise<Restored> {
  assertRoom(dir, manifest.bytes)
  fs.mkdirSync(dir, { recursive: true, mode: 0o700 })
  const user = postgresUser()
  // Root's PostgreSQL is another user, who must pass through.
  const open = (folder: string): void => {
    if (user) fs.chownSync(folder, 0, user.gid)
    fs.chmodSync(folder, user ? 0o710 : 0o700)
  }
  open(dir)
  const draft = join(dir, draftName)
  fs.mkdirSync(draft, { mode: 0o700 })
  open(draft)
  for (const folder of manifest.folders) {
    fs.mkdirSync(join(draft, folder), { mode: 0o700 })
    give(join(draft, folder), user)
  }
  const onBytes = counting(manifest.bytes, onProgress)
  await forEach(manifest.files, async (stored) => {
    const to = join(draft, stored.path)
    const found = await copyFile(join(from, stored.path), to, onBytes)
    assertSame(stored, found)
    if (stored.path.startsWith('postgres/')) give(to, user)
  })
  fs.rmSync(join(draft, sealedName), { force: true })
  if (secrets !== null) fs.writeFileSync(join(draft, 'secrets.key'), secrets, { mode: 0o600, flush: true })
  const signal = join(draft, 'postgres', 'recovery.signal')
  fs.writeFileSync(signal, '', { mode: 0o600 })
  give(signal, user)
  const embedded = await useEmbedded({ dir: draft, recovering: true }, 'serve')
  return {
    ...embedded,
    dir: draft,
    async finish() {
      await embedded.release()
      // The cluster last: with it, a data directory is one.
      const names = fs.readdirSync(draft).sort((a, b) => Number(a === 'postgres') - Number(b === 'postgres'))
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
