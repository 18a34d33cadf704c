/**
 * `secrets.key` of a data directory: the key in use on the first line, those before it below.
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
 * The keys of a data directory, that in use first. Makes one where there is none.
 * @throws {ConfigError} when a line is no key: what was sealed needs the one that was there
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

/** Puts a new key in front of the others. @throws {ConfigError} as `readKeyFile` */
export function addKey(dir: string): void {
  readKeyFile(dir)
  const file = keyFileOf(dir)
  replaceFile(file, `${[newKey(), ...linesOf(file)].join('\n')}\n`)
}

/**
 * Leaves the key in use alone in the file, where it is still this one. @returns whether it is alone
 * there now
 */
export function dropOldKeys(dir: string, current: Buffer): boolean {
  const [first, ...old] = readKeyFile(dir)
  if (!first.equals(current)) return false
  if (old.length > 0) replaceFile(keyFileOf(dir), `${linesOf(keyFileOf(dir))[0]}\n`)
  return true
}

const linesOf = (file: string): string[] => readFileSync(file, 'utf8').split(/\s+/).filter(Boolean)
