/** The operator's earnings from the ledger: the fees of all businesses less what providers keep. */
import type { View } from '../../core/inside.ts'
import type { Ctx } from '../../core/outside.ts'
import { csvFile, readerOf } from '../../lib/csv.ts'
import type { Id } from '../../lib/ids.ts'
import type { Static } from '../../lib/schema.ts'
import { operator } from '../ledger/ledger.ts'
import { type InFile, periodFormats, periodOf } from './reports.ts'
import type { EarningsQuery, EarningsRecord } from './schema.ts'
import { type EarningsRow, selectEarnings } from './sql.ts'

type Query = Static<typeof EarningsQuery>
export type Earnings = Static<typeof EarningsRecord>

/** Only the businesses with the highest earnings are listed. */
const mostBusinesses = 100

/**
 * Returns earnings by period and business. Earnings of the installation itself, such as fees on
 * unclaimed money, have no business.
 */
async function linesOf(view: View, { mode = 'live', by = 'day', ...range }: Query) {
  const period = { ...(await periodOf(view, range, 'UTC')), livemode: mode === 'live' }
  const { livemode, from, to, time_zone } = period
  const rows = await view.reader.rows(selectEarnings, [
    livemode,
    from,
    to,
    time_zone,
    periodFormats[by],
  ])
  const lines = rows.map(({ business_id, name, ...row }) => {
    const [business, called] = business_id === operator ? [null, null] : [business_id, name]
    return { ...row, business, name: called, earned: row.fees - row.provider_fees }
  })
  return { period, lines }
}

type Sums = Pick<EarningsRow, 'currency' | 'fees' | 'provider_fees'> & { earned: bigint }

/** Adds up lines with equal keys, in order of first occurrence. */
function sumsBy<Line extends Sums, Key extends object>(
  lines: Line[],
  keyOf: (line: Line) => Key,
): (Key & Sums)[] {
  const sums = new Map<string, Key & Sums>()
  for (const line of lines) {
    const key = keyOf(line)
    const name = `${line.currency} ${Object.values(key)}`
    const sum = sums.get(name) ?? {
      ...key,
      currency: line.currency,
      fees: 0n,
      provider_fees: 0n,
      earned: 0n,
    }
    for (const part of ['fees', 'provider_fees', 'earned'] as const) sum[part] += line[part]
    sums.set(name, sum)
  }
  return [...sums.values()]
}

/** Returns the operator's earnings in a period, by day or month, and by business. */
export async function getEarnings(ctx: Ctx, query: Query): Promise<Earnings> {
  const { period, lines } = await linesOf(ctx, query)
  const businesses = sumsBy(lines, ({ business, name }) => ({ business, name }))
  businesses.sort((a, b) => (a.earned === b.earned ? 0 : a.earned < b.earned ? 1 : -1))
  return {
    ...period,
    totals: sumsBy(lines, () => ({})),
    lines: sumsBy(lines, ({ period }) => ({ period })),
    businesses: businesses.slice(0, mostBusinesses),
    more_businesses: Math.max(0, businesses.length - mostBusinesses),
  } as Earnings
}

/** Returns the same as CSV, in major and minor units. */
export async function earningsCsv(
  ctx: Ctx,
  { spreadsheet, ...query }: InFile<Query>,
): Promise<AsyncIterable<string>> {
  const { lines } = await linesOf(ctx, query)
  const amounts = ['fees', 'provider_fees', 'earned'] as const
  const titles = [
    'period',
    'business',
    'name',
    'currency',
    ...amounts.map((name) => `${name}_decimal`),
    ...amounts.map((name) => `${name}_minor`),
  ]
  const rows = lines.map((line) => [
    line.period,
    line.business as Id | null,
    line.name,
    line.currency,
    ...amounts.map((name) => ({ decimal: line[name] })),
    ...amounts.map((name) => line[name]),
  ])
  return csvFile([titles, ...rows], readerOf(spreadsheet))
}
