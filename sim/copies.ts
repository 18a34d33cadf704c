/**
 * What an operator does while everything goes on: backups that are restored, and the next version
 * beside this one.
 */
import { spawn } from 'node:child_process'
import { cpSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
/** What of the project a copy of it runs with. */
export const parts = ['src', 'bin', 'sim', 'test', 'package.json']
/** Where the next version is. */
const nextIn = (dir: string): string => join(dir, 'next')

/** What a command says of a database that was away, or of a disk that was full. */
const away =
  /ECONN|EPIPE|connection|recovery|starting up|shutting down|terminat|too many clients|timeout|No space left|accepting|aborted/i

/** What the backups are sealed with. */
export const passphrase = 'correct horse battery staple'

/** What commands have printed since it was looked at. */
export const printed: string[] = []

/** Runs a command as an operator does, to its end. @param of the version whose command it is */
export function command(
  args: string[],
  env: NodeJS.ProcessEnv,
  of = root,
): Promise<{ code: number | null; out: string }> {
  const bin = join(of, 'bin/bursar.js')
  const child = spawn(process.execPath, [bin, ...args], { env: { ...process.env, ...env } })
  let out = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      out += chunk
    })
  return new Promise((resolve) =>
    child.on('close', (code) => {
      printed.push(out)
      resolve({ code, out })
    }),
  )
}

/**
 * Backs up while everything goes on, restores that beside it, and verifies its books. What the next
 * version may have migrated, that version restores.
 * @returns null where the database was away meanwhile, so that there is no backup; else what is
 * wrong, or ''
 */
export async function backUpAndRestore(
  dir: string,
  env: Record<string, string>,
): Promise<string | null> {
  const at = join(dir, 'backup')
  // As an operator's shell has it: only the servers are told where the embedded database listens.
  const embedded = {
    DATABASE_URL: undefined,
    MIGRATE_DATABASE_URL: undefined,
    DATA_DIR: join(dir, 'data'),
  }
  const own = { ...env, ...embedded, BACKUP_PASSPHRASE: passphrase }
  rmSync(at, { recursive: true, force: true })
  try {
    const made = await command(['backup', at], own)
    if (made.code !== 0) return away.test(made.out) ? null : made.out.slice(-1_500)
    const { code, out } = await command(['restore', at, '--drill'], own, nextIn(dir))
    return code === 0 ? '' : out.slice(-1_500)
  } finally {
    rmSync(at, { recursive: true, force: true })
  }
}

/** The next version: this one, with migrations more. */
export type Next = {
  dir: string
  /** Adds a migration, which the next process of it applies. */
  grow(): void
}

export function makeNext(at: string): Next {
  const dir = nextIn(at)
  for (const part of parts) cpSync(join(root, part), join(dir, part), { recursive: true })
  symlinkSync(join(root, 'node_modules'), join(dir, 'node_modules'))
  let made = 0
  return {
    dir,
    grow() {
      const number = 9_000 + made++
      const column = `more_${number}`
      const text = `-- Payouts keep more.\n-- Understood by servers from 0012 on.\nalter table payouts add column ${column} timestamptz(3);\nalter table payouts alter column ${column} set default now();\n`
      writeFileSync(join(dir, `src/db/schema/migrations/${number}-more.sql`), text)
    },
  }
}
