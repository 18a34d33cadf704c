/** `bursar backup`: copies the embedded database into a folder. */
import * as fs from 'node:fs'
import { join, relative, resolve } from 'node:path'
import type { Command } from 'commander'
import { useArchived } from '../../db/cluster/archive.ts'
import { clusterName, copyCluster, sizeOf } from '../../db/cluster/backup.ts'
import {
  assertRoom,
  type Manifest,
  makeEmptyFolder,
  mebibytes,
  storeText,
  writeManifest,
} from '../../db/cluster/backup-folder.ts'
import { recordBackup } from '../../db/cluster/backup-log.ts'
import { embeddedVersion, platformName, sealedName } from '../../db/cluster/restore.ts'
import { appliedMigrations } from '../../db/schema/migrate.ts'
import { systemClock } from '../../lib/clock.ts'
import type { Config } from '../../lib/config.ts'
import { keyFileOf } from '../../lib/key-file.ts'
import { sealUnder } from '../../lib/passphrase.ts'
import { version } from '../../lib/version.ts'
import {
  assertEmbedded,
  configCommand,
  passphraseOf,
  passphraseOption,
  recordForDoctor,
} from './backup-tools.ts'
import { addCommands } from './commands.ts'
import type { CommandContext } from './context.ts'
import { restoreCommand } from './restore.ts'
import { statusOf, stopSignal } from './signals.ts'
import { type Progress, progress, UserError } from './terminal.ts'

/** Adds `bursar backup` and `bursar restore`. */
export function addBackupCommands(program: Command, { config, print }: CommandContext): void {
  const commands = { backup: backupCommand, restore: restoreCommand }
  addCommands(program, commands, { open: async (work) => work(config()), print })
}

const backupCommand = configCommand({
  description: 'copy the embedded database into a new folder, while the server runs',
  arguments: {
    dir: {
      text: 'the folder: it must not exist, or be empty',
      read: (dir: string) => resolve(dir),
    },
  },
  options: { ...passphraseOption, '--json': 'print JSON' },
  async run(config, { dir, passphrase_file: passphraseFile, json }) {
    const from = sourceOf(config, dir)
    const passphrase = passphraseOf(config, passphraseFile)
    const startedAt = performance.now()
    makeEmptyFolder(dir)
    const manifest = await copyInto(config, {
      from,
      dir,
      passphrase,
      onBytes: progress('copied', 'bytes', json),
    })
    const seconds = (performance.now() - startedAt) / 1000
    const { files, folders: _, ...facts } = manifest
    const size = `${files.length} files, ${mebibytes(manifest.bytes)}, in ${seconds.toFixed(1)} s.`
    return {
      json: { dir, seconds, ...facts, files: files.length },
      lines: [
        `${dir} holds all that was committed before ${manifest.data_of}.`,
        `${size} Bursar ${version}, PostgreSQL ${manifest.postgres.version}.`,
        secretsSentence[manifest.secrets],
        ...(fs.statSync(dir).dev === fs.statSync(from).dev ? [sameDiskWarning] : []),
        `Try it: bursar restore ${dir} --drill`,
      ],
    }
  },
})

const sameDiskWarning =
  'LOOK  It is on the disk of the data, and would be lost with it: copy it to another machine.'

/** Returns the data directory. @throws {UserError} if it cannot be backed up into `dir` */
function sourceOf(config: Config, dir: string): string {
  assertEmbedded(
    config,
    'back up your own PostgreSQL with pg_basebackup and an archive of its WAL, or with pg_dump, and keep SECRETS_KEY elsewhere.',
  )
  const from = resolve(config.DATA_DIR)
  if (!fs.existsSync(join(from, clusterName, 'PG_VERSION')))
    throw new UserError(
      `There is no embedded database in ${from}: set DATA_DIR to its data directory.`,
    )
  if (!relative(from, dir).startsWith('..'))
    throw new UserError(`${dir} is in the data directory: a backup there would be lost with it.`)
  return from
}

type Copy = { from: string; dir: string; passphrase: string | null; onBytes: Progress }

/** Copies the data directory into an empty folder. A copy that fails leaves the folder empty. */
async function copyInto(config: Config, copy: Copy): Promise<Manifest> {
  const { dir } = copy
  const stop = stopSignal(config.STOP_TIMEOUT)
  const embedded = await useArchived(config, 'tool')
  // The files that are copied already stay without a manifest, and are no backup.
  stop.addEventListener(
    'abort',
    () => void embedded.release().finally(() => process.exit(statusOf(stop.reason))),
  )
  try {
    const manifest = await writeBackup(config, embedded, copy)
    await recordForDoctor(config, (db) =>
      recordBackup(db, {
        dataOf: new Date(manifest.data_of),
        dir,
        bytes: manifest.bytes,
        at: new Date(manifest.finished_at),
      }),
    )
    return manifest
  } catch (error) {
    // The folder was empty, so that all its files are of this backup.
    for (const name of fs.readdirSync(dir))
      fs.rmSync(join(dir, name), { recursive: true, force: true })
    throw error
  } finally {
    if (!stop.aborted) await embedded.release()
  }
}

type Embedded = Awaited<ReturnType<typeof useArchived>>

async function writeBackup(
  config: Config,
  embedded: Embedded,
  { from, dir, passphrase, onBytes }: Copy,
): Promise<Manifest> {
  assertRoom(dir, sizeOf(embedded.cluster))
  const migrations = await appliedMigrations(embedded.url)
  const copied = await copyCluster(embedded, dir, systemClock, onBytes)
  const { secrets, stored } = keepSecrets(config, { from, dir, passphrase })
  // The passwords of the database's roles: a person who has its files needs none of them.
  const passwords = storeText(dir, 'postgres.json', fs.readFileSync(join(from, 'postgres.json')))
  const files = [...copied.files, passwords, ...stored].sort((a, b) => (a.path < b.path ? -1 : 1))
  const manifest: Manifest = {
    format: 1,
    kind: 'physical',
    bursar: version,
    postgres: await embeddedVersion(),
    platform: platformName(),
    migrations,
    ...copied,
    files,
    secrets,
    finished_at: systemClock.now().toISOString(),
    bytes: files.reduce((sum, { bytes }) => sum + bytes, 0),
  }
  writeManifest(dir, manifest)
  return manifest
}

const secretsSentence: Record<Manifest['secrets'], string> = {
  sealed:
    'secrets.key is in it, encrypted with the passphrase: without the passphrase, what the key encrypts cannot be read again.',
  left_out:
    'LOOK  secrets.key is NOT in it, as no passphrase was given: keep a copy of it elsewhere, or what it encrypts (webhook secrets, identity numbers) is lost.',
  setting:
    'LOOK  The key is a setting (SECRETS_KEY) and not in it: keep it elsewhere, or what it encrypts is lost.',
}

/** Stores the key, encrypted: a backup never contains it as it is. */
function keepSecrets(
  config: Config,
  { from, dir, passphrase }: Omit<Copy, 'onBytes'>,
): { secrets: Manifest['secrets']; stored: Manifest['files'] } {
  if (config.SECRETS_KEY !== null || !fs.existsSync(keyFileOf(from)))
    return { secrets: 'setting', stored: [] }
  if (passphrase === null) return { secrets: 'left_out', stored: [] }
  const sealed = sealUnder(passphrase, fs.readFileSync(keyFileOf(from)))
  return { secrets: 'sealed', stored: [storeText(dir, sealedName, sealed)] }
}
