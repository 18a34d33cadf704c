/** `bursar cells add` and `drain`: changes of CELLS_FILE alone. */
import { openDatabase } from '../../db/db.ts'
import { claimCell } from '../../db/moves/own-cell.ts'
import { migrateAsOwner } from '../../db/schema/migrate.ts'
import { type CellEntry, changeCells } from '../cells/cells.ts'
import { assertUnused, cellCommand, findCell, readValue } from './cells-tools.ts'

export const fileCommands = {
  add: cellCommand({
    description:
      'add a cell to CELLS_FILE: brings its database up to this version, and gives it its letter',
    arguments: { letter: 'one lower-case letter, for good' },
    options: {
      '--database-url <url>': {
        text: 'its PostgreSQL, as the role that serves; env:NAME reads a variable of the environment',
        isRequired: true,
      },
      '--migrate-database-url <url>': 'the same as the role that owns the tables',
      '--read-url <url>': 'a replica of it',
      '--rails-file <file>': 'its accounts at providers',
      '--evm-file <file>': 'its networks',
    },
    async run({ env }, { letter, ...options }) {
      assertUnused(env, letter)
      const { migrate_database_url: ownerUrl, database_url: servingUrl } = options
      const url = readValue(env, servingUrl)
      await migrateAsOwner({
        url,
        ownerUrl: ownerUrl === undefined ? null : readValue(env, ownerUrl),
      })
      const db = openDatabase(url, { max: 1, onError() {} })
      await claimCell(db, letter, { claims: true }).finally(() => db.close())
      changeCells(env, (cells) => {
        cells[letter] = entryOf(options)
      })
      return {
        lines: [
          `Cell ${letter} is there. Servers that follow this file start it by themselves; give it to those on other machines, too.`,
        ],
      }
    },
  }),
  drain: cellCommand({
    description: 'place no new businesses in a cell; its businesses stay',
    arguments: { letter: 'the cell' },
    options: { '--undo': 'place new businesses there again' },
    async run({ env }, { letter, undo }) {
      findCell(env, letter)
      changeCells(env, (cells) => {
        const cell = cells[letter] as CellEntry
        if (undo) delete cell.accepts
        else cell.accepts = false
      })
      return {
        lines: [
          undo
            ? `New businesses may go to cell ${letter}.`
            : `Cell ${letter} takes no new businesses.`,
        ],
      }
    },
  }),
}

type EntryOptions = { database_url: string } & {
  [Key in 'migrate_database_url' | 'read_url' | 'rails_file' | 'evm_file']: string | undefined
}

/** Returns the entry of CELLS_FILE, without options that are left out or empty. */
function entryOf({ database_url, ...others }: EntryOptions): CellEntry {
  const given = Object.entries(others).filter(([, value]) => value)
  return { database_url, ...Object.fromEntries(given) }
}
