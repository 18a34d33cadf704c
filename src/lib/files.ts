/** Atomic writes of small files, such as generated secrets, and files in answers. */
import {
  closeSync,
  fsyncSync,
  linkSync,
  openSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname } from 'node:path'

/** Returns a file that is there as a whole, as the chunks that routes answer with. */
export async function* wholeFile(content: Uint8Array): AsyncGenerator<Uint8Array> {
  yield content
}

/**
 * Creates a file that only its owner can read, unless it exists. It is fsynced and renamed, so that
 * it is complete or missing, also after a power cut or with concurrent processes.
 */
export function makeOnce(file: string, text: string): void {
  const draft = `${file}.${process.pid}`
  writeFileSync(draft, text, { mode: 0o600, flush: true })
  try {
    linkSync(draft, file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    rmSync(draft)
  }
  // Windows cannot open folders, and persists names itself.
  if (process.platform !== 'win32') syncFolder(dirname(file))
}

/**
 * Replaces a file atomically, readable for its owner only: readers and a power cut see the old or
 * the new text.
 */
export function replaceFile(file: string, text: string): void {
  const draft = `${file}.${process.pid}`
  writeFileSync(draft, text, { mode: 0o600, flush: true })
  renameSync(draft, file)
  if (process.platform !== 'win32') syncFolder(dirname(file))
}

function syncFolder(folder: string): void {
  const descriptor = openSync(folder, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}
