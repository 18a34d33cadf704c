/**
 * The letter of the cell, the database that a business lives in, at a fixed place of what comes
 * without a business: API keys and the slugs of hosted pages. A text without the letter is of a
 * time before there was one: it is one character shorter, and of the first cell.
 */
import { randomText } from './secrets.ts'

export const cellLetter = /^[a-z]$/

/**
 * By this header a cell says to the front which one has what was asked for. The front asks that
 * one, and nobody else sees it.
 */
export const cellHeader = 'bursar-cell'

/** Of a process: it has one database. */
let own = 'a'
let takesNew = true

/**
 * Says which cell this process is of: what it makes from now on names it. @param accepts whether
 * new businesses are made in it
 */
export function nameCell(letter: string, accepts: boolean): void {
  own = letter
  takesNew = accepts
}

/** Whether new businesses are made in the cell of this process. */
export const acceptsBusinesses = (): boolean => takesNew

/**
 * A random text of `length` letters and digits that nobody can guess, behind the letter of the cell
 * that knows it.
 */
export function newLocator(length: number): string {
  return own + randomText(length)
}

/**
 * The letter that a text of `newLocator(length)` names.
 * @returns null where it names none, as one of before does
 */
export const cellIn = (locator: string, length: number): string | null =>
  locator.length === length + 1 && cellLetter.test(locator[0] as string)
    ? (locator[0] as string)
    : null
