/**
 * Commands that show what conversions have left the installation with, and limit it.
 */
import type { Command } from 'commander'
import type { App } from '../../core/app.ts'
import { outside } from '../../core/outside.ts'
import { toJson } from '../../lib/json.ts'
import { formatMoney, maxAmount, type WalletCurrency, walletCurrencies } from '../../lib/money.ts'
import { changeExchangeLimits, exchangeOf } from '../../paying-out/conversions/conversions.ts'
import { operatorScope } from '../../platform/operator/operator.ts'
import { UserError } from './terminal.ts'

type Tools = { withApp(work: (app: App) => Promise<void>): Promise<void>; print(line: string): void }
type Positions = Awaited<ReturnType<typeof exchangeOf>>['positions']

/** Adds `bursar exchange …`. */
export function addExchangeCommands(program: Command, { withApp, print }: Tools): void {
  const exchange = program.command('exchange').description('look after what conversions leave the server with')
  const ctxOf = (app: App) => outside(app, operatorScope(app.clock.now(), { type: 'operator', at: app.clock.now() }))
  exchange
    .command('status')
    .description('show the position of each currency: below zero, what the server is short of')
    .option('--json', 'print JSON')
    .action(({ json }: { json?: boolean }) =>
      withApp(async (app) => {
        const { positions } = await exchangeOf(ctxOf(app))
        if (json) return print(toJson({ positions }))
        for (const line of linesOf(positions)) print(line)
      }),
    )
  exchange
    .command('limit')
    .description('refuse conversions that would leave the server short of more than this')
    .argument('<currency>', walletCurrencies.join(' or '))
    .argument('<minor>', 'minor units, or none to lift the limit')
    .action((currency: string, minor: string) =>
      withApp(async (app) => {
        if (!(walletCurrencies as readonly string[]).includes(currency))
          throw new UserError(`The currency is one of ${walletCurrencies.join(', ')}.`)
        if (minor !== 'none' && (!/^\d{1,16}$/.test(minor) || BigInt(minor) > maxAmount))
          throw new UserError('The limit is a whole number of minor units, such as 5000000, or none.')
        const max_short = minor === 'none' ? null : Number(minor)
        const change = { currencies: [{ currency: currency as WalletCurrency, max_short }] }
        const { positions } = await ctxOf(app).write((work) => changeExchangeLimits(work, change))
        for (const line of linesOf(positions)) print(line)
      }),
    )
}

function linesOf(positions: Positions): string[] {
  if (positions.length === 0) return ['Nothing was converted, and nothing is limited.']
  return positions.map(({ mode, currency, balance, max_short }) => {
    const money = (value: bigint | number): string => formatMoney(BigInt(value), currency as WalletCurrency)
    const limit = max_short === null ? 'not limited' : `may be short of ${money(max_short)}`
    return `${mode}  ${currency}  ${money(balance)}  ${limit}`
  })
}
