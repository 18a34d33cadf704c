/** Monthly statements of a business's wallets, from the ledger alone. */
import type { View } from '../../core/inside.ts'
import type { Ctx } from '../../core/outside.ts'
import { type CsvValue, chunks, csvFile, readerOf } from '../../lib/csv.ts'
import { startOfMonth } from '../../lib/days.ts'
import { refuse } from '../../lib/errors.ts'
import type { WalletCurrency } from '../../lib/money.ts'
import type { PostingKind } from '../ledger/ledger.ts'
import { businessName, timeZoneOf } from '../profiles/profiles.ts'
import type { Sum } from './figures.ts'
import { typeOf } from './kinds.ts'
import { movedIn } from './moved.ts'
import { statementPages } from './pdf.ts'
import { activityTypes, type Statement } from './schema.ts'
import { type MovedRow, selectTotals } from './sql.ts'

export { type Earnings, getEarnings } from './earnings.ts'

export { type Figures, getFigures, type Span, type Sum } from './figures.ts'
export { foldPostingsOf } from './moved.ts'
export { periodOf } from './reports.ts'
export { periodQuery, reported } from './schema.ts'

/**
 * Returns the statement of a month in the business's time zone, as the ledger is now.
 * @param month such as 2026-11
 * @throws {Refusal} `not_found` if it is no month or has not started
 */
export function getStatement(ctx: Ctx, month: string): Promise<Statement> {
  return ctx.snapshot(async (view) => {
    const timeZone = await timeZoneOf(view)
    const { now, livemode } = view.scope
    const { from, to } = monthRange(month, timeZone, now)
    return {
      month,
      livemode,
      business: await businessName(view),
      time_zone: timeZone,
      from,
      to,
      complete: to <= now,
      wallets: await walletsBetween(view, { from, to, timeZone }),
    }
  })
}

/**
 * Returns where a month begins and ends.
 * @param month such as 2026-11
 * @throws {Refusal} `not_found` if it is no month or has not started
 */
export function monthRange(month: string, timeZone: string, now: Date): { from: Date; to: Date } {
  if (!/^[1-9]\d{3}-(0[1-9]|1[0-2])$/.test(month))
    refuse('not_found', `'${month}' is no month such as 2026-11.`)
  const from = startOfMonth(month, timeZone)
  if (from > now) refuse('not_found', `The month ${month} has not started.`)
  return { from, to: startOfMonth(month, timeZone, 1) }
}

async function walletsBetween(view: View, period: Period): Promise<Statement['wallets']> {
  const wallets = await balancesBetween(view, period)
  return wallets.map(({ currency, opening, closing, inside }) => {
    const activity = activityTypes
      .map((type) => ({ type, ...sumsOf(inside.filter(({ kind }) => typeOf[kind] === type)) }))
      .filter((sums) => sums.in !== 0n || sums.out !== 0n || sums.fees !== 0n)
    return { currency, opening, ...sumsOf(inside), closing, activity }
  })
}

type Period = { from: Date; to: Date; timeZone: string }

/**
 * Computes the closing balance of each wallet from the current balance less what came after the
 * period, and the opening likewise. `inside`: what statements count of the period.
 */
async function balancesBetween(view: View, { from, to, timeZone }: Period) {
  const totals = await view.rows(selectTotals)
  const inPeriod = await movedIn(view, { from, to, timeZone }, 'all')
  const since = await movedIn(view, { from: to, to: null, timeZone }, 'all')
  return totals.map(({ currency, total }) => {
    const counted = (rows: MovedRow[]): MovedRow[] =>
      rows.filter((row) => row.currency === currency && row.held !== 0 && typeOf[row.kind] !== null)
    const inside = counted(inPeriod)
    const closing = total - sum(counted(since), net)
    return { currency, opening: closing - sum(inside, net), closing, inside }
  })
}

/** The kinds of postings that statements count. */
export const countedKinds = (Object.keys(typeOf) as PostingKind[]).filter(
  (kind) => typeOf[kind] !== null,
)

/**
 * Returns what a wallet held before and after a period, and what entered and left it between. It
 * must run in a snapshot.
 */
export async function getBalances(
  view: View,
  currency: WalletCurrency,
  period: Period,
): Promise<{ opening: bigint; closing: bigint; credits: Sum; debits: Sum }> {
  const wallets = await balancesBetween(view, period)
  const { opening, closing, inside } = wallets.find((wallet) => wallet.currency === currency) ?? {
    opening: 0n,
    closing: 0n,
    inside: [],
  }
  const sumOf = (rows: MovedRow[]): Sum => ({
    amount: sum(rows, ({ amount }) => amount),
    count: sum(rows, ({ count }) => count),
  })
  return {
    opening,
    closing,
    credits: sumOf(inside.filter(({ held }) => held === 1)),
    debits: sumOf(inside.filter(({ held }) => held === -1)),
  }
}

const sum = (rows: MovedRow[], amount: (row: MovedRow) => bigint): bigint =>
  rows.reduce((total, row) => total + amount(row), 0n)

const net = ({ held, amount }: MovedRow): bigint => BigInt(held) * amount

const sumsOf = (rows: MovedRow[]): { in: bigint; out: bigint; fees: bigint } => ({
  in: sum(rows, ({ charged, held, amount }) => (charged === 0 && held === 1 ? amount : 0n)),
  out: sum(rows, ({ charged, held, amount }) => (charged === 0 && held === -1 ? amount : 0n)),
  fees: sum(rows, (row) => (row.charged === 0 ? 0n : -net(row))),
})

/** Returns the statement as CSV, a line per sum, in major and minor units. */
export async function statementCsv(
  ctx: Ctx,
  month: string,
  spreadsheet?: boolean,
): Promise<AsyncIterable<string>> {
  const { wallets } = await getStatement(ctx, month)
  const lines: CsvValue[][] = [
    ['month', 'currency', 'line', 'type', 'amount_decimal', 'amount_minor'],
  ]
  for (const { currency, opening, closing, activity, ...sums } of wallets) {
    const add = (name: string, type: string, amount: bigint) =>
      lines.push([month, currency, name, type, { decimal: amount }, amount])
    add('opening', '', opening)
    for (const name of ['in', 'out', 'fees'] as const) {
      for (const of of activity) if (of[name] !== 0n) add(name, of.type, of[name])
      add(name, 'total', sums[name])
    }
    add('closing', '', closing)
  }
  return csvFile(lines, readerOf(spreadsheet))
}

/** Returns the statement as PDF. */
export async function statementPdf(ctx: Ctx, month: string): Promise<AsyncIterable<Uint8Array>> {
  return chunks([await statementPages(ctx, await getStatement(ctx, month))])
}
