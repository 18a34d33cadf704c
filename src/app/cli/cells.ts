/** `bursar cells`: the cells of an installation, how each is, and what they come to together. */
import type { Command } from 'commander'
import { operator } from '../../books/ledger/ledger.ts'
import { type Earnings, getEarnings } from '../../books/statements/statements.ts'
import type { App } from '../../core/app.ts'
import { outside } from '../../core/outside.ts'
import { newClient } from '../../db/db.ts'
import { toJson } from '../../lib/json.ts'
import { modeOf } from '../../lib/mode.ts'
import { showMoney, type WalletCurrency } from '../../lib/money.ts'
import { operatorScope } from '../../platform/operator/operator.ts'
import { type Cell, readCells } from '../cells/cells.ts'
import { verifyBooks } from '../open.ts'
import { addMoveCommands, type MoveTools } from './cells-moves.ts'
import { reportRefusals, UserError } from './terminal.ts'

type Seen = { cell: string; accepts: boolean; answers: boolean; businesses: number | null }

const lookMs = 2_000

/** Adds `bursar cells …`. */
export function addCellsCommand(program: Command, tools: MoveTools): void {
  const { env, print, withCell } = tools
  const cells = program
    .command('cells')
    .description('the databases of an installation that has several (CELLS_FILE)')
  const known = (): Cell[] => {
    const found = readCells(env)
    if (found === null)
      throw new UserError('There is one cell: CELLS_FILE names several, and is not set.')
    return found
  }
  /**
   * Asks each cell in turn. What does not answer is named, and the command fails: a sum that lacks
   * it is no sum of the installation.
   */
  const ofAll = async (work: (app: App, cell: string) => Promise<void>): Promise<string[]> => {
    const missing: string[] = []
    for (const cell of known()) {
      if ((await look(cell)).answers) await withCell(cell.letter, (app) => work(app, cell.letter))
      else missing.push(cell.letter)
    }
    if (missing.length > 0) process.exitCode = 1
    return missing
  }
  const sayMissing = (missing: string[]): void => {
    if (missing.length > 0)
      print(`MISSING  ${missing.join(', ')}: does not answer, and is in no sum.`)
  }

  cells
    .command('list')
    .description('list the cells, and how many businesses each has')
    .option('--json', 'print JSON')
    .action(async ({ json }: { json?: boolean }) => {
      const seen = await Promise.all(known().map(look))
      if (json) return print(toJson(seen))
      for (const { cell, accepts, answers, businesses } of seen)
        print(
          `${cell}  ${answers ? `${businesses} ${businesses === 1 ? 'business' : 'businesses'}` : 'does not answer'}${accepts ? '' : ', takes no new ones'}`,
        )
    })
  cells
    .command('verify')
    .description('verify the ledger of each cell, and add up')
    .option('--whole', 'read all of history, not only what came since the last closing')
    .option('--json', 'print JSON')
    .action(async ({ whole, json }: { whole?: true; json?: boolean }) => {
      const found: ({ cell: string } & Awaited<ReturnType<typeof verifyBooks>>)[] = []
      const missing = await ofAll(
        async (app, cell) =>
          void found.push({ cell, ...(await verifyBooks(app, { whole: whole === true })) }),
      )
      const sum = (of: (one: (typeof found)[number]) => number): number =>
        found.reduce((all, one) => all + of(one), 0)
      const differences = sum((one) => one.differences.length)
      const [accounts, postings] = [
        sum((one) => Number(one.accounts)),
        sum((one) => Number(one.postings)),
      ]
      if (differences > 0) process.exitCode = 1
      if (json)
        return print(
          toJson({
            clean: differences === 0 && missing.length === 0,
            accounts,
            postings,
            cells: found,
            missing,
          }),
        )
      for (const { cell, differences: own } of found)
        for (const { check, business_id, livemode, what, expected, found: is } of own)
          print(
            `DIFFERENCE  ${cell}  ${check}: ${business_id} ${modeOf(livemode)} ${what}: expected ${expected}, found ${is}`,
          )
      sayMissing(missing)
      const verdict = differences === 0 ? 'The books are clean' : `${differences} differences`
      print(
        `${verdict} in ${found.map(({ cell }) => cell).join(', ')}: ${accounts} accounts, ${postings} postings.`,
      )
    })
  cells
    .command('earnings')
    .description('what the operator earned in a period, in all cells')
    .option('--from <day>', 'the first day, as 2026-11-01: of UTC')
    .option('--to <day>', 'the last day')
    .option('--test', 'of test mode')
    .option('--json', 'print JSON')
    .action(
      async ({
        from,
        to,
        test,
        json,
      }: {
        from?: string
        to?: string
        test?: true
        json?: boolean
      }) => {
        const mode = test ? 'test' : 'live'
        const query = { mode, by: 'month', ...(from && { from }), ...(to && { to }) } as const
        const found: { cell: string; totals: Earnings['totals'] }[] = []
        const missing = await ofAll(async (app, cell) => {
          const now = app.clock.now()
          const ctx = outside(app, operatorScope(now, { type: 'operator', at: now }))
          const { totals } = await reportRefusals(() => getEarnings(ctx, query))
          found.push({ cell, totals })
        })
        const totals = new Map<string, { fees: bigint; provider_fees: bigint; earned: bigint }>()
        for (const { currency, ...own } of found.flatMap((one) => one.totals)) {
          const sum = totals.get(currency) ?? { fees: 0n, provider_fees: 0n, earned: 0n }
          for (const part of ['fees', 'provider_fees', 'earned'] as const)
            sum[part] += BigInt(own[part])
          totals.set(currency, sum)
        }
        const all = [...totals].map(([currency, sum]) => ({ currency, ...sum }))
        if (json) return print(toJson({ mode, totals: all, cells: found, missing }))
        sayMissing(missing)
        if (all.length === 0) print('Nothing was earned.')
        for (const { currency, fees, provider_fees, earned } of all) {
          const shown = (amount: bigint): string => showMoney(amount, currency as WalletCurrency)
          print(
            `${currency}  fees ${shown(fees)}, providers keep ${shown(provider_fees)}, earned ${shown(earned)}`,
          )
        }
      },
    )
  addMoveCommands(cells, tools)
}

async function look({ letter: cell, accepts, settings }: Cell): Promise<Seen> {
  const client = newClient(settings.DATABASE_URL as string)
  client.on('error', () => {})
  const late = new Promise<null>((resolve) => setTimeout(() => resolve(null), lookMs).unref())
  const count = async (): Promise<number> => {
    await client.connect()
    const { rows } = await client.query<{ count: string }>(
      'select count(*) as count from businesses where id <> $1',
      [operator],
    )
    return Number(rows[0]?.count)
  }
  const businesses = await Promise.race([count().catch(() => null), late])
  // One that hangs would not say goodbye.
  void client.end().catch(() => {})
  return { cell, accepts, answers: businesses !== null, businesses }
}
