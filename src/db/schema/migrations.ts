/**
 * The migrations that this server brings: numbered SQL files. One in two halves lets servers of the
 * version before go on beside those of this one: `0201-name.sql` only adds, and says from which
 * migration on servers understand it; `0201-name.finish.sql` takes away what those of before need,
 * and is applied by `bursar migrate --finish` once none of them is alive.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { sha256 } from '../../lib/secrets.ts'

const directory = new URL('./migrations/', import.meta.url)
const names = /^\d{4}-[a-z0-9-]+(\.finish)?\.sql$/
const declaration = /^-- Understood by servers from (\d{4}) on\.$/m

export type Migration = {
  name: string
  /** Of two halves, the second: applied when no server of before is alive. */
  finishes: boolean
  /**
   * The newest migration that a server must know of at least to run on a database that has this
   * one.
   */
  understoodFrom: number
  text: string
  checksum: string
}

/** Which one it is: what a server's version of the schema is known by. */
export const numberOf = (name: string): number => Number(name.slice(0, 4))

let kept: readonly Migration[] | null = null

/**
 * All, in the order in which an empty database gets them: second halves last. They are those of
 * when it was first asked: a package that is replaced under a running server does not make it
 * another version.
 */
export function readMigrations(): readonly Migration[] {
  kept ??= read()
  return kept
}

function read(): Migration[] {
  const all = readdirSync(directory)
    .filter((name) => names.test(name))
    .sort()
    .map((name): Migration => {
      const text = readFileSync(new URL(name, directory), 'utf8')
      const declared = declaration.exec(text)?.[1]
      return {
        name,
        text,
        finishes: name.endsWith('.finish.sql'),
        checksum: sha256(text).toString('hex'),
        understoodFrom: Number(declared ?? numberOf(name)),
      }
    })
  return [...all.filter(({ finishes }) => !finishes), ...all.filter(({ finishes }) => finishes)]
}

/** The newest that this server knows. */
export const ownNumber = (): number =>
  Math.max(...readMigrations().map(({ name }) => numberOf(name)))

/** The names of all that this server knows. */
export const knownMigrations = (): string[] => readMigrations().map(({ name }) => name)
