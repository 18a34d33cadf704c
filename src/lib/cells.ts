/**
 * The cell of a business, as a letter in API keys and slugs of hosted pages. A text without a
 * letter predates cells: it is one character shorter and belongs to the first cell.
 */
import { randomText } from './secrets.ts'

export const cellLetter = /^[a-z]$/

/**
 * The header by which a cell tells the front which cell has the data. The front retries there, and
 * removes the header.
 */
export const cellHeader = 'bursar-cell'

/** A process serves one cell. */
let own = 'a'
let takesNew = true

/**
 * Sets the cell of this process, which new keys and slugs name.
 * @param accepts whether it creates new businesses
 */
export function nameCell(letter: string, accepts: boolean): void {
  own = letter
  takesNew = accepts
}

/** Whether this process's cell accepts new businesses. */
export const acceptsBusinesses = (): boolean => takesNew

/** Returns an unguessable text of `length` letters and digits, after the letter of the cell. */
export function newLocator(length: number): string {
  return own + randomText(length)
}

/**
 * Returns the letter in a text of `newLocator(length)`.
 * @returns null if there is none, as in texts that predate cells
 */
export const cellIn = (locator: string, length: number): string | null =>
  locator.length === length + 1 && cellLetter.test(locator[0] as string)
    ? (locator[0] as string)
    : null
