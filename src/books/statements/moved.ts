/**
 * What moved in a period: read from sums of postings, which a periodic task keeps, and from the
 * postings that are in none yet. Exact at each commit, and no more to read of ten million postings
 * than of the period's quarters of an hour.
 */
import type { View } from '../../core/inside.ts'
import { type Database, replanned, transaction } from '../../db/db.ts'
import { dayOf, startOfMonth } from '../../lib/days.ts'
import { foldPostings, lockFolded, type MovedRow, selectFolded, selectMoved } from './sql.ts'

const quarter = 900_000
const day = 86_400_000

/** A time from which on, and one before which, in a time zone. `to` null: whatever came since. */
type Period = { from: Date; to: Date | null; timeZone: string }

/** By what it is told: one sum of all, or one for each day or month of the time zone. */
export type Step = 'all' | 'day' | 'month'
/** As `to_char` writes a day. */
const formats: Record<Step, string> = { all: '', day: 'YYYY-MM-DD', month: 'YYYY-MM' }

/** What moved in a period. In a snapshot: sums and what is not in them must be of one moment. */
export async function movedIn(
  view: View,
  { from, to, timeZone }: Period,
  step: Step,
): Promise<MovedRow[]> {
  const folded = await view.reader.row(selectFolded)
  if (!folded) throw new Error('folded_postings has no row')
  const last = to && Math.floor(to.getTime() / quarter) * quarter
  const first = Math.ceil(from.getTime() / quarter) * quarter
  // Within a quarter of an hour there is no whole one.
  const none = last !== null && first > last
  const [start, end] = none
    ? [to, to]
    : [new Date(first), last === null ? 'infinity' : new Date(last)]
  const edges = none ? [] : edgesOf(first, last, timeZone, step)
  const params = [from, start, end, to ?? 'infinity', folded.position, timeZone, formats[step]]
  return view.rows(selectMoved, [...params, edges.map((edge) => new Date(edge).toISOString())])
}

/** The days in UTC of which only a part is in the period, or in one of its days or months. */
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
 * Sums what was posted since it last did. What writes just now waits for the next time, and holds
 * up nobody.
 * @returns the position below which all is summed now, and no posting can appear any more; null
 * while another sums
 */
export async function foldPostingsOf(db: Database): Promise<bigint | null> {
  return transaction(db, async (tx) => {
    const folded = await tx.row(lockFolded)
    if (!folded) return null
    await tx.rows(replanned(foldPostings), [folded.position])
    return (await tx.row(selectFolded))?.position ?? null
  })
}
