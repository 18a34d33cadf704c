/**
 * `bursar cells add | drain | move | split`: cells that come, fill up, go to another server, and
 * part.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Command } from 'commander'
import { keepMovedChain } from '../../books/proofs/proofs.ts'
import type { App } from '../../core/app.ts'
import { newClient, openDatabase } from '../../db/db.ts'
import { forgetMoved } from '../../db/moves/forget.ts'
import * as moves from '../../db/moves/moves.ts'
import { claimCell } from '../../db/moves/own-cell.ts'
import { migrateAsOwner } from '../../db/schema/migrate.ts'
import { cellLetter } from '../../lib/cells.ts'
import { systemClock } from '../../lib/clock.ts'
import { textOf } from '../../lib/config.ts'
import { isId } from '../../lib/ids.ts'
import { type Cell, type CellEntry, changeCells, readCells } from '../cells/cells.ts'
import { verifyBooks } from '../open.ts'
import { progress, UserError } from './terminal.ts'

export type MoveTools = {
  env: NodeJS.ProcessEnv
  print(line: string): void
  /** Opens the parts over the database of a cell, or over another one with the cell's settings. */
  withCell(
    letter: string,
    work: (app: App) => Promise<void>,
    at?: { url: string; letter: string },
  ): Promise<void>
}

type Urls = {
  databaseUrl: string
  migrateDatabaseUrl?: string
  readUrl?: string
  railsFile?: string
  evmFile?: string
}
type MoveOptions = { from?: string; to: string; serve?: string; giveUp?: true }
type SplitOptions = MoveOptions & { business: string; cell: string; keep?: true }

const lookMs = 500

/** Adds them to `bursar cells`. */
export function addMoveCommands(cells: Command, { env, print, withCell }: MoveTools): void {
  const known = (): Cell[] => {
    const found = readCells(env)
    if (found === null)
      throw new UserError('There is one cell: CELLS_FILE names several, and is not set.')
    return found
  }
  const cellOf = (letter: string): Cell => {
    const found = known().find((cell) => cell.letter === letter)
    if (!found)
      throw new UserError(
        `There is no cell ${letter}: there are ${known()
          .map((cell) => cell.letter)
          .join(', ')}.`,
      )
    return found
  }
  const free = (letter: string): string => {
    if (!cellLetter.test(letter))
      throw new UserError(`'${letter}' is no name of a cell: one lower-case letter is.`)
    if (known().some((cell) => cell.letter === letter))
      throw new UserError(`There is a cell ${letter} already.`)
    return letter
  }
  /** `env:NAME` is what the environment has; the file keeps the name. */
  const readValue = (text: string): string => {
    if (!text.startsWith('env:')) return text
    const value = textOf(env, text.slice(4))
    if (!value) throw new UserError(`The environment has no ${text.slice(4)}, or it is empty.`)
    return value
  }
  const sayingWhy = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work()
    } catch (error) {
      throw error instanceof moves.MoveError ? new UserError(error.message) : error
    }
  }

  cells
    .command('add')
    .description(
      'add a cell to CELLS_FILE: brings its database up to this version, and gives it its letter',
    )
    .argument('<letter>', 'one lower-case letter, for good')
    .requiredOption(
      '--database-url <url>',
      'its PostgreSQL, as the role that serves; env:NAME for what the environment has',
    )
    .option('--migrate-database-url <url>', 'the same as the role that owns the tables')
    .option('--read-url <url>', 'a replica of it')
    .option('--rails-file <file>', 'its accounts at providers')
    .option('--evm-file <file>', 'its networks')
    .action(async (letter: string, urls: Urls) => {
      free(letter)
      const ownerUrl =
        urls.migrateDatabaseUrl === undefined ? null : readValue(urls.migrateDatabaseUrl)
      const url = readValue(urls.databaseUrl)
      await migrateAsOwner({ url, ownerUrl })
      const db = openDatabase(url, { max: 1, onError() {} })
      await claimCell(db, letter, { claims: true }).finally(() => db.close())
      changeCells(env, (all) => {
        all[letter] = entryOf(urls)
      })
      print(
        `Cell ${letter} is there. Servers that follow this file start it by themselves; give it to those on other machines, too.`,
      )
    })

  cells
    .command('drain')
    .description('have no new businesses made in a cell; those that it has stay')
    .argument('<letter>', 'the cell')
    .option('--undo', 'have them made there again')
    .action((letter: string, { undo }: { undo?: true }) => {
      cellOf(letter)
      changeCells(env, (all) => {
        const cell = all[letter] as CellEntry
        if (undo) delete cell.accepts
        else cell.accepts = false
      })
      print(
        undo
          ? `New businesses may go to cell ${letter}.`
          : `Cell ${letter} takes no new businesses.`,
      )
    })

  /**
   * Copies, verifies, switches. @param change what the file has afterwards, which is tried out
   * before
   */
  const run = (
    move: moves.Move,
    source: Cell,
    change: (cells: Record<string, CellEntry>) => void,
  ): Promise<void> =>
    moves.withMoveLock(move, async () => {
      changeCells(env, change, 'only look')
      if ((await moves.stageOf(move)) !== 'moved') {
        await moves.startCopying(move)
        const onTables = progress('copied', 'tables', false)
        for (
          let at = await moves.progressOf(move);
          at.done < at.all || at.all === 0;
          at = await moves.progressOf(move)
        ) {
          onTables(at.done, at.all)
          await sleep(lookMs)
        }
        onTables.end()
        print('All is copied, and followed. Verifying the books of both sides.')
        await withCell(source.letter, (app) => verifyHere(app, 'the old database'))
        // By the role that is to serve: what is wrong with its URL is known before the switch.
        await withCell(source.letter, (app) => verifyHere(app, 'the new database', true), {
          url: move.serve ?? move.to,
          letter: move.letter,
        })
      }
      const { pauseMs, compared } = await moves.switchDatabases(move)
      changeCells(env, change)
      print(`Switched: writers waited for ${pauseMs} ms. Compared meanwhile: ${compared}.`)
      await moves.removeReplication(move)
    })

  const verifyHere = async (app: App, where: string, isFollowing = false): Promise<void> => {
    // What is on its way at that moment is not there yet: a difference that stays is one.
    for (let tries = isFollowing ? 3 : 1; ; tries--) {
      const { accounts, postings, differences } = await verifyBooks(app, { whole: true })
      const found = isFollowing
        ? differences.filter(({ check }) => !unfollowed.test(check))
        : differences
      if (found.length === 0)
        return print(`The books of ${where} are clean: ${accounts} accounts, ${postings} postings.`)
      if (tries > 1) await sleep(lookMs)
      else {
        const [first] = found as [(typeof found)[number]]
        throw new UserError(
          `The books of ${where} have ${found.length} differences (${first.check}: ${first.what}). Nothing was switched: give the move up, or look into it and go on.`,
        )
      }
    }
  }

  const giveUp = async (move: moves.Move): Promise<void> => {
    const reaches = await canReach(move.to)
    await sayingWhy(() => moves.withMoveLock(move, () => moves.abandonMove(move, reaches)))
    print(
      'Given up: the old database goes on as before. Drop the new one, and make it anew before you begin again.',
    )
  }

  cells
    .command('move')
    .description(
      'take a cell to another PostgreSQL server while it works; writers wait for less than five seconds',
    )
    .argument('<letter>', 'the cell')
    .requiredOption(
      '--to <url>',
      'the new database, empty, as a role that is to own its tables and may subscribe',
    )
    .option(
      '--serve <url>',
      'the same as the role that is to serve; where it is left out, that of --to',
    )
    .option(
      '--from <url>',
      'the database of now, as the owner of its tables, who may replicate, and as the new server reaches it',
    )
    .option('--give-up', 'end a move that was not switched: the old database goes on as before')
    .action((letter: string, { from, to, serve, giveUp: gives }: MoveOptions) =>
      sayingWhy(async () => {
        const source = cellOf(letter)
        const move = {
          letter,
          business: null,
          from: sourceUrl(source, from && readValue(from)),
          to: readValue(to),
          serve: serve === undefined ? null : readValue(serve),
        }
        if (gives) return giveUp(move)
        await run(move, source, (all) => takeOver(all[letter] as CellEntry, to, serve))
        print(
          `Cell ${letter} is at the new database. Give this file to servers on other machines; then the old database can go.`,
        )
      }),
    )

  cells
    .command('split')
    .description(
      'give a business a cell of its own, while it works; it alone waits for less than five seconds',
    )
    .argument('<letter>', 'the new cell')
    .requiredOption('--business <id>', 'the business')
    .requiredOption('--cell <letter>', 'the cell that has it now')
    .requiredOption(
      '--to <url>',
      'the new database, empty, as a role that is to own its tables and may subscribe',
    )
    .option(
      '--serve <url>',
      'the same as the role that is to serve; where it is left out, that of --to',
    )
    .option(
      '--from <url>',
      'the database of now, as the owner of its tables, who may replicate, and as the new server reaches it',
    )
    .option('--keep', 'leave its rows in the old database; `bursar cells forget` deletes them')
    .option('--give-up', 'end a split that was not switched: the old cell goes on as before')
    .action(
      (letter: string, { business, cell, from, to, serve, giveUp: gives, keep }: SplitOptions) =>
        sayingWhy(async () => {
          if (!isId(business)) throw new UserError(`'${business}' is no id of a business.`)
          const source = cellOf(cell)
          const move = {
            letter,
            business,
            from: sourceUrl(source, from && readValue(from)),
            to: readValue(to),
            serve: serve === undefined ? null : readValue(serve),
          }
          if (gives) return giveUp(move)
          if (!known().some((one) => one.letter === letter)) free(letter)
          else if ((await moves.stageOf(move)) !== 'moved')
            throw new UserError(`There is a cell ${letter} already.`)
          await run(move, source, (all) => {
            all[letter] ??= entryOf({ databaseUrl: to })
            takeOver(all[letter], to, serve)
          })
          print(
            `Business ${business} is cell ${letter}. Its old keys and pages lead there; roll its keys, so that nobody asks cell ${cell} for it.`,
          )
          if (!keep) await forget(move.from, business)
        }),
    )

  const forget = async (from: string, business: string): Promise<void> => {
    const onRows = progress('deleted', 'rows', false)
    const client = newClient(from)
    await client.connect()
    let rows = 0
    const db = openDatabase(from, { max: 1, onError() {} })
    const keepChain = () => keepMovedChain(db, business, systemClock.now())
    await forgetMoved(client, business, keepChain, (more) => {
      rows += more
      onRows(rows, null)
    }).finally(() => Promise.all([client.end(), db.close()]))
    onRows.end()
    print(`${rows} rows of it were deleted from the old database.`)
  }

  cells
    .command('forget')
    .description('delete what a business that was split off has left behind')
    .requiredOption('--business <id>', 'the business')
    .requiredOption('--cell <letter>', 'the cell that had it')
    .option('--from <url>', 'its database, as the owner of its tables')
    .action(({ business, cell, from }: { business: string; cell: string; from?: string }) =>
      sayingWhy(() => forget(sourceUrl(cellOf(cell), from && readValue(from)), business)),
    )
}

/**
 * What a database that only follows does not have: jobs, which go at the switch, and changes of
 * lists, which are added up then.
 */
const unfollowed = /^the counts of |^the sums |wait|timer|job/i

function entryOf({
  databaseUrl,
  migrateDatabaseUrl,
  readUrl,
  railsFile,
  evmFile,
}: Urls): CellEntry {
  return {
    database_url: databaseUrl,
    ...(migrateDatabaseUrl && { migrate_database_url: migrateDatabaseUrl }),
    ...(readUrl && { read_url: readUrl }),
    ...(railsFile && { rails_file: railsFile }),
    ...(evmFile && { evm_file: evmFile }),
  }
}

/** A replica was of the old database. */
function takeOver(cell: CellEntry, to: string, serve: string | undefined): void {
  cell.database_url = serve ?? to
  if (serve !== undefined) cell.migrate_database_url = to
  else delete cell.migrate_database_url
  delete cell.read_url
}

const sourceUrl = ({ settings }: Cell, from: string | undefined): string =>
  from ?? settings.MIGRATE_DATABASE_URL ?? (settings.DATABASE_URL as string)

async function canReach(url: string): Promise<boolean> {
  const client = newClient(url)
  client.on('error', () => {})
  const reached = await client.connect().then(
    () => true,
    () => false,
  )
  await client.end().catch(() => {})
  return reached
}
