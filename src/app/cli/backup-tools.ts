/** What `bursar backup` and `bursar restore` share. */
import * as fs from 'node:fs'
import { useArchived } from '../../db/cluster/archive.ts'
import { type Database, openDatabase } from '../../db/db.ts'
import type { Config } from '../../lib/config.ts'
import { commandsWith } from './commands.ts'
import { UserError } from './terminal.ts'

/** Declares a command that needs the settings alone. */
export const configCommand = commandsWith<Config>()

export const passphraseOption = {
  '--passphrase-file <file>':
    'the passphrase that encrypts secrets.key in the backup; else BACKUP_PASSPHRASE',
} as const

/** @throws {UserError} with a sentence if the database is the operator's own PostgreSQL */
export function assertEmbedded({ DATABASE_URL: url }: Config, sentence: string): void {
  if (url !== null)
    throw new UserError(`DATABASE_URL is set: ${sentence} docs/backup.md has the commands.`)
}

/** Reads the passphrase of a file or the settings. @throws {UserError} if the file's is too short */
export function passphraseOf(
  { BACKUP_PASSPHRASE: given }: Config,
  file: string | undefined,
): string | null {
  if (file === undefined) return given
  const text = fs.readFileSync(file, 'utf8').replace(/[\r\n]+$/, '')
  if (text.length < 12)
    throw new UserError(`--passphrase-file ${file}: must hold at least 12 characters.`)
  return text
}

/** Records a backup or a drill for `bursar doctor`. If it cannot, it warns and goes on. */
export async function recordForDoctor(
  config: Config,
  record: (db: Database) => Promise<void>,
): Promise<void> {
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
