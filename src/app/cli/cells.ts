/** `bursar cells`: the cells of an installation, their state, and their sums. */
import type { Command } from 'commander'
import { operator } from '../../books/ledger/ledger.ts'
import { type Earnings, getEarnings } from '../../books/statements/statements.ts'
import type { App } from '../../core/app.ts'
import { outside } from '../../core/outside.ts'
import { newClient } from '../../db/db.ts'
import { showMoney, type WalletCurrency } from '../../lib/money.ts'
import { operatorScope } from '../../platform/operator/operator.ts'
import type { Cell } from '../cells/cells.ts'
import { verifyBooks } from '../open.ts'
import { fileCommands } from './cells-file.ts'
import { moveCommands } from './cells-moves.ts'
import { type CellTools, cellCommand, cellsOf } from './cells-tools.ts'
import { addCommands } from './commands.ts'
import { differenceLine, verdictOf } from './differences.ts'
import { reportRefusals } from './terminal.ts'

type CellState = { cell: string; accepts: boolean; answers: boolean; businesses: number | null }

const answerWithinMs = 2_000

/** Adds `bursar cells …`. */
export function addCellsCommand(program: Command, tools: CellTools): void {
  const cells = program
    .command('cells')
    .description('the databases of an installation that has several (CELLS_FILE)')
  const commands = { ...sumCommands, ...fileCommands, ...moveCommands }
  addCommands(cells, commands, { open: (work) => work(tools), print: tools.print })
}

const jsonOption = { '--json': 'print JSON' } as const

const sumCommands = {
  list: cellCommand({
    description: 'list the cells, and how many businesses each has',
    options: jsonOption,
    async run({ env }) {
      const states = await Promise.all(cellsOf(env).map(stateOf))
      return { json: states, lines: states.map(stateLine) }
    },
  }),
  verify: cellCommand({
    description: 'verify the ledger of each cell, and add up',
    options: {
      '--whole': 'read all of history, not only what came since the last closing',
      ...jsonOption,
    },
    async run(tools, { whole = false }) {
      const { found: cells, missing } = await ofEachCell(tools, (app) =>
        verifyBooks(app, { whole }),
      )
      const differences = cells.flatMap(({ cell, differences }) =>
        differences.map((one) => differenceLine(one, cell)),
      )
      const accounts = cells.reduce((sum, one) => sum + Number(one.accounts), 0)
      const postings = cells.reduce((sum, one) => sum + Number(one.postings), 0)
      const letters = cells.map(({ cell }) => cell).join(', ')
      const isClean = differences.length === 0 && missing.length === 0
      return {
        isFailure: !isClean,
        json: { clean: isClean, accounts, postings, cells, missing },
        lines: [
          ...differences,
          ...missingLines(missing),
          `${verdictOf(differences.length)} in ${letters}: ${accounts} accounts, ${postings} postings.`,
        ],
      }
    },
  }),
  earnings: cellCommand({
    description: 'what the operator earned in a period, in all cells',
    options: {
      '--from <day>': 'the first day, as 2026-11-01: of UTC',
      '--to <day>': 'the last day',
      '--test': 'of test mode',
      ...jsonOption,
    },
    async run(tools, { from, to, test }) {
      const mode = test ? 'test' : 'live'
      const query = { mode, by: 'month', ...(from && { from }), ...(to && { to }) } as const
      const { found: cells, missing } = await ofEachCell(tools, async (app) => {
        const now = app.clock.now()
        const ctx = outside(app, operatorScope(now, { type: 'operator', at: now }))
        const { totals } = await reportRefusals(() => getEarnings(ctx, query))
        return { totals }
      })
      const totals = sumOf(cells.flatMap((one) => one.totals))
      return {
        isFailure: missing.length > 0,
        json: { mode, totals, cells, missing },
        lines: [
          ...missingLines(missing),
          ...(totals.length === 0 ? ['Nothing was earned.'] : totals.map(earningsLine)),
        ],
      }
    },
  }),
}

type OfCells<Result> = {
  found: ({ cell: string } & Result)[]
  /** Cells that do not answer. A sum without them is not complete, so that the command fails. */
  missing: string[]
}

/** Runs the work on each cell in turn. */
async function ofEachCell<Result>(
  { env, withCell }: CellTools,
  work: (app: App) => Promise<Result>,
): Promise<OfCells<Result>> {
  const result: OfCells<Result> = { found: [], missing: [] }
  for (const cell of cellsOf(env)) {
    const { letter } = cell
    if (!(await stateOf(cell)).answers) result.missing.push(letter)
    else
      await withCell(
        letter,
        async (app) => void result.found.push({ cell: letter, ...(await work(app)) }),
      )
  }
  return result
}

const missingLines = (missing: string[]): string[] =>
  missing.length === 0 ? [] : [`MISSING  ${missing.join(', ')}: does not answer, and is in no sum.`]

/** Asks a cell how many businesses it has. */
async function stateOf({ letter: cell, accepts, settings }: Cell): Promise<CellState> {
  const client = newClient(settings.DATABASE_URL as string)
  client.on('error', () => {})
  const late = new Promise<null>((resolve) =>
    setTimeout(() => resolve(null), answerWithinMs).unref(),
  )
  const count = async (): Promise<number> => {
    await client.connect()
    const { rows } = await client.query<{ count: string }>(
      'select count(*) as count from businesses where id <> $1',
      [operator],
    )
    return Number(rows[0]?.count)
  }
  const businesses = await Promise.race([count().catch(() => null), late])
  // A connection that hangs never ends properly.
  void client.end().catch(() => {})
  return { cell, accepts, answers: businesses !== null, businesses }
}

function stateLine({ cell, accepts, answers, businesses }: CellState): string {
  const count = `${businesses} ${businesses === 1 ? 'business' : 'businesses'}`
  return `${cell}  ${answers ? count : 'does not answer'}${accepts ? '' : ', takes no new ones'}`
}

type Sum = { currency: string; fees: bigint; provider_fees: bigint; earned: bigint }

/** Adds up the earnings of cells, by currency. */
function sumOf(totals: Earnings['totals']): Sum[] {
  const sums = new Map<string, Sum>()
  for (const { currency, ...parts } of totals) {
    const sum = sums.get(currency) ?? { currency, fees: 0n, provider_fees: 0n, earned: 0n }
    for (const part of ['fees', 'provider_fees', 'earned'] as const)
      sum[part] += BigInt(parts[part])
    sums.set(currency, sum)
  }
  return [...sums.values()]
}

function earningsLine({ currency, fees, provider_fees, earned }: Sum): string {
  const shown = (amount: bigint): string => showMoney(amount, currency as WalletCurrency)
  return `${currency}  fees ${shown(fees)}, providers keep ${shown(provider_fees)}, earned ${shown(earned)}`
}
