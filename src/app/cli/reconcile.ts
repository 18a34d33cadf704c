/**
 * The command that holds the books against a payment provider.
 */
import type { Command } from 'commander'
import type { App } from '../../core/app.ts'
import { toJson } from '../../lib/json.ts'
import type { Mode } from '../../lib/mode.ts'
import { formatMoney } from '../../lib/money.ts'
import {
  type Finding,
  findReconcilable,
  type ReconciliationReport,
  type ReportLine,
  reconcile,
} from '../../platform/reconciliation/reconciliation.ts'
import type { CommandContext } from './context.ts'
import { printable, progress, UserError } from './terminal.ts'

type Options = { mode: string; from?: string; to?: string; opening?: boolean; json?: boolean }

/** Adds `bursar rails reconcile`. */
export function addReconcileCommand(rails: Command, { withApp, print }: CommandContext): void {
  rails
    .command('reconcile')
    .description(
      'compare the books with a provider’s lists and balance; differences become incidents',
    )
    .argument('<name>', 'the account’s name')
    .option('--mode <mode>', 'live or test', 'live')
    .option('--from <day>', 'since when, as 2026-11-22 in UTC or a time; 14 days ago unless given')
    .option('--to <day>', 'until when')
    .option('--opening', 'book what the provider owed before anything was booked here, once')
    .option('--json', 'print JSON')
    .action((name: string, options: Options) =>
      withApp(async (app) => {
        const { mode, from, to, opening = false, json } = options
        if (mode !== 'live' && mode !== 'test') throw new UserError('--mode must be live or test.')
        const account = findReconcilable(app, mode === 'live', name)
        if (account === null) throw new UserError(missing(app, mode, name))
        const asked = { from: timeOf('--from', from), to: timeOf('--to', to), opening }
        const shown = progress('read', 'rows', json)
        const report = await reconcile(app, account, {
          ...asked,
          onRead: (rows) => shown(rows, null),
        })
          .catch((error: Error) => {
            throw new UserError(`${error.message}. Nothing is known of the difference; try again.`)
          })
          .finally(shown.end)
        if (json) print(toJson(report))
        else for (const line of linesOf(report)) print(printable(line))
        if (report.difference !== 0n || report.findings.some(({ accepted }) => !accepted))
          process.exitCode = 1
      }),
    )
}

function missing(app: App, mode: Mode, name: string): string {
  return Object.hasOwn(app.rails[mode].accounts, name)
    ? `The provider of '${name}' has no lists that this version reads.`
    : `RAILS_FILE has no ${mode} account '${name}'.`
}

function timeOf(option: string, text: string | undefined): Date | undefined {
  if (text === undefined) return undefined
  const time = /^\d{4}-\d\d-\d\d/.test(text) ? new Date(text) : null
  if (time === null || Number.isNaN(time.getTime()))
    throw new UserError(`${option} must be a day such as 2026-11-22.`)
  return time
}

const names: Record<ReportLine['kind'], string> = {
  payment: 'payments',
  payout: 'payouts',
  refund: 'refunds',
}

/** The report, to be read by a person: it ends with the difference. */
export function linesOf(report: ReconciliationReport): string[] {
  const { livemode, rail, currency, from, to, lines, findings, settlements, topUps, opening } =
    report
  const money = (amount: bigint): string => formatMoney(amount, currency)
  const row = (cells: string[]): string =>
    `${(cells[0] as string).padEnd(18)}${cells
      .slice(1)
      .map((cell) => cell.padStart(18))
      .join('')}`
  const sum = (name: string, amount: bigint): string => row([name, money(amount)])
  return [
    `${livemode ? 'live' : 'test'}  ${rail}  ${from.toISOString()} to ${to.toISOString()}`,
    row(['', 'listed', 'agree', 'on their way', 'amount', 'fees']),
    ...lines.map(({ kind, listed, agreed, waiting, amount, fees }) =>
      row([
        names[kind],
        String(listed),
        String(agreed),
        String(waiting),
        money(amount),
        money(fees),
      ]),
    ),
    ...(settlements > 0 ? [`${settlements} settlements to the bank are booked now.`] : []),
    ...(topUps > 0 ? [`${topUps} top-ups are booked now.`] : []),
    ...(opening === null
      ? []
      : [`What was owed before the books began is booked now: ${money(opening)}.`]),
    ...findings.map((finding) => findingLine(finding, money)),
    sum('can be paid out', report.available),
    sum('not settled yet', report.unsettled),
    sum('on its way', -report.onTheWay),
    sum('owed', report.owed),
    sum('booked', report.booked),
    sum('difference', report.difference),
  ]
}

function findingLine(
  { kind, subject, difference, detail, accepted }: Finding,
  money: (amount: bigint) => string,
): string {
  const facts = Object.entries(detail).filter(([, value]) => value !== null)
  const about = facts.map(([name, value]) => `${name} ${String(value)}`).join(', ')
  return `${accepted ? 'accepted' : 'LOOK'}  ${kind}  ${subject}  ${money(difference)}  ${about}`
}
