/**
 * A backup folder: files with checksums, and a manifest that is written last. A folder without a
 * manifest is an interrupted backup.
 */
import { createHash } from 'node:crypto'
import * as fs from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { dirname, isAbsolute, join, normalize, sep } from 'node:path'
import { sha256 } from '../../lib/secrets.ts'

/** A backup that cannot be made or restored. The message is for the operator. */
export class BackupError extends Error {}

export type StoredFile = { path: string; bytes: number; sha256: string }

/** The fields of every manifest. Paths are relative to the folder, with `/`. */
export type Manifest = {
  format: 1
  kind: 'physical'
  bursar: string
  postgres: { major: number; version: string }
  platform: string
  /** The migrations of the schema. */
  migrations: string[]
  started_at: string
  /** Everything committed before this time is in the backup. */
  data_of: string
  finished_at: string
  wal: { start: string; stop: string }
  /**
   * The name of the folder for its archived WAL; none in a backup of a database that does not
   * archive.
   */
  archive?: string | null
  /** `setting`: the encryption key is a setting of the server and in no file. */
  secrets: 'sealed' | 'left_out' | 'setting'
  bytes: number
  folders: string[]
  files: StoredFile[]
}

export const manifestName = 'manifest.json'

/** Reports progress in bytes. */
export type Progress = (done: number, total: number) => void

/** Returns a function that adds up bytes and reports the progress. */
export function byteCounter(total: number, onProgress: Progress): (bytes: number) => void {
  let done = 0
  return (bytes) => {
    done += bytes
    onProgress(done, Math.max(done, total))
  }
}

/** How many files are copied concurrently; more would only wait for the disk. */
const maxConcurrent = 8
const chunkBytes = 1024 * 1024

/**
 * Runs `work` over all items, several at once. After a failure it waits for the running ones and
 * throws the first error.
 */
export async function forEach<T>(
  items: readonly T[],
  work: (item: T) => Promise<void>,
): Promise<void> {
  let next = 0
  const lane = async (): Promise<void> => {
    while (next < items.length) {
      const item = items[next++] as T
      await work(item).catch((error) => {
        next = items.length
        throw error
      })
    }
  }
  const lanes = await Promise.allSettled(Array.from({ length: maxConcurrent }, lane))
  for (const ended of lanes) if (ended.status === 'rejected') throw ended.reason
}

/**
 * Reads a file up to its current end and returns what was read: a growing file could be read
 * forever.
 * @param to a second destination
 */
async function readThrough(
  from: string,
  to: FileHandle | null,
  onBytes: (bytes: number) => void,
): Promise<Omit<StoredFile, 'path'>> {
  const source = await open(from, 'r')
  try {
    const hash = createHash('sha256')
    const buffer = Buffer.allocUnsafe(chunkBytes)
    const { size } = await source.stat()
    let bytes = 0
    for (;;) {
      const { bytesRead } = await source.read(buffer, 0, Math.min(chunkBytes, size - bytes), null)
      if (bytesRead === 0) return { bytes, sha256: hash.digest('hex') }
      const read = buffer.subarray(0, bytesRead)
      hash.update(read)
      await to?.writeFile(read)
      bytes += bytesRead
      onBytes(bytesRead)
    }
  } finally {
    await source.close()
  }
}

/** Copies a file to a new place and fsyncs it. */
export async function copyFile(
  from: string,
  to: string,
  onBytes: (bytes: number) => void,
): Promise<Omit<StoredFile, 'path'>> {
  const target = await open(to, 'wx', 0o600)
  try {
    const stored = await readThrough(from, target, onBytes)
    await target.sync()
    return stored
  } finally {
    await target.close()
  }
}

/** Writes a small file of a backup. */
export function storeText(dir: string, path: string, text: string | Uint8Array): StoredFile {
  const bytes = Buffer.from(text)
  fs.writeFileSync(join(dir, path), bytes, { mode: 0o600, flag: 'wx', flush: true })
  return { path, bytes: bytes.length, sha256: sha256(bytes).toString('hex') }
}

type Signed = { sha256: string; manifest: Manifest }

const textOf = (manifest: Manifest): string => JSON.stringify(manifest)

/** Writes the manifest, which completes the backup. */
export function writeManifest(dir: string, manifest: Manifest): void {
  const signed: Signed = { sha256: sha256(textOf(manifest)).toString('hex'), manifest }
  const draft = join(dir, `${manifestName}.draft`)
  fs.writeFileSync(draft, `${JSON.stringify(signed, null, 1)}\n`, { mode: 0o600, flush: true })
  syncFolders(dir, manifest.folders)
  fs.renameSync(draft, join(dir, manifestName))
  syncFolders(dir, [])
}

/** Fsyncs folders, so that the names of their files survive a power cut. */
export function syncFolders(dir: string, folders: string[]): void {
  // Windows cannot open folders, and persists names itself.
  if (process.platform === 'win32') return
  for (const folder of ['', ...folders]) {
    const descriptor = fs.openSync(join(dir, folder), 'r')
    fs.fsyncSync(descriptor)
    fs.closeSync(descriptor)
  }
}

/** @throws {BackupError} if the folder is no complete backup, or its manifest was changed */
export function readManifest(dir: string): Manifest {
  if (!fs.existsSync(dir)) throw new BackupError(`There is no folder ${dir}.`)
  const file = join(dir, manifestName)
  if (!fs.existsSync(file))
    throw new BackupError(
      `${dir} has no ${manifestName}: it is no backup, or one that was broken off. Nothing can be restored from it.`,
    )
  let signed: Signed
  try {
    signed = JSON.parse(fs.readFileSync(file, 'utf8')) as Signed
    if (signed.sha256 !== sha256(textOf(signed.manifest)).toString('hex'))
      throw new Error('checksum')
  } catch {
    throw new BackupError(`${file} was changed after it was written. Nothing was restored.`)
  }
  const { manifest } = signed
  if (manifest.format !== 1)
    throw new BackupError(
      `The backup has format ${manifest.format}, which Bursar ${manifest.bursar} made: restore it by that.`,
    )
  for (const path of [...manifest.folders, ...manifest.files.map((one) => one.path)])
    if (isAbsolute(path) || normalize(path).split(sep).includes('..'))
      throw new BackupError(
        `${file} names '${path}', which is not in the backup. Nothing was restored.`,
      )
  return manifest
}

/**
 * Verifies every file of a backup.
 * @throws {BackupError} that names the first file that is missing or changed
 */
export async function checkFiles(
  dir: string,
  { files, bytes }: Manifest,
  onProgress: Progress,
): Promise<void> {
  const onBytes = byteCounter(bytes, onProgress)
  await forEach(files, async (stored) => {
    const found = await readThrough(join(dir, stored.path), null, onBytes).catch(
      (error: NodeJS.ErrnoException) => error.code ?? 'unreadable',
    )
    assertUnchanged(stored, found)
  })
}

/** @throws {BackupError} if a file differs from the manifest */
export function assertUnchanged(
  stored: StoredFile,
  found: Omit<StoredFile, 'path'> | string,
): void {
  if (typeof found === 'string')
    throw new BackupError(`The backup lacks ${stored.path} (${found}). Nothing was restored.`)
  if (found.bytes !== stored.bytes || found.sha256 !== stored.sha256)
    throw new BackupError(
      `${stored.path} of the backup was changed after it was made. Nothing was restored.`,
    )
}

/**
 * Creates an empty folder.
 * @throws {BackupError} if it exists and is not empty
 */
export function makeEmptyFolder(dir: string): void {
  fs.mkdirSync(dir, { recursive: true, mode: 0o700 })
  if (fs.readdirSync(dir).length > 0)
    throw new BackupError(
      `${dir} is not empty, and nothing is ever overwritten: name another folder.`,
    )
}

/**
 * Checks the free space of the disk.
 * @throws {BackupError} if there is too little
 */
export function assertRoom(dir: string, bytes: number): void {
  let at = dir
  while (!fs.existsSync(at)) at = dirname(at)
  const { bavail, bsize } = fs.statfsSync(at)
  if (bavail * bsize < bytes)
    throw new BackupError(
      `${at} has ${mebibytes(bavail * bsize)} free, and ${mebibytes(bytes)} are needed.`,
    )
}

export const mebibytes = (bytes: number): string => `${(bytes / 1024 / 1024).toFixed(1)} MiB`
