/**
 * What moved in a period: read from sums per quarter of an hour, which a periodic task maintains,
 * and from postings that are not summed yet. Exact at each commit; the cost depends on the period,
 * not on the number of postings.
 */
import type { View } from '../../core/inside.ts'
import { type Database, replanned, transaction } from '../../db/db.ts'
import { dayOf, startOfMonth } from '../../lib/days.ts'
import { foldPostings, lockFolded, type MovedRow, selectFolded, selectMoved } from './sql.ts'

const quarter = 900_000
const day = 86_400_000

/** A period in a time zone, with an exclusive end. `to` null: until now. */
type Period = { from: Date; to: Date | null; timeZone: string }

/** The grouping: one sum, or one per day or month of the time zone. */
export type Step = 'all' | 'day' | 'month'
/** Formats of `to_char`. */
const formats: Record<Step, string> = { all: '', day: 'YYYY-MM-DD', month: 'YYYY-MM' }

/**
 * Returns what moved in a period. It must run in a snapshot, so that sums and unsummed postings are
 * of one moment.
 */
export async function movedIn(
  view: View,
  { from, to, timeZone }: Period,
  step: Step,
): Promise<MovedRow[]> {
  const folded = await view.reader.row(selectFolded)
  if (!folded) throw new Error('folded_postings has no row')
  const last = to && Math.floor(to.getTime() / quarter) * quarter
  const first = Math.ceil(from.getTime() / quarter) * quarter
  // A period within a quarter of an hour contains no whole one.
  const none = last !== null && first > last
  const [start, end] = none
    ? [to, to]
    : [new Date(first), last === null ? 'infinity' : new Date(last)]
  const edges = none ? [] : edgesOf(first, last, timeZone, step)
  const params = [from, start, end, to ?? 'infinity', folded.position, timeZone, formats[step]]
  return view.rows(selectMoved, [...params, edges.map((edge) => new Date(edge).toISOString())])
}

/** Returns the days in UTC that the period, or one of its days or months, covers only in part. */
function edgesOf(first: number, last: number | null, timeZone: string, step: Step): number[] {
  const edges = new Set<number>()
  const add = (at: number): void => {
    if (at % day !== 0) edges.add(Math.floor(at / day) * day)
  }
  add(first)
  if (last === null) return [...edges]
  add(last)
  if (step === 'day' && timeZone !== 'UTC')
    for (let at = Math.floor(first / day) * day; at < last; at += day) edges.add(at)
  const month = dayOf(new Date(first), timeZone).slice(0, 7)
  for (let ahead = 1; step === 'month'; ahead++) {
    const begins = startOfMonth(month, timeZone, ahead).getTime()
    if (begins >= last) break
    add(begins)
  }
  return [...edges]
}

/**
 * Sums new postings. Postings of open transactions wait for the next run.
 * @returns the position below which everything is summed and no posting can appear; null while
 * another process sums
 */
export async function foldPostingsOf(db: Database): Promise<bigint | null> {
  return transaction(db, async (tx) => {
    const folded = await tx.row(lockFolded)
    if (!folded) return null
    await tx.rows(replanned(foldPostings), [folded.position])
    return (await tx.row(selectFolded))?.position ?? null
  })
}
