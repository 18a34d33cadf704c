/**
 * `bursar backup` and `bursar restore`, for the embedded database.
 */
import * as fs from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import type { Command } from 'commander'
import { archivedSince, useArchived } from '../../db/cluster/archive.ts'
import { clusterName, copyCluster, sizeOf } from '../../db/cluster/backup.ts'
import {
  assertRoom,
  BackupError,
  checkFiles,
  type Manifest,
  makeEmptyFolder,
  mebibytes,
  readManifest,
  storeText,
  writeManifest,
} from '../../db/cluster/backup-folder.ts'
import { recordBackup, recordDrill } from '../../db/cluster/backup-log.ts'
import {
  assertEmpty,
  assertRestorable,
  clearDraft,
  embeddedVersion,
  platformName,
  type RestoredCluster,
  sealedName,
  startCopy,
  type WalReplay,
} from '../../db/cluster/restore.ts'
import { type Database, openDatabase } from '../../db/db.ts'
import { appliedMigrations, migrate } from '../../db/schema/migrate.ts'
import { countSealed } from '../../db/sealed.ts'
import { systemClock } from '../../lib/clock.ts'
import type { Config } from '../../lib/config.ts'
import { toJson } from '../../lib/json.ts'
import { keyFileOf, readKeyFile } from '../../lib/key-file.ts'
import { openUnder, sealUnder } from '../../lib/passphrase.ts'
import { keyringOf } from '../../lib/secrets.ts'
import { version } from '../../lib/version.ts'
import { sealedColumns, verifyBooks } from '../open.ts'
import { markRestored } from '../outgoing.ts'
import type { CommandContext } from './context.ts'
import { statusOf, stopSignal } from './signals.ts'
import { print, progress, UserError } from './terminal.ts'

type Options = { passphraseFile?: string; json?: boolean }
type RestoreOptions = Options & {
  into?: string
  drill?: boolean
  withoutSecrets?: boolean
  wal?: string
  until?: string
}

const passphraseOption = [
  '--passphrase-file <file>',
  'the passphrase that seals secrets.key in the backup; else BACKUP_PASSPHRASE',
] as const

/** Adds `bursar backup` and `bursar restore`. */
export function addBackupCommands(program: Command, { config }: CommandContext): void {
  program
    .command('backup')
    .description('copy the embedded database into a new folder, while the server runs')
    .argument('<dir>', 'the folder: it must not exist, or be empty')
    .option(...passphraseOption)
    .option('--json', 'print JSON')
    .action((dir: string, options: Options) => backup(config(), resolve(dir), options))
  program
    .command('restore')
    .description(
      'make a data directory of a backup; outgoing money is held in it until a person lets it go',
    )
    .argument('<dir>', 'the folder that `bursar backup` made')
    .option(
      '--into <data-dir>',
      'the data directory: it must not exist, or be empty; else DATA_DIR',
    )
    .option('--drill', 'restore beside the backup, verify, and delete what was restored')
    .option(...passphraseOption)
    .option(
      '--wal <archive>',
      'go on with the WAL that was archived since: WAL_ARCHIVE_DIR, or a copy of it',
    )
    .option(
      '--until <time>',
      'with --wal: to this moment, such as 2026-11-22T14:05:00Z; else to the end of the archive',
    )
    .option('--without-secrets', 'restore without secrets.key, which is sealed in the backup')
    .option('--json', 'print JSON')
    .action((dir: string, options: RestoreOptions) => restore(config(), resolve(dir), options))
}

/** @throws {UserError} on a database of the operator's own: PostgreSQL has better tools for it */
function assertEmbedded({ DATABASE_URL: url }: Config, sentence: string): void {
  if (url !== null)
    throw new UserError(`DATABASE_URL is set: ${sentence} docs/backup.md has the commands.`)
}

/** @throws {UserError} when the file holds none */
function passphraseOf(
  { BACKUP_PASSPHRASE: given }: Config,
  { passphraseFile: file }: Options,
): string | null {
  if (file === undefined) return given
  const text = fs.readFileSync(file, 'utf8').replace(/[\r\n]+$/, '')
  if (text.length < 12)
    throw new UserError(`--passphrase-file ${file}: must hold at least 12 characters.`)
  return text
}

async function backup(config: Config, dir: string, options: Options): Promise<void> {
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
  const passphrase = passphraseOf(config, options)
  const startedAt = performance.now()
  makeEmptyFolder(dir)
  const stop = stopSignal(config.STOP_TIMEOUT)
  const embedded = await useArchived(config, 'tool')
  // What was copied so far stays without a manifest, and is no backup.
  stop.addEventListener(
    'abort',
    () => void embedded.release().finally(() => process.exit(statusOf(stop.reason))),
  )
  let manifest: Manifest
  try {
    assertRoom(dir, sizeOf(embedded.cluster))
    const migrations = await appliedMigrations(embedded.url)
    const copied = await copyCluster(
      embedded,
      dir,
      systemClock,
      progress('copied', 'bytes', options.json),
    )
    const { secrets, stored } = keepSecrets(config, from, dir, passphrase)
    // The passwords of the database's roles: whoever has the files of the database needs none.
    const passwords = storeText(dir, 'postgres.json', fs.readFileSync(join(from, 'postgres.json')))
    const files = [...copied.files, passwords, ...stored].sort((a, b) => (a.path < b.path ? -1 : 1))
    manifest = {
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
    await recorded(config, (db) =>
      recordBackup(db, {
        dataOf: new Date(manifest.data_of),
        dir,
        bytes: manifest.bytes,
        at: new Date(manifest.finished_at),
      }),
    )
  } catch (error) {
    // It was empty, so all that is in it is ours.
    for (const name of fs.readdirSync(dir))
      fs.rmSync(join(dir, name), { recursive: true, force: true })
    throw error
  } finally {
    if (!stop.aborted) await embedded.release()
  }
  const seconds = (performance.now() - startedAt) / 1000
  const { files, folders: _, ...said } = manifest
  if (options.json) {
    print(toJson({ dir, seconds, ...said, files: files.length }))
    return
  }
  print(`${dir} holds all that was committed before ${manifest.data_of}.`)
  print(
    `${files.length} files, ${mebibytes(manifest.bytes)}, in ${seconds.toFixed(1)} s. Bursar ${version}, PostgreSQL ${manifest.postgres.version}.`,
  )
  print(secretsSentence[manifest.secrets])
  if (fs.statSync(dir).dev === fs.statSync(from).dev)
    print(
      'LOOK  It is on the disk of the data, and would be lost with it: copy it to another machine.',
    )
  print(`Try it: bursar restore ${dir} --drill`)
}

/**
 * Keeps what `bursar doctor` looks back at. What cannot be recorded was made, or tried, all the
 * same.
 */
async function recorded(config: Config, record: (db: Database) => Promise<void>): Promise<void> {
  try {
    const embedded = await useArchived(config, 'tool')
    const db = openDatabase(embedded.url, { max: 1, onError() {} })
    await record(db)
      .finally(() => db.close())
      .finally(() => embedded.release())
  } catch (error) {
    console.error(`LOOK  \`bursar doctor\` will not know of this: ${(error as Error).message}`)
  }
}

/**
 * Records a drill where the backup was made: in the database of this data directory, if it has one.
 */
async function recordTrial(config: Config, manifest: Manifest, clean: boolean): Promise<void> {
  const dir = resolve(config.DATA_DIR)
  if (config.DATABASE_URL !== null || !fs.existsSync(join(dir, clusterName, 'PG_VERSION'))) return
  await recorded(config, (db) =>
    recordDrill(db, new Date(manifest.data_of), systemClock.now(), clean),
  )
}

const secretsSentence: Record<Manifest['secrets'], string> = {
  sealed:
    'secrets.key is in it, sealed by the passphrase: without that, what the key seals cannot be read again.',
  left_out:
    'LOOK  secrets.key is NOT in it, as no passphrase was given: keep a copy of it elsewhere, or what it seals (webhook secrets, identity numbers) is lost.',
  setting:
    'LOOK  The key is a setting (SECRETS_KEY) and not in it: keep it elsewhere, or what it seals is lost.',
}

/** The key never goes into a backup as it is. */
function keepSecrets(
  config: Config,
  from: string,
  dir: string,
  passphrase: string | null,
): { secrets: Manifest['secrets']; stored: Manifest['files'] } {
  if (config.SECRETS_KEY !== null || !fs.existsSync(keyFileOf(from)))
    return { secrets: 'setting', stored: [] }
  if (passphrase === null) return { secrets: 'left_out', stored: [] }
  const sealed = sealUnder(passphrase, fs.readFileSync(keyFileOf(from)))
  return { secrets: 'sealed', stored: [storeText(dir, sealedName, sealed)] }
}

async function restore(config: Config, from: string, options: RestoreOptions): Promise<void> {
  if (options.into === undefined && options.drill !== true)
    assertEmbedded(
      config,
      'restore your own PostgreSQL with pg_restore, or from pg_basebackup; then run `bursar outgoing hold --restored` before a server starts.',
    )
  const startedAt = performance.now()
  const manifest = readManifest(from)
  await assertRestorable(manifest)
  const into = options.drill
    ? join(dirname(from), `drill-${process.pid}`)
    : resolve(options.into ?? config.DATA_DIR)
  assertEmpty(into)
  const further = furtherOf(manifest, options)
  const key = openKey(config, from, manifest, options)
  await checkFiles(from, manifest, progress('verified', 'bytes', options.json))
  const stop = stopSignal(config.STOP_TIMEOUT)
  const made = !fs.existsSync(into)
  let copy: RestoredCluster | null = null
  const giveUp = async (): Promise<void> => {
    await copy?.release()
    clearDraft(into)
    if (made || options.drill) fs.rmSync(into, { recursive: true, force: true })
  }
  stop.addEventListener(
    'abort',
    () => void giveUp().finally(() => process.exit(statusOf(stop.reason))),
  )
  try {
    copy = await startCopy(
      from,
      manifest,
      into,
      key,
      progress('restored', 'bytes', options.json),
      further,
    )
    const found = await settle(config, copy, progress('checked', 'checks', options.json))
    const seconds = (performance.now() - startedAt) / 1000
    if (options.drill) {
      await giveUp()
      await recordTrial(config, manifest, found.differences.length === 0)
    } else await copy.finish()
    report(from, into, manifest, options, {
      ...found,
      reaches: copy.reaches,
      segments: further?.wal.segments.length ?? null,
      seconds,
    })
  } catch (error) {
    if (stop.aborted) return
    await giveUp()
    throw error
  }
}

/**
 * What a restore goes on with beyond the backup.
 * @throws {UserError} or {BackupError} when that cannot be
 */
function furtherOf(
  manifest: Manifest,
  { wal: root, until: text }: RestoreOptions,
): WalReplay | null {
  if (root === undefined) {
    if (text !== undefined)
      throw new UserError('--until needs --wal: a backup alone is of the moment at which it ended.')
    return null
  }
  if (
    text !== undefined &&
    !/^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/.test(text)
  )
    throw new UserError(
      `--until '${text}': must be a time with its zone, such as 2026-11-22T14:05:00Z.`,
    )
  const until = text === undefined ? null : new Date(text)
  if (until !== null && !(until > new Date(manifest.data_of)))
    throw new UserError(
      `--until ${text} is not after ${manifest.data_of}, when the backup ended: take one of before.`,
    )
  return { wal: archivedSince(manifest, resolve(root)), until }
}

/** @throws {BackupError} when the key is sealed and cannot be opened */
function openKey(
  config: Config,
  from: string,
  { secrets }: Manifest,
  options: RestoreOptions,
): Buffer | null {
  if (secrets !== 'sealed' || options.withoutSecrets) return null
  const passphrase = passphraseOf(config, options)
  if (passphrase === null)
    throw new BackupError(
      'secrets.key is sealed in the backup: give its passphrase by --passphrase-file or BACKUP_PASSPHRASE, or restore --without-secrets.',
    )
  const key = openUnder(passphrase, fs.readFileSync(join(from, sealedName)))
  if (key === null)
    throw new BackupError(
      'The passphrase is not the one that secrets.key was sealed by. Nothing was restored.',
    )
  return key
}

type Found = Awaited<ReturnType<typeof verifyBooks>> & {
  /** Migrations that the data had not yet. */
  migrated: string[]
  /** What is sealed under a key that is not at hand: columns, and how many of their rows. */
  unreadable: { column: string; rows: bigint }[]
}

/**
 * Brings the schema up to date, marks the data as restored, and holds the books against everything.
 */
async function settle(
  config: Config,
  copy: RestoredCluster,
  onCheck: (done: number, total: number) => void,
): Promise<Found> {
  const migrated = await migrate(copy.ownerUrl, 'bursar_server')
  const db = openDatabase(copy.ownerUrl, { max: 4, onError() {} })
  try {
    await markRestored(db, systemClock, copy.reaches)
    const file = copy.dir
    const keys =
      config.SECRETS_KEY !== null
        ? keyringOf(config.SECRETS_KEY, config.SECRETS_KEYS_OLD)
        : fs.existsSync(keyFileOf(file))
          ? keyringOf(...splitFirst(readKeyFile(file)))
          : []
    const ids = keys.map(({ id }) => id)
    const unreadable = []
    for (const column of sealedColumns) {
      const sealed = await countSealed(db, column)
      const rows = sealed.reduce(
        (sum, one) => (one.key_id === null || ids.includes(one.key_id) ? sum : sum + one.rows),
        0n,
      )
      if (rows > 0n) unreadable.push({ column: column.name, rows })
    }
    return { ...(await verifyBooks({ db }, { onCheck, whole: true })), migrated, unreadable }
  } finally {
    await db.close()
  }
}

/**
 * Until when the data reach, how many segments of archived WAL they were made with, or null for
 * none, and how long all took.
 */
type Reached = { reaches: Date; segments: number | null; seconds: number }

const splitFirst = <T>([first, ...others]: [T, ...T[]]): [T, T[]] => [first, others]

function report(
  from: string,
  into: string,
  manifest: Manifest,
  { drill, json }: RestoreOptions,
  {
    differences,
    accounts,
    postings,
    unreadable,
    migrated,
    reaches,
    segments,
    seconds,
  }: Found & Reached,
): void {
  const clean = differences.length === 0
  if (!clean) process.exitCode = 1
  const { bytes, files } = manifest
  const dataOf = reaches.toISOString()
  if (json) {
    const size = { data_of: dataOf, segments, bytes, files: files.length, seconds }
    const books = { clean, accounts, postings, differences, migrated, unreadable }
    print(
      toJson({
        dir: from,
        into: drill ? null : into,
        ...size,
        ...books,
        outgoing: drill ? null : 'held',
      }),
    )
    return
  }
  for (const { check, business_id, livemode, what, expected, found } of differences)
    print(
      `DIFFERENCE  ${check}: ${business_id} ${livemode ? 'live' : 'test'} ${what}: expected ${expected}, found ${found}`,
    )
  print(
    `${drill ? 'Restored, verified and deleted again' : `Restored into ${into}`}: all that was committed before ${dataOf}.`,
  )
  if (segments !== null) print(`That is ${segments} files of archived WAL beyond the backup.`)
  print(`${files.length} files, ${mebibytes(bytes)}, in ${seconds.toFixed(1)} s.`)
  print(
    `${clean ? 'The books are clean' : `${differences.length} differences`}: ${accounts} accounts, ${postings} postings.`,
  )
  for (const { column, rows } of unreadable)
    print(
      `LOOK  ${rows} of ${column} cannot be read: their key is not at hand. Put it in secrets.key, or in SECRETS_KEYS_OLD.`,
    )
  if (drill) return
  print('')
  print('What was sent or received since then is not known here, so OUTGOING MONEY IS HELD:')
  print(
    'nothing is paid out until you say so. Make sure that the old server is gone; start this one; then',
  )
  print('  bursar outgoing status              shows what waits, and what the rails say of it')
  print('  bursar outgoing release --by NAME   lets it go')
  print('docs/backup.md says what else to do.')
}
