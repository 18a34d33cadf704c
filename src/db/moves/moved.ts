/**
 * Errors and statements about data that moved to another database (`moves.ts`): a whole cell, or a
 * business.
 */
import pg from 'pg'
import { type Database, sqlOfAll } from '../db.ts'

/** The SQLSTATE that `guard_moved` raises, with the letter of the cell as its detail. */
const movedState = 'BU002'

/** The data are in another database: nothing was done here. */
export class Moved extends Error {
  readonly cell: string

  constructor(cell: string) {
    super(`what was asked for is in another database now, of cell ${cell}`)
    this.cell = cell
  }
}

/** Returns the cell that now has the data, if that caused the error; else null. */
export function movedTo(error: unknown): string | null {
  if (error instanceof Moved) return error.cell
  return error instanceof pg.DatabaseError && error.code === movedState
    ? (error.detail ?? null)
    : null
}

/**
 * A join for statements that start from a client's key or slug: the cell of its business.
 * @param business the column of the business
 */
export const joinMoved = (business: string): string =>
  `left join cell_moves moved on moved.subject in (${business}, '') and moved.moved_at is not null`

const selectMoved = sqlOfAll<{ subject: string }>(
  'moves.select_moved',
  'select subject from cell_moves where moved_at is not null',
)

/** Returns the businesses that are in another database. An empty text stands for all. */
export async function movedSubjects(db: Database): Promise<Set<string>> {
  return new Set((await db.rows(selectMoved)).map(({ subject }) => subject))
}

/**
 * Returns the log level of a failed background task: work on moved data continues in its new
 * database.
 */
export const levelOf = (error: unknown): 'info' | 'error' =>
  movedTo(error) === null ? 'error' : 'info'
