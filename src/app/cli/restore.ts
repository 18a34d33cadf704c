/** `bursar restore`: makes a data directory from a backup, and drills a restore. */
import * as fs from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { archivedSince } from '../../db/cluster/archive.ts'
import { clusterName } from '../../db/cluster/backup.ts'
import {
  BackupError,
  checkFiles,
  type Manifest,
  mebibytes,
  readManifest,
} from '../../db/cluster/backup-folder.ts'
import { recordDrill } from '../../db/cluster/backup-log.ts'
import {
  assertEmpty,
  assertRestorable,
  clearDraft,
  type RestoredCluster,
  sealedName,
  startCopy,
  type WalReplay,
} from '../../db/cluster/restore.ts'
import { type Database, openDatabase } from '../../db/db.ts'
import { migrate } from '../../db/schema/migrate.ts'
import { countSealed } from '../../db/sealed.ts'
import { systemClock } from '../../lib/clock.ts'
import type { Config } from '../../lib/config.ts'
import { keyFileOf, readKeyFile } from '../../lib/key-file.ts'
import { openUnder } from '../../lib/passphrase.ts'
import { whenAborted } from '../../lib/periodic.ts'
import { keyringOf } from '../../lib/secrets.ts'
import { sealedColumns, verifyBooks } from '../open.ts'
import { markRestored } from '../outgoing.ts'
import {
  assertEmbedded,
  configCommand,
  passphraseOf,
  passphraseOption,
  recordForDoctor,
} from './backup-tools.ts'
import type { Report } from './commands.ts'
import { differenceLine, verdictOf } from './differences.ts'
import { statusOf, stopSignal } from './signals.ts'
import { progress, UserError } from './terminal.ts'

type Options = {
  into: string | undefined
  drill: true | undefined
  wal: string | undefined
  until: string | undefined
  without_secrets: true | undefined
  passphrase_file: string | undefined
  json: true | undefined
}

export const restoreCommand = configCommand({
  description:
    'restore a backup into a new data directory; outgoing money is held until a person releases it',
  arguments: {
    dir: { text: 'the folder that `bursar backup` made', read: (dir: string) => resolve(dir) },
  },
  options: {
    '--into <data-dir>': 'the data directory: it must not exist, or be empty; else DATA_DIR',
    '--drill': 'restore beside the backup, verify, and delete what was restored',
    ...passphraseOption,
    '--wal <archive>': 'replay the WAL archived since then: WAL_ARCHIVE_DIR, or a copy of it',
    '--until <time>':
      'with --wal: to this moment, such as 2026-11-22T14:05:00Z; else to the end of the archive',
    '--without-secrets': 'restore without secrets.key, which is encrypted in the backup',
    '--json': 'print JSON',
  },
  run: (config, { dir, ...options }) => restore(config, dir, options),
})

async function restore(config: Config, from: string, options: Options): Promise<Report> {
  const isDrill = options.drill === true
  if (options.into === undefined && !isDrill)
    assertEmbedded(
      config,
      'restore your own PostgreSQL with pg_restore, or from pg_basebackup; then run `bursar outgoing hold --restored` before a server starts.',
    )
  const startedAt = performance.now()
  const manifest = readManifest(from)
  await assertRestorable(manifest)
  const into = isDrill
    ? join(dirname(from), `drill-${process.pid}`)
    : resolve(options.into ?? config.DATA_DIR)
  assertEmpty(into)
  const wal = replayOf(manifest, options)
  const key = openKey(config, { from, manifest }, options)
  await checkFiles(from, manifest, progress('verified', 'bytes', options.json))
  const result = await copyAndVerify(config, { from, into, manifest, key, wal, isDrill }, options)
  return reportOf(
    { from, into, manifest, isDrill },
    {
      ...result,
      segments: wal?.wal.segments.length ?? null,
      seconds: (performance.now() - startedAt) / 1000,
    },
  )
}

type Plan = {
  from: string
  into: string
  manifest: Manifest
  key: Buffer | null
  wal: WalReplay | null
  isDrill: boolean
}

/** Makes the data directory and verifies it. A failure or a signal deletes it again. */
async function copyAndVerify(
  config: Config,
  { from, into, manifest, key, wal, isDrill }: Plan,
  { json }: Options,
): Promise<Verified & { reaches: Date }> {
  const stop = stopSignal(config.STOP_TIMEOUT)
  const isNew = !fs.existsSync(into)
  let copy: RestoredCluster | null = null
  const discard = async (): Promise<void> => {
    await copy?.release()
    clearDraft(into)
    if (isNew || isDrill) fs.rmSync(into, { recursive: true, force: true })
  }
  const exit = () => discard().finally(() => process.exit(statusOf(stop.reason)))
  void whenAborted(stop).then(exit)
  try {
    const onBytes = progress('restored', 'bytes', json)
    copy = await startCopy(from, manifest, into, key, onBytes, wal)
    const verified = await settle(config, copy, progress('checked', 'checks', json))
    if (isDrill) {
      await discard()
      await recordOwnDrill(config, manifest, verified.differences.length === 0)
    } else await copy.finish()
    return { ...verified, reaches: copy.reaches }
  } catch (error) {
    // The process exits as soon as the copy is discarded.
    if (stop.aborted) return new Promise<never>(() => {})
    await discard()
    throw error
  }
}

/** Records a drill in the database of this data directory, if it has one. */
async function recordOwnDrill(config: Config, manifest: Manifest, isClean: boolean): Promise<void> {
  const dir = resolve(config.DATA_DIR)
  if (config.DATABASE_URL !== null || !fs.existsSync(join(dir, clusterName, 'PG_VERSION'))) return
  await recordForDoctor(config, (db) =>
    recordDrill(db, new Date(manifest.data_of), systemClock.now(), isClean),
  )
}

/**
 * Returns the archived WAL to replay after the backup, if any.
 * @throws {UserError} for `--until` without `--wal`, or not a time after the backup; {BackupError}
 * when the archive does not follow the backup
 */
function replayOf(manifest: Manifest, { wal: root, until: text }: Options): WalReplay | null {
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

/** Decrypts the backup's key. @throws {BackupError} without the right passphrase */
function openKey(
  config: Config,
  { from, manifest }: Pick<Plan, 'from' | 'manifest'>,
  options: Options,
): Buffer | null {
  if (manifest.secrets !== 'sealed' || options.without_secrets) return null
  const passphrase = passphraseOf(config, options.passphrase_file)
  if (passphrase === null)
    throw new BackupError(
      'secrets.key is encrypted in the backup: give its passphrase by --passphrase-file or BACKUP_PASSPHRASE, or restore --without-secrets.',
    )
  const key = openUnder(passphrase, fs.readFileSync(join(from, sealedName)))
  if (key === null)
    throw new BackupError(
      'The passphrase is not the one that secrets.key was encrypted with. Nothing was restored.',
    )
  return key
}

type Verified = Awaited<ReturnType<typeof verifyBooks>> & {
  /** Migrations that the restore applied. */
  migrated: string[]
  unreadable: Unreadable[]
}

/** Rows of a column that are encrypted under a key that the server does not have. */
type Unreadable = { column: string; rows: bigint }

/** Applies migrations, marks the data as restored, and verifies the ledger. */
async function settle(
  config: Config,
  copy: RestoredCluster,
  onCheck: (done: number, total: number) => void,
): Promise<Verified> {
  const migrated = await migrate(copy.ownerUrl, 'bursar_server')
  const db = openDatabase(copy.ownerUrl, { max: 4, onError() {} })
  try {
    await markRestored(db, systemClock, copy.reaches)
    const unreadable = await unreadableIn(db, keyIdsOf(config, copy.dir))
    return { ...(await verifyBooks({ db }, { onCheck, whole: true })), migrated, unreadable }
  } finally {
    await db.close()
  }
}

/** Returns the ids of the keys that a server of this data directory has. */
function keyIdsOf(config: Config, dir: string): string[] {
  if (config.SECRETS_KEY !== null)
    return keyringOf(config.SECRETS_KEY, config.SECRETS_KEYS_OLD).map(({ id }) => id)
  if (!fs.existsSync(keyFileOf(dir))) return []
  const [key, ...oldKeys] = readKeyFile(dir)
  return keyringOf(key, oldKeys).map(({ id }) => id)
}

async function unreadableIn(db: Database, keyIds: string[]): Promise<Unreadable[]> {
  const unreadable: Unreadable[] = []
  for (const column of sealedColumns) {
    const counts = await countSealed(db, column)
    const rows = counts
      .filter(({ key_id }) => key_id !== null && !keyIds.includes(key_id))
      .reduce((sum, one) => sum + one.rows, 0n)
    if (rows > 0n) unreadable.push({ column: column.name, rows })
  }
  return unreadable
}

type Result = Verified & {
  reaches: Date
  /** Segments of archived WAL that were replayed; null without `--wal`. */
  segments: number | null
  seconds: number
}

function reportOf(
  { from, into, manifest, isDrill }: Omit<Plan, 'key' | 'wal'>,
  result: Result,
): Report {
  const { differences, accounts, postings, unreadable, migrated, segments, seconds } = result
  const isClean = differences.length === 0
  const { bytes, files } = manifest
  const dataOf = result.reaches.toISOString()
  const where = isDrill ? 'Restored, verified and deleted again' : `Restored into ${into}`
  return {
    isFailure: !isClean,
    json: {
      dir: from,
      into: isDrill ? null : into,
      data_of: dataOf,
      segments,
      bytes,
      files: files.length,
      seconds,
      clean: isClean,
      accounts,
      postings,
      differences,
      migrated,
      unreadable,
      outgoing: isDrill ? null : 'held',
    },
    lines: [
      ...differences.map((one) => differenceLine(one)),
      `${where}: all that was committed before ${dataOf}.`,
      ...(segments === null
        ? []
        : [`That is ${segments} files of archived WAL beyond the backup.`]),
      `${files.length} files, ${mebibytes(bytes)}, in ${seconds.toFixed(1)} s.`,
      `${verdictOf(differences.length)}: ${accounts} accounts, ${postings} postings.`,
      ...unreadable.map(
        ({ column, rows }) =>
          `LOOK  ${rows} of ${column} cannot be read: their key is not at hand. Put it in secrets.key, or in SECRETS_KEYS_OLD.`,
      ),
      ...(isDrill ? [] : heldLines),
    ],
  }
}

const heldLines = [
  '',
  'What was sent or received since then is not known here, so OUTGOING MONEY IS HELD:',
  'nothing is paid out until you say so. Make sure that the old server is gone; start this one; then',
  '  bursar outgoing status              shows what waits, and what the rails say of it',
  '  bursar outgoing release --by NAME   releases it',
  'docs/backup.md says what else to do.',
]
