/**
 * Files that are there whole or not at all, such as generated secrets.
 */
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

/**
 * Makes a file that only its owner can read, unless there is one: also when another process makes
 * it at the same time, or the power fails, the file is there whole or not at all. What was there
 * stays.
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
  // Windows opens no folders, and keeps names by itself.
  if (process.platform !== 'win32') syncFolder(dirname(file))
}

/**
 * Gives a file another text, and to its owner alone: whoever reads it meanwhile, or after the power
 * failed, has the one or the other.
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
