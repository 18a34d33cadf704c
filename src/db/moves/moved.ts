/**
 * What is in another database now: a cell that was moved to another server, or a business that was
 * split off into a cell of its own. See `moves.ts`.
 */
import pg from 'pg'
import { type Database, sqlOfAll } from '../db.ts'

/** What `guard_moved` raises; its detail is the letter of the cell. */
const movedState = 'BU002'

/** What was asked for is in another database: nothing was done here. */
export class Moved extends Error {
  readonly cell: string

  constructor(cell: string) {
    super(`what was asked for is in another database now, of cell ${cell}`)
    this.cell = cell
  }
}

/** The cell that has what could not be done here, where that is why; else null. */
export function movedTo(error: unknown): string | null {
  if (error instanceof Moved) return error.cell
  return error instanceof pg.DatabaseError && error.code === movedState
    ? (error.detail ?? null)
    : null
}

/**
 * A part of a statement that starts from what a client presents: where its business is by now.
 * @param business the column that says whose it is
 */
export const joinMoved = (business: string): string =>
  `left join cell_moves moved on moved.subject in (${business}, '') and moved.moved_at is not null`

const selectMoved = sqlOfAll<{ subject: string }>(
  'moves.select_moved',
  'select subject from cell_moves where moved_at is not null',
)

/** The businesses that are in another database; an empty text: all are. */
export async function movedSubjects(db: Database): Promise<Set<string>> {
  return new Set((await db.rows(selectMoved)).map(({ subject }) => subject))
}

/**
 * How loudly to say that something in the background failed: what is in another database by now
 * goes on there.
 */
export const levelOf = (error: unknown): 'info' | 'error' =>
  movedTo(error) === null ? 'error' : 'info'
