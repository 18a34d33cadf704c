/** `bursar cells move`, `split` and `forget`: cells and businesses change their database. */
import { setTimeout as sleep } from 'node:timers/promises'
import { keepMovedChain } from '../../books/proofs/proofs.ts'
import type { App } from '../../core/app.ts'
import { newClient, openDatabase } from '../../db/db.ts'
import { forgetMoved } from '../../db/moves/forget.ts'
import * as moves from '../../db/moves/moves.ts'
import { systemClock } from '../../lib/clock.ts'
import { isId } from '../../lib/ids.ts'
import { type Cell, type CellEntry, changeCells } from '../cells/cells.ts'
import { verifyBooks } from '../open.ts'
import {
  assertUnused,
  type CellTools,
  cellCommand,
  cellsOf,
  findCell,
  readValue,
} from './cells-tools.ts'
import { progress, UserError } from './terminal.ts'

const pollMs = 500

const databaseOptions = {
  '--to <url>': {
    text: 'the new database, empty, as a role that is to own its tables and may subscribe',
    isRequired: true,
  },
  '--serve <url>': 'the same as the role that is to serve; where it is left out, that of --to',
  '--from <url>':
    'the present database, as the owner of its tables, who may replicate, and as the new server reaches it',
} as const

export const moveCommands = {
  move: cellCommand({
    description:
      'move a cell to another PostgreSQL server while it works; writers wait for less than five seconds',
    arguments: { letter: 'the cell' },
    options: {
      ...databaseOptions,
      '--give-up': 'end a move that was not switched: the old database goes on as before',
    },
    run: (tools, { letter, give_up: givesUp, ...urls }) =>
      reportMoveErrors(async () => {
        const source = findCell(tools.env, letter)
        const move = { letter, business: null, ...readUrls(tools.env, source, urls) }
        if (givesUp) return giveUp(move)
        await moveDatabase(tools, source, move, (cells) =>
          takeOver(cells[letter] as CellEntry, urls),
        )
        return {
          lines: [
            `Cell ${letter} is at the new database. Give this file to servers on other machines; then the old database can go.`,
          ],
        }
      }),
  }),
  split: cellCommand({
    description:
      'give a business a cell of its own, while it works; it alone waits for less than five seconds',
    arguments: { letter: 'the new cell' },
    options: {
      '--business <id>': { text: 'the business', isRequired: true },
      '--cell <letter>': { text: 'the cell that has it now', isRequired: true },
      ...databaseOptions,
      '--keep': 'leave its rows in the old database; `bursar cells forget` deletes them',
      '--give-up': 'end a split that was not switched: the old cell goes on as before',
    },
    run: (tools, { letter, business, cell, keep, give_up: givesUp, ...urls }) =>
      reportMoveErrors(async () => {
        if (!isId(business)) throw new UserError(`'${business}' is no id of a business.`)
        const source = findCell(tools.env, cell)
        const move = { letter, business, ...readUrls(tools.env, source, urls) }
        if (givesUp) return giveUp(move)
        const isInFile = cellsOf(tools.env).some((one) => one.letter === letter)
        if (!isInFile || (await moves.stageOf(move)) !== 'moved') assertUnused(tools.env, letter)
        await moveDatabase(tools, source, move, (cells) => {
          cells[letter] ??= { database_url: urls.to }
          takeOver(cells[letter], urls)
        })
        tools.print(
          `Business ${business} is cell ${letter}. Its old keys and pages lead there; roll its keys, so that no request for it reaches cell ${cell}.`,
        )
        return keep ? { lines: [] } : forget(move.from, business)
      }),
  }),
  forget: cellCommand({
    description: 'delete the rows that a split-off business left in its old database',
    options: {
      '--business <id>': { text: 'the business', isRequired: true },
      '--cell <letter>': { text: 'the cell that had it', isRequired: true },
      '--from <url>': 'its database, as the owner of its tables',
    },
    run: ({ env }, { business, cell, from }) =>
      reportMoveErrors(() => forget(sourceUrl(env, findCell(env, cell), from), business)),
  }),
}

/** Reports a `MoveError` as an error of the user. @throws {UserError} */
async function reportMoveErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw error instanceof moves.MoveError ? new UserError(error.message) : error
  }
}

type UrlOptions = { to: string; serve: string | undefined; from: string | undefined }

const readUrls = (
  env: NodeJS.ProcessEnv,
  source: Cell,
  { to, serve, from }: UrlOptions,
): Pick<moves.Move, 'from' | 'to' | 'serve'> => ({
  from: sourceUrl(env, source, from),
  to: readValue(env, to),
  serve: serve === undefined ? null : readValue(env, serve),
})

/** Returns the URL of a cell's database, as the owner of its tables unless it is given. */
const sourceUrl = (env: NodeJS.ProcessEnv, { settings }: Cell, from: string | undefined): string =>
  (from && readValue(env, from)) ??
  settings.MIGRATE_DATABASE_URL ??
  settings.DIRECT_DATABASE_URL ??
  (settings.DATABASE_URL as string)

/** Points a cell to its new database. Its replica followed the old database, and goes. */
function takeOver(cell: CellEntry, { to, serve }: UrlOptions): void {
  cell.database_url = serve ?? to
  if (serve !== undefined) cell.migrate_database_url = to
  else delete cell.migrate_database_url
  delete cell.direct_database_url
  delete cell.read_url
}

/**
 * Copies a database, verifies both sides and switches.
 * @param change changes the entries of CELLS_FILE after the switch; it is tried first
 */
function moveDatabase(
  tools: CellTools,
  source: Cell,
  move: moves.Move,
  change: (cells: Record<string, CellEntry>) => void,
): Promise<void> {
  const { env, print } = tools
  return moves.withMoveLock(move, async () => {
    changeCells(env, change, 'only look')
    if ((await moves.stageOf(move)) !== 'moved') {
      await copyTables(move)
      print('All is copied, and followed. Verifying the books of both sides.')
      await verifyBoth(tools, source, move)
    }
    const { pauseMs, compared } = await moves.switchDatabases(move)
    changeCells(env, change)
    print(`Switched: writers waited for ${pauseMs} ms. Compared meanwhile: ${compared}.`)
    await moves.removeReplication(move)
  })
}

/** Starts the replication, and waits until each table is copied. */
async function copyTables(move: moves.Move): Promise<void> {
  await moves.startCopying(move)
  const onTables = progress('copied', 'tables', false)
  for (;;) {
    const { done, all } = await moves.progressOf(move)
    if (all > 0 && done >= all) break
    onTables(done, all)
    await sleep(pollMs)
  }
  onTables.end()
}

/** @throws {UserError} when the books of one side differ */
async function verifyBoth(
  { withCell, print }: CellTools,
  { letter }: Cell,
  move: moves.Move,
): Promise<void> {
  await withCell(letter, async (app) => {
    const { differences, ...counts } = await verifyBooks(app, { whole: true })
    assertNone(differences, 'old')
    print(cleanLine('old', counts))
  })
  // As the role that is to serve: a fault of its URL shows before the switch.
  const target = { url: move.serve ?? move.to, letter: move.letter }
  await withCell(letter, async (app) => print(cleanLine('new', await verifyFollower(app))), target)
}

type Books = Awaited<ReturnType<typeof verifyBooks>>
type Side = 'old' | 'new'

const cleanLine = (side: Side, { accounts, postings }: Omit<Books, 'differences'>): string =>
  `The books of the ${side} database are clean: ${accounts} accounts, ${postings} postings.`

/** @throws {UserError} */
function assertNone(differences: Books['differences'], side: Side): void {
  const [first] = differences
  if (first)
    throw new UserError(
      `The books of the ${side} database have ${differences.length} differences (${first.check}: ${first.what}). Nothing was switched: give the move up, or look into it and go on.`,
    )
}

/** Rows that are not replicated: the switch moves jobs, and adds up changes of lists. */
const notReplicated = /^the counts of |^the sums |wait|timer|job/i

/**
 * Verifies a database that follows another. Changes that are still on their way can look like
 * differences, so that only a difference that stays counts. @throws {UserError}
 */
async function verifyFollower(app: App): Promise<Books> {
  for (let triesLeft = 2; ; triesLeft--) {
    const books = await verifyBooks(app, { whole: true })
    const differences = books.differences.filter(({ check }) => !notReplicated.test(check))
    if (differences.length === 0) return books
    if (triesLeft === 0) assertNone(differences, 'new')
    await sleep(pollMs)
  }
}

/** Ends a move that was not switched. */
async function giveUp(move: moves.Move): Promise<{ lines: string[] }> {
  const isReachable = await canReach(move.to)
  await moves.withMoveLock(move, () => moves.abandonMove(move, isReachable))
  return {
    lines: [
      'Given up: the old database goes on as before. Drop the new one, and create it again before the next move.',
    ],
  }
}

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

/** Deletes the rows of a business from the database that it left. */
async function forget(from: string, business: string): Promise<{ lines: string[] }> {
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
  return { lines: [`${rows} rows of it were deleted from the old database.`] }
}
