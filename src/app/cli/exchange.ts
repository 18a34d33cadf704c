/**
 * Commands that show what conversions have left the installation with, and limit it.
 */
import type { Command } from 'commander'
import { type PositionCurrency, positionCurrencies } from '../../books/exchange/exchange.ts'
import type { App } from '../../core/app.ts'
import { outside } from '../../core/outside.ts'
import { toJson } from '../../lib/json.ts'
import { formatMoney, maxAmount } from '../../lib/money.ts'
import {
  changeExchangeLimits,
  decideRate,
  exchangeOf,
  fetchOfficial,
} from '../../paying-out/conversions/conversions.ts'
import { operatorScope } from '../../platform/operator/operator.ts'
import { sayRefusals } from './team.ts'
import { UserError } from './terminal.ts'

type Tools = {
  withApp(work: (app: App) => Promise<void>): Promise<void>
  print(line: string): void
}
type Positions = Awaited<ReturnType<typeof exchangeOf>>['positions']

/** Adds `bursar exchange …`. */
export function addExchangeCommands(program: Command, { withApp, print }: Tools): void {
  const exchange = program
    .command('exchange')
    .description('look after what exchanges leave the server with')
  const ctxOf = (app: App) =>
    outside(app, operatorScope(app.clock.now(), { type: 'operator', at: app.clock.now() }))
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
    .command('rates')
    .description('show the official rates that were fetched last')
    .action(() =>
      withApp(async (app) => {
        const { rates } = await exchangeOf(ctxOf(app))
        if (rates.length === 0) print('None was fetched: set EXCHANGE_RATES_URL.')
        for (const { id, pair, rate, published_on, status } of rates)
          print(`${id}  ${pair}  ${rate}  of ${published_on}  ${status}`)
      }),
    )
  exchange
    .command('fetch')
    .description('fetch the official rates now')
    .action(() =>
      withApp(async (app) => {
        const found = await fetchOfficial(app)
        if (found.length === 0) throw new UserError('Set EXCHANGE_RATES_URL first.')
        for (const one of found)
          if ('row' in one)
            print(
              `${one.row.id}  ${one.pair}  ${one.row.rate}  of ${one.row.published_on}  ${one.row.status}`,
            )
          else throw new UserError(`The rate of ${one.pair} could not be fetched: ${one.error}.`)
      }),
    )
  for (const [act, to] of [
    ['accept', 'good'],
    ['refuse', 'refused'],
  ] as const)
    exchange
      .command(act)
      .description(
        act === 'accept' ? 'use a rate that has moved far' : 'never use a rate that has moved far',
      )
      .argument('<id>', 'the rate, as `exchange rates` shows it')
      .action((id: string) =>
        withApp(async (app) => {
          await sayRefusals(() => ctxOf(app).write((work) => decideRate(work, id, to)))
          print(act === 'accept' ? 'The rate is used from now on.' : 'The rate is not used.')
        }),
      )
  exchange
    .command('limit')
    .description(
      'refuse conversions and payouts that would leave the server short of more than this',
    )
    .argument('<currency>', positionCurrencies.join(', '))
    .argument('<minor>', 'minor units, or none to lift the limit')
    .action((currency: string, minor: string) =>
      withApp(async (app) => {
        if (!(positionCurrencies as readonly string[]).includes(currency))
          throw new UserError(`The currency is one of ${positionCurrencies.join(', ')}.`)
        if (minor !== 'none' && (!/^\d{1,16}$/.test(minor) || BigInt(minor) > maxAmount))
          throw new UserError(
            'The limit is a whole number of minor units, such as 5000000, or none.',
          )
        const max_short = minor === 'none' ? null : Number(minor)
        const change = { currencies: [{ currency: currency as PositionCurrency, max_short }] }
        const { positions } = await ctxOf(app).write((work) => changeExchangeLimits(work, change))
        for (const line of linesOf(positions)) print(line)
      }),
    )
}

function linesOf(positions: Positions): string[] {
  if (positions.length === 0) return ['Nothing was exchanged, and nothing is limited.']
  return positions.map(({ mode, currency, balance, promised, max_short }) => {
    const money = (value: bigint | number): string =>
      formatMoney(BigInt(value), currency as PositionCurrency)
    const limit = max_short === null ? 'not limited' : `may be short of ${money(max_short)}`
    const coming = BigInt(promised) > 0n ? `  payouts under way take ${money(promised)}` : ''
    return `${mode}  ${currency}  ${money(balance)}  ${limit}${coming}`
  })
}
