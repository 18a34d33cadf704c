/** Counts how many payments were paid, of those whose payers began to pay. */
import type { View } from '../../core/inside.ts'
import { selectTried, type TriedRow } from './sql.ts'

/** The newest payments of a period that are looked at, so that the cost has a limit. */
export const mostTried = 2_000

export type Tried = Pick<TriedRow, 'currency' | 'method' | 'ended' | 'paid'>

/**
 * Counts payments by wallet and by the method that their payers began. A payment that is open, or
 * that the business canceled, does not count. `method` null: by any method.
 * @param period when they were created; its end is exclusive
 * @returns `cut`: only the newest payments of the period were counted
 */
export async function countTried(
  view: View,
  { from, to }: { from: Date; to: Date },
): Promise<{ tried: Tried[]; cut: boolean }> {
  const tried = await view.rows(selectTried, [from, to, mostTried])
  return { tried, cut: tried[0]?.cut === true }
}
