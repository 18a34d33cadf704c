/** Lines about the differences that a verification of the ledger finds. */
import type { Difference } from '../../books/ledger/verify.ts'
import { modeOf } from '../../lib/mode.ts'

/** Returns the line of a difference. @param cell is named if there are several */
export function differenceLine(difference: Difference, cell?: string): string {
  const { check, business_id, livemode, what, expected, found } = difference
  const where = cell === undefined ? '' : `${cell}  `
  return `DIFFERENCE  ${where}${check}: ${business_id} ${modeOf(livemode)} ${what}: expected ${expected}, found ${found}`
}

/** Returns `The books are clean` or how many differences there are. */
export const verdictOf = (differences: number): string =>
  differences === 0 ? 'The books are clean' : `${differences} differences`
