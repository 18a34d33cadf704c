/**
 * Official exchange rates: fetched by whoever calls `keepFetched`, kept as text, and used while
 * they are young. One that has moved far since the last is used once a person has accepted it.
 */
import type { RateOfMoment } from '../../core/pricing.ts'
import type { Queryable } from '../../db/db.ts'
import { newId } from '../../lib/ids.ts'
import { type Decimal, parseDecimal } from '../../lib/money.ts'
import * as statements from './sql.ts'

/** Of these pairs a table may say that their rates are official. */
export const officialPairs = ['usd_ngn'] as const
export type OfficialPair = (typeof officialPairs)[number]

/** What stands in a table for the rate of such a pair. */
export const isOfficial = 'official'

/**
 * A source may publish nothing over a long weekend: what is older than this is of a source that has
 * stopped.
 */
const mostSilentDays = 7
const dayMs = 86_400_000

export type OfficialRow = statements.OfficialRow

/** Until when a rate is used. */
export const validUntil = (
  { fetched_at, published_on }: Pick<OfficialRow, 'fetched_at' | 'published_on'>,
  ageMs: number,
) =>
  new Date(
    Math.min(
      fetched_at.getTime() + ageMs,
      Date.parse(`${published_on}T00:00:00Z`) + (mostSilentDays + 1) * dayMs,
    ),
  )

/** The rate of a pair at a moment; null where there is none that is young enough. */
export function rateAt(
  row: OfficialRow | undefined,
  ageMs: number,
  now: Date,
): RateOfMoment | null {
  if (row === undefined) return null
  const until = validUntil(row, ageMs)
  const leftMs = until.getTime() - now.getTime()
  if (leftMs <= 0) return null
  return {
    rate: parseDecimal(row.rate),
    source: 'official',
    fetchedAt: row.fetched_at,
    validUntil: until,
    leftMs,
  }
}

/** Whether a rate differs from another by more than a share of it, in percent. */
export function hasMoved(before: Decimal, now: Decimal, mostPercent: number): boolean {
  const scale = Math.max(before.scale, now.scale)
  const [was, is] = [before, now].map(
    ({ units, scale: own }) => units * 10n ** BigInt(scale - own),
  ) as [bigint, bigint]
  const difference = is > was ? is - was : was - is
  return difference * 100n > was * BigInt(mostPercent)
}

export type Fetched = { pair: OfficialPair; rate: string; publishedOn: string; at: Date }

/**
 * Keeps a rate that was fetched. Of the same rate of the same day only the time is new; but where
 * its source goes back to it from one that is far from it, it waits for a person as a new one
 * would.
 * @param mostPercent how far it may be from the last good one
 * @returns the row; `waits` where it waits for a person from now on
 * @throws {RangeError} when the text is no rate above zero
 */
export async function keepFetched(
  on: Queryable,
  { pair, rate, publishedOn, at }: Fetched,
  mostPercent: number,
) {
  const read = parseDecimal(rate)
  if (read.units === 0n) throw new RangeError('is zero')
  const before = await on.row(statements.selectGood, [pair])
  const moved = before !== null && hasMoved(parseDecimal(before.rate), read, mostPercent)
  const { was, ...row } = (await on.row(statements.upsertOfficial, [
    newId(at),
    pair,
    rate,
    publishedOn,
    at,
    moved ? 'suspect' : 'good',
    // One of an earlier day is not used any more.
    moved && publishedOn === before.published_on,
  ])) as OfficialRow & { was: OfficialRow['status'] | null }
  return { row, waits: row.status === 'suspect' && was !== 'suspect' }
}

/** The newest rates, of any status. */
export const listOfficial = (on: Queryable): Promise<OfficialRow[]> =>
  on.rows(statements.selectOfficial)

/** What a person says of a rate. @returns null when there is none that waits for it */
export const decideOfficial = (
  on: Queryable,
  { id, to, by }: { id: string; to: 'good' | 'refused'; by: string },
): Promise<OfficialRow | null> => on.row(statements.decideOfficial, [id, to, by])
