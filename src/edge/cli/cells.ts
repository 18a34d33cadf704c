/** `bursar cells`: the cells of an installation, and how each is. */
import type { Command } from 'commander'
import { operator } from '../../books/ledger/ledger.ts'
import { newClient } from '../../db/db.ts'
import { toJson } from '../../lib/json.ts'
import { type Cell, readCells } from '../cells/cells.ts'
import { UserError } from './terminal.ts'

type Tools = { env: NodeJS.ProcessEnv; print(line: string): void }
type Seen = { cell: string; accepts: boolean; answers: boolean; businesses: number | null }

const lookMs = 2_000

/** Adds `bursar cells list`. */
export function addCellsCommand(program: Command, { env, print }: Tools): void {
  const cells = program.command('cells').description('the databases of an installation that has several (CELLS_FILE)')
  cells
    .command('list')
    .description('list the cells, and how many businesses each has')
    .option('--json', 'print JSON')
    .action(async ({ json }: { json?: boolean }) => {
      const known = readCells(env)
      if (known === null) throw new UserError('There is one cell: CELLS_FILE names several, and is not set.')
      const seen = await Promise.all(known.map(look))
      if (json) return print(toJson(seen))
      for (const { cell, accepts, answers, businesses } of seen)
        print(
          `${cell}  ${answers ? `${businesses} ${businesses === 1 ? 'business' : 'businesses'}` : 'does not answer'}${accepts ? '' : ', takes no new ones'}`,
        )
    })
}

async function look({ letter: cell, accepts, settings }: Cell): Promise<Seen> {
  const client = newClient(settings.DATABASE_URL as string)
  client.on('error', () => {})
  const late = new Promise<null>((resolve) => setTimeout(() => resolve(null), lookMs).unref())
  const count = async (): Promise<number> => {
    await client.connect()
    const { rows } = await client.query<{ count: string }>('select count(*) as count from businesses where id <> $1', [
      operator,
    ])
    return Number(rows[0]?.count)
  }
  const businesses = await Promise.race([count().catch(() => null), late])
  // One that hangs would not say goodbye.
  void client.end().catch(() => {})
  return { cell, accepts, answers: businesses !== null, businesses }
}
