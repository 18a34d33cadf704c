/**
 * The letter of the cell, the database that a business lives in, at a fixed place of what comes without a business: API keys and the
 * slugs of hosted pages. There is one cell today. A text without the letter is of a time before: it is one character shorter, and
 * of the first cell.
 */
import { randomText } from './secrets.ts'

const cell = 'a'

/** A random text of `length` letters and digits that nobody can guess, behind the letter of the cell that knows it. */
export function newLocator(length: number): string {
  return cell + randomText(length)
}
