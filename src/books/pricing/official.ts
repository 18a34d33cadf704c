/**
 * Official exchange rates: fetched by the caller of `keepFetched`, stored as text, and used while
 * they are fresh. After a large change, a rate is used only once a person has accepted it.
 */
import type { RateOfMoment } from '../../core/pricing.ts'
import type { Queryable } from '../../db/db.ts'
import { newId } from '../../lib/ids.ts'
import { type Decimal, parseDecimal } from '../../lib/money.ts'
import * as statements from './sql.ts'

/** The pairs with official rates. */
export const officialPairs = ['usd_ngn'] as const
export type OfficialPair = (typeof officialPairs)[number]

/** The value in a pricing table that selects the official rate. */
export const isOfficial = 'official'

/** Sources may be silent over a long weekend; an older rate means that the source has stopped. */
const mostSilentDays = 7
const dayMs = 86_400_000

export type OfficialRow = statements.OfficialRow

/** Returns until when a rate is used. */
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

/** Returns the rate of a pair at a time, or null if there is no fresh one. */
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

/** Whether two rates differ by more than a percentage of the first. */
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
 * Stores a fetched rate. A repeat of a day's rate updates only its time, except when the source
 * returns to it after a very different rate: it then waits for a person like a new one.
 * @param mostPercent the largest accepted change from the last good rate
 * @returns the row; `waits` if it now waits for a person
 * @throws {RangeError} if the text is no rate above zero
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
    // A rate of an earlier day is no longer used.
    moved && publishedOn === before.published_on,
  ])) as OfficialRow & { was: OfficialRow['status'] | null }
  return { row, waits: row.status === 'suspect' && was !== 'suspect' }
}

/** Returns the newest rates of any status. */
export const listOfficial = (on: Queryable): Promise<OfficialRow[]> =>
  on.rows(statements.selectOfficial)

/**
 * Records a person's decision about a rate.
 * @returns null if no such rate waits for one
 */
export const decideOfficial = (
  on: Queryable,
  { id, to, by }: { id: string; to: 'good' | 'refused'; by: string },
): Promise<OfficialRow | null> => on.row(statements.decideOfficial, [id, to, by])
