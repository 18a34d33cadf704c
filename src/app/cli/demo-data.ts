/**
 * `bursar demo-data`: a month of a shop's test data, to look at the dashboard with and to develop
 * against.
 */
import type { Command } from 'commander'
import type { BusinessRow } from '../../books/businesses/businesses.ts'
import * as collections from '../../collecting/collections/collections.ts'
import type { App } from '../../core/app.ts'
import { clientOf } from '../../core/operations.ts'
import { type Ctx, outside, scopeOf } from '../../core/outside.ts'
import type { Operations } from '../../core/route.ts'
import { Refusal } from '../../lib/errors.ts'
import { newId } from '../../lib/ids.ts'
import { toJson } from '../../lib/json.ts'
import { workersLive } from '../../platform/jobs/jobs.ts'
import { verifyBooks } from '../open.ts'
import { businessOf } from './business-option.ts'
import type { CommandContext } from './context.ts'
import { liveMonth } from './demo-month.ts'
import { printable, UserError } from './terminal.ts'

/** What a newcomer may have made by hand before. */
const fewRecords = 10

const lists = {
  customers: 'listCustomers',
  payments: 'listPayments',
  refunds: 'listRefunds',
  payouts: 'listPayouts',
  invoices: 'listInvoices',
  collections: 'listCollections',
  products: 'listProducts',
  distributions: 'listDistributions',
  virtual_accounts: 'listVirtualAccounts',
  crypto_wallets: 'listCryptoWallets',
  transactions: 'listTransactions',
}

/** Adds `bursar demo-data`. */
export function addDemoDataCommand(program: Command, { withApp, print }: CommandContext): void {
  program
    .command('demo-data')
    .description(
      'fill the test mode of a business with a month of a shop’s data, once; a server must be running',
    )
    .argument('[business]', 'whose; may be left out when there is one business')
    .option('--json', 'print JSON')
    .action((id: string | undefined, { json = false }: { json?: boolean }) =>
      withApp(async (app) => {
        const business = await businessOf(app, id)
        const { operationsOf } = await import('../main.ts')
        const operations = operationsOf(app)
        await assertFresh(app, operations, business)
        if (!json) print('This takes about half a minute.')
        await sayRefusals(() => liveMonth(shopOf(app, operations, business)))
        const ctx = await testOf(app, business)
        const made = await countsOf(operations, ctx)
        const { differences } = await verifyBooks(app)
        if (differences.length > 0)
          throw new Error('The books differ: `bursar ledger verify` says where.')
        if (json) return print(toJson({ business: business.id, now: ctx.scope.now, ...made }))
        for (const [name, count] of Object.entries(made))
          print(`${String(count).padStart(5)}  ${name.replace('_', ' ')}`)
        print(
          `${printable(business.name)} has a month of test data; it is ${ctx.scope.now.toISOString().slice(0, 10)} there now. The books are clean.`,
        )
      }),
    )
}

/** Test mode, whatever happens: nothing here can be asked of live data. */
async function testOf(app: App, { id }: BusinessRow): Promise<Ctx> {
  const actor = { type: 'operator' as const, at: app.clock.now() }
  return outside(app, { ...(await scopeOf(app, id, false)), actor })
}

async function countsOf({ operate }: Operations, ctx: Ctx): Promise<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const [name, list] of Object.entries(lists)) {
    const listed = await operate(ctx, list, { query: { limit: '1' } })
    counts[name] = (listed as { totalDocs: number }).totalDocs
  }
  return counts
}

/**
 * @throws {UserError} when the month cannot be lived there, or would be lived among records that
 * somebody needs
 */
async function assertFresh(app: App, operations: Operations, business: BusinessRow): Promise<void> {
  const again = 'Make a business for it: `bursar business create --name …`.'
  const ctx = await testOf(app, business)
  const { offset_ms: moved } = await clientOf(operations, ctx).getTestClock()
  if (moved > 0)
    throw new UserError(
      `The test clock of ${business.id} has been moved, as this command does. ${again}`,
    )
  const full = Object.entries(await countsOf(operations, ctx)).find(
    ([, count]) => count > fewRecords,
  )
  if (full)
    throw new UserError(
      `The test mode of ${business.id} has ${full[1]} ${full[0]} already. ${again}`,
    )
  if (Object.keys(app.rails.test.accounts).some((name) => name !== 'sandbox'))
    throw new UserError(
      'RAILS_FILE has test accounts at providers, who would be asked: run this without them.',
    )
  if (!(await workersLive(app.db)))
    throw new UserError(
      'No server works on jobs here: start it (`bursar serve`), and run this beside it.',
    )
}

function shopOf(app: App, operations: Operations, business: BusinessRow) {
  let now = app.clock.now()
  const ask = async (operation: string, input = {}) => {
    const ctx = await testOf(app, business)
    now = ctx.scope.now
    return operations.operate(ctx, operation, input)
  }
  return {
    ask,
    async usePage(id: string, amount: number, email: string) {
      const ctx = await testOf(app, business)
      const row = await collections.find(ctx, id)
      return ctx.write((work) =>
        collections.use(work, row, BigInt(amount), email, newId(ctx.scope.now)),
      )
    },
    async wait(hours: number) {
      await ask('advanceTestClock', { body: { advance: `${hours}h` } })
      now = (await testOf(app, business)).scope.now
    },
    time: () => now,
    crypto: app.config.EVM_FILE === null,
  }
}

/**
 * What is refused half-way is said in a line: the clock has moved by then, so that it is not tried
 * again over the half.
 */
async function sayRefusals(work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (error instanceof Refusal) throw new UserError(`The month ended early: ${error.message}`)
    throw error
  }
}
