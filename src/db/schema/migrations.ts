/**
 * The numbered SQL migrations of this server. A migration in two halves allows a rolling upgrade:
 * `0201-name.sql` only adds and says which servers understand it; `0201-name.finish.sql` removes
 * what older servers need, once none is alive.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { sha256 } from '../../lib/secrets.ts'

const directory = new URL('./migrations/', import.meta.url)
const names = /^\d{4}-[a-z0-9-]+(\.finish)?\.sql$/
const declaration = /^-- Understood by servers from (\d{4}) on\.$/m

export type Migration = {
  name: string
  /** The second half, applied when no older server is alive. */
  finishes: boolean
  /** The newest migration that a server must know to run on a database with this one. */
  understoodFrom: number
  text: string
  checksum: string
}

/** Returns the number by which servers name their schema version. */
export const numberOf = (name: string): number => Number(name.slice(0, 4))

let kept: readonly Migration[] | null = null

/**
 * Returns all migrations in the order for an empty database, second halves last. They are cached,
 * so that a replaced package does not change the version of a running server.
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

/** Returns the newest number that this server knows. */
export const ownNumber = (): number =>
  Math.max(...readMigrations().map(({ name }) => numberOf(name)))

/** Returns the names of all migrations that this server knows. */
export const knownMigrations = (): string[] => readMigrations().map(({ name }) => name)
