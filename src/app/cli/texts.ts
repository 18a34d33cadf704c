/**
 * Texts that arguments of commands give and that are kept: by the rules that the API has for its
 * names and notes.
 */
import { hasControls, isLine } from '../../lib/text.ts'
import { UserError } from './terminal.ts'

/**
 * Reads a name, which is one line.
 * @param option as it is typed: `--name`
 * @throws {UserError} for control characters, those that override the direction of text, and a
 * length beyond 1 to `most`
 */
export function readName(option: string, text: string, most: number): string {
  const name = readText(option, text, most)
  if (!isLine(name))
    throw new UserError(
      `${option} must be one line, without characters that override the direction of text.`,
    )
  return name
}

/**
 * Reads a text that may have several lines. @throws {UserError} for other control characters, and a
 * length beyond 1 to `most`
 */
export function readText(option: string, given: string, most: number): string {
  const text = given.trim()
  if (text.length < 1 || text.length > most)
    throw new UserError(`${option} must have 1 to ${most} characters.`)
  if (hasControls(text)) throw new UserError(`${option} must not contain control characters.`)
  // Node.js puts U+FFFD in place of bytes of an argument that are not UTF-8.
  if (!text.isWellFormed() || text.includes('\uFFFD'))
    throw new UserError(`${option} must be UTF-8 text.`)
  return text
}

/** Returns the reader of a name that an option gives. @param option as it is typed: `--name` */
export const lineReader =
  (option: string, most: number) =>
  (text: string): string =>
    readName(option, text, most)
