/**
 * Commands that manage the accounts at payment providers.
 */
import type { Command } from 'commander'
import { accountsNow } from '../../api/installation/installation.ts'
import { toJson } from '../../lib/json.ts'
import { formatMoney, type WalletCurrency } from '../../lib/money.ts'
import { unblockAccount } from '../../rails/records/blocks.ts'
import { addCheckCommand } from './check.ts'
import type { CommandContext } from './context.ts'

/** Adds `bursar rails …`. @returns the command, for more below it */
export function addRailCommands(program: Command, context: CommandContext): Command {
  const { withApp, print } = context
  const rails = program.command('rails').description('manage the accounts at payment providers')
  rails
    .command('status')
    .description('ask each provider how its account stands, and show what goes to it')
    .option('--json', 'print JSON')
    .action(({ json }: { json?: boolean }) =>
      withApp(async (app) => {
        const accounts = await accountsNow(app)
        if (json) return print(toJson(accounts))
        if (accounts.length === 0) print('No account is configured: set RAILS_FILE.')
        for (const account of accounts) for (const line of linesOf(account)) print(line)
      }),
    )
  rails
    .command('unblock <name>')
    .description(
      'resume payouts that wait for a person, for example after the provider asked for a code',
    )
    .option('--test', 'the account of that name in test mode')
    .action((name: string, { test = false }: { test?: boolean }) =>
      withApp(async (app) => {
        if (!app.rails[test ? 'test' : 'live'].accounts[name])
          throw new Error(`RAILS_FILE has no ${test ? 'test' : 'live'} account '${name}'.`)
        const was = await unblockAccount(app.db, !test, name)
        print(
          was
            ? `Payouts by '${name}' waited for: ${was.obstacle}. They go again.`
            : `'${name}' was not blocked.`,
        )
      }),
    )
  addCheckCommand(rails, context)
  return rails
}

/** How an account stands, to be read by a person. */
export function linesOf(account: Awaited<ReturnType<typeof accountsNow>>[number]): string[] {
  const {
    mode,
    name,
    provider,
    serves,
    routes,
    key,
    obstacle,
    balances,
    webhook,
    approval,
    warnings,
  } = account
  const whom =
    serves === '*'
      ? 'every business'
      : `${serves.length === 1 ? 'business' : 'businesses'} ${serves.join(', ')}`
  const where = routes.map(({ route, before }) =>
    before === 0 ? route : `${route} (after ${before} other${before > 1 ? 's' : ''})`,
  )
  const held = Object.entries(balances).map(([currency, amount]) =>
    formatMoney(amount, currency as WalletCurrency),
  )
  const keySays = { works: 'works', refused: 'is refused', unknown: 'could not be tried' }[key]
  return [
    `${mode}  ${name}  at ${provider}, for ${whom}`,
    `  routes   ${where.join(', ') || 'none'}`,
    `  key      ${keySays}`,
    ...(held.length > 0 ? [`  holds    ${held.join(', ')}`] : []),
    ...(obstacle === null ? [] : [`  payouts  wait: ${obstacle}`]),
    ...(webhook === null ? [] : [`  webhook  ${webhook}`]),
    ...(approval === null ? [] : [`  approval ${approval}`]),
    ...warnings.map((warning) => `  LOOK     ${warning}`),
  ]
}
