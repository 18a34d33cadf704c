/** What the commands of `bursar cells` share: the cells of CELLS_FILE, and their databases. */
import type { App } from '../../core/app.ts'
import { cellLetter } from '../../lib/cells.ts'
import { textOf } from '../../lib/config.ts'
import { type Cell, readCells } from '../cells/cells.ts'
import { commandsWith } from './commands.ts'
import { UserError } from './terminal.ts'

export type CellTools = {
  env: NodeJS.ProcessEnv
  print(line: string): void
  /** Opens the application over a cell's database, or over another one with the cell's settings. */
  withCell(
    letter: string,
    work: (app: App) => Promise<void>,
    at?: { url: string; letter: string },
  ): Promise<void>
}

/** Declares a command of `bursar cells`. */
export const cellCommand = commandsWith<CellTools>()

/** Returns the cells of the installation. @throws {UserError} without CELLS_FILE */
export function cellsOf(env: NodeJS.ProcessEnv): Cell[] {
  const cells = readCells(env)
  if (cells !== null) return cells
  throw new UserError('There is one cell: CELLS_FILE names several, and is not set.')
}

/** Finds a cell by its letter. @throws {UserError} */
export function findCell(env: NodeJS.ProcessEnv, letter: string): Cell {
  const cells = cellsOf(env)
  const found = cells.find((cell) => cell.letter === letter)
  if (found) return found
  const letters = cells.map((cell) => cell.letter).join(', ')
  throw new UserError(`There is no cell ${letter}: there are ${letters}.`)
}

/** @throws {UserError} unless the letter can name a new cell */
export function assertUnused(env: NodeJS.ProcessEnv, letter: string): void {
  if (!cellLetter.test(letter))
    throw new UserError(`'${letter}' is no name of a cell: one lower-case letter is.`)
  if (cellsOf(env).some((cell) => cell.letter === letter))
    throw new UserError(`There is a cell ${letter} already.`)
}

/**
 * Reads the value of an option: `env:NAME` is a variable of the environment, so that the file keeps
 * its name and not its value. @throws {UserError}
 */
export function readValue(env: NodeJS.ProcessEnv, text: string): string {
  if (!text.startsWith('env:')) return text
  const value = textOf(env, text.slice(4))
  if (!value) throw new UserError(`The environment has no ${text.slice(4)}, or it is empty.`)
  return value
}
