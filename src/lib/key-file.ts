/**
 * `secrets.key` of a data directory: the current encryption key first, then earlier ones, a line
 * each.
 */
import { randomBytes } from 'node:crypto'
import { chmodSync, existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ConfigError } from './config.ts'
import { makeOnce, replaceFile } from './files.ts'
import { readSecretsKey } from './setting-readers.ts'

export const keyFileOf = (dir: string): string => join(dir, 'secrets.key')

const newKey = (): string => randomBytes(32).toString('hex')

/**
 * Returns the keys of a data directory, current one first, and creates a key if there is no file.
 * @throws {ConfigError} if a line is no key: a new one could not decrypt existing data
 */
export function readKeyFile(dir: string): [Buffer, ...Buffer[]] {
  const file = keyFileOf(dir)
  if (!existsSync(file)) {
    mkdirSync(dir, { recursive: true })
    makeOnce(file, `${newKey()}\n`)
  }
  chmodSync(file, 0o600)
  const keys = linesOf(file).map(readSecretsKey)
  if (keys.length === 0 || keys.includes(null))
    throw new ConfigError(
      `${file}: must hold 32 bytes, as 64 hex digits or as base64, on each line; restore it from your backup, or delete it if nothing was kept yet`,
    )
  return keys as [Buffer, ...Buffer[]]
}

/**
 * Makes a new key the current one.
 * @throws {ConfigError} as `readKeyFile`
 */
export function addKey(dir: string): void {
  readKeyFile(dir)
  const file = keyFileOf(dir)
  replaceFile(file, `${[newKey(), ...linesOf(file)].join('\n')}\n`)
}

/**
 * Removes all but the current key, if it is still this one.
 * @returns whether it is now the only one
 */
export function dropOldKeys(dir: string, current: Buffer): boolean {
  const [first, ...old] = readKeyFile(dir)
  if (!first.equals(current)) return false
  if (old.length > 0) replaceFile(keyFileOf(dir), `${linesOf(keyFileOf(dir))[0]}\n`)
  return true
}

const linesOf = (file: string): string[] => readFileSync(file, 'utf8').split(/\s+/).filter(Boolean)
