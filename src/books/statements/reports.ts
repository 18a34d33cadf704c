/**
 * Reports of a period from the ledger: fees paid and money received. Their totals equal those of
 * statements.
 */
import type { View } from '../../core/inside.ts'
import type { Ctx } from '../../core/outside.ts'
import { csvFile, readerOf } from '../../lib/csv.ts'
import { dayOf, startOfDay } from '../../lib/days.ts'
import { refuseInput } from '../../lib/errors.ts'
import { type WalletCurrency, walletCurrencies } from '../../lib/money.ts'
import type { Static } from '../../lib/schema.ts'
import type { PostingKind } from '../ledger/ledger.ts'
import { rangeOf, timeZoneOf } from '../profiles/profiles.ts'
import { typeOf } from './kinds.ts'
import { movedIn } from './moved.ts'
import type { FeesRecord, ReportQuery, SettlementsRecord } from './schema.ts'
import type { MovedRow } from './sql.ts'

type Query = Static<typeof ReportQuery>
export type FeesReport = Static<typeof FeesRecord>
export type SettlementReport = Static<typeof SettlementsRecord>

/** The longest 13 months, with a day for clock changes. */
const mostDays = 397
const day = 86_400_000

/**
 * Returns the period of a report; by default this month until now.
 * @param ofDays a time zone other than the business's
 * @throws {Refusal} `validation_failed` if it ends before it begins, or is longer than 13 months
 */
export async function periodOf(view: View, query: Pick<Query, 'from' | 'to'>, ofDays?: string) {
  const { now, livemode } = view.scope
  const timeZone = ofDays ?? (await timeZoneOf(view))
  const asked = await rangeOf(view, query, timeZone)
  const to = asked.to ?? now
  const last = new Date(Math.min(to.getTime() - 1, now.getTime()))
  const from = asked.from ?? startOfDay(`${dayOf(last, timeZone).slice(0, 7)}-01`, timeZone)
  const wrong = (path: string, problem: string): never =>
    refuseInput([{ path, message: `${path} ${problem}`, location: 'query' }])
  if (from > to) wrong('to', 'must not be before from')
  if (to.getTime() - from.getTime() > mostDays * day + 3_600_000)
    wrong('to', 'must be at most 13 months after from')
  return { livemode, time_zone: timeZone, from, to }
}

/** The formats of days and months in reports. */
export const periodFormats = { day: 'YYYY-MM-DD', month: 'YYYY-MM' }

/** Returns the fees of a period, by day or month, wallet, type and method. */
export function getFees(ctx: Ctx, { by = 'day', ...range }: Query): Promise<FeesReport> {
  return ctx.snapshot(async (view) => {
    const period = await periodOf(view, range)
    const moved = await movedIn(view, { ...period, timeZone: period.time_zone }, by)
    const rows = signed(moved, 'charged', () => true)
    const lines = merge(rows, ({ kind }) => typeOf[kind] ?? 'deposit').map(
      ({ amount, count, key: type, ...row }) => ({
        ...row,
        type,
        count: Number(count),
        fees: amount,
      }),
    )
    const totals = walletCurrencies.map((currency) => ({
      currency,
      fees: sumOf(lines, currency, 'fees'),
    }))
    return { ...period, totals, lines } as FeesReport
  })
}

/** Whether a posting is what a payer paid, or its fee. */
export const isIncome = ({ kind }: { kind: PostingKind }): boolean => typeOf[kind] === 'deposit'

/**
 * Returns what payers paid in a period, the fees on it and what reached the wallet; by day or
 * month, wallet and method.
 */
export function getSettlements(
  ctx: Ctx,
  { by = 'day', ...range }: Query,
): Promise<SettlementReport> {
  return ctx.snapshot(async (view) => {
    const period = await periodOf(view, range)
    const rows = signed(
      await movedIn(view, { ...period, timeZone: period.time_zone }, by),
      'held',
      isIncome,
    )
    const fees = new Map(rows.filter(isFee).map((row) => [keyOf(row), -row.amount]))
    const lines = merge(
      rows.filter((row) => !isFee(row)),
      () => '',
    ).map(({ key: _key, amount: gross, count, ...row }) => {
      const kept = fees.get(keyOf(row)) ?? 0n
      return { ...row, count: Number(count), gross, fees: kept, net: gross - kept }
    })
    const totals = walletCurrencies.map((currency) => ({
      currency,
      gross: sumOf(lines, currency, 'gross'),
      fees: sumOf(lines, currency, 'fees'),
      net: sumOf(lines, currency, 'net'),
    }))
    return { ...period, totals, lines } as SettlementReport
  })
}

type FlowRow = Pick<MovedRow, 'period' | 'currency' | 'kind' | 'method' | 'amount' | 'count'>

/** Returns credits less debits of one kind per row. */
export function signed(
  rows: MovedRow[],
  border: 'held' | 'charged',
  which: (row: MovedRow) => boolean,
): FlowRow[] {
  const sums = new Map<string, FlowRow>()
  for (const row of rows) {
    if (row[border] === 0 || row.method === '' || !which(row)) continue
    const { period, currency, kind, method, count } = row
    const key = `${keyOf(row)} ${kind}`
    const found = sums.get(key)
    const amount = BigInt(row[border]) * row.amount + (found?.amount ?? 0n)
    sums.set(key, { period, currency, kind, method, amount, count: count + (found?.count ?? 0n) })
  }
  return [...sums.values()]
}

export const isFee = ({ kind }: FlowRow): boolean => kind === 'deposit_fee'

type Line = Pick<FlowRow, 'period' | 'currency' | 'method'>
const keyOf = ({ period, currency, method }: Line): string => `${period} ${currency} ${method}`

/** Adds up rows with equal period, wallet, method and key, keeping their order. */
function merge(rows: FlowRow[], keyFor: (row: FlowRow) => string) {
  const merged = new Map<string, Line & { key: string; amount: bigint; count: bigint }>()
  for (const row of rows) {
    const { period, currency, method } = row
    const key = keyFor(row)
    const found = merged.get(`${keyOf(row)} ${key}`)
    merged.set(`${keyOf(row)} ${key}`, {
      period,
      currency,
      method,
      key,
      amount: row.amount + (found?.amount ?? 0n),
      count: row.count + (found?.count ?? 0n),
    })
  }
  return [...merged.values()]
}

const sumOf = <Name extends string>(
  lines: ({ currency: WalletCurrency } & Record<Name, bigint>)[],
  currency: WalletCurrency,
  name: Name,
): bigint => lines.reduce((sum, line) => (line.currency === currency ? sum + line[name] : sum), 0n)

/** The options of a CSV file: whether it is for Excel. */
export type InFile<Asked> = Asked & { spreadsheet?: boolean }

/** Returns the fees report as CSV, in major and minor units. */
export async function feesCsv(
  ctx: Ctx,
  { spreadsheet, ...query }: InFile<Query>,
): Promise<AsyncIterable<string>> {
  const { lines } = await getFees(ctx, query)
  const titles = ['period', 'currency', 'type', 'method', 'count', 'fees_decimal', 'fees_minor']
  const rows = lines.map(({ fees, ...line }) => [
    line.period,
    line.currency,
    line.type,
    line.method,
    line.count,
    { decimal: fees },
    fees,
  ])
  return csvFile([titles, ...rows], readerOf(spreadsheet))
}

/** Returns the settlement report as CSV, in major and minor units. */
export async function settlementsCsv(
  ctx: Ctx,
  { spreadsheet, ...query }: InFile<Query>,
): Promise<AsyncIterable<string>> {
  const { lines } = await getSettlements(ctx, query)
  const amounts = ['gross', 'fees', 'net'] as const
  const titles = [
    'period',
    'currency',
    'method',
    'count',
    ...amounts.map((name) => `${name}_decimal`),
    ...amounts.map((name) => `${name}_minor`),
  ]
  const rows = lines.map((line) => [
    line.period,
    line.currency,
    line.method,
    line.count,
    ...amounts.map((name) => ({ decimal: line[name] })),
    ...amounts.map((name) => line[name]),
  ])
  return csvFile([titles, ...rows], readerOf(spreadsheet))
}
