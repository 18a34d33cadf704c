/**
 * What is published of all cells together: the proofs of a day, and the keys that signed any of
 * them.
 */

/** What a cell answered; null when it did not. */
export type CellAnswer = { cell: string; answer: { status: number; body: Body } | null }
type Body = { message?: string; data?: unknown; errors?: { code?: string } | null }
type Day = {
  day: string
  cells: unknown[]
  missing: string[]
  absent: string[]
  unavailable: string[]
}
type Key = { id: string; from: string; until: string | null }

const proofs = /^\/proofs\/(\d{4}-\d\d-\d\d|keys)\/?(?:\?|$)/

/** Whether a path asks for what all cells have together. */
export const isOfAllCells = (path: string): boolean => proofs.test(path)

/** Whether a cell has said what it has. */
const hasSaid = ({ answer }: CellAnswer): boolean =>
  answer !== null && [200, 404].includes(answer.status)

/** The cells that have not said what they have. */
export const silentOf = (answers: readonly CellAnswer[]): string[] =>
  answers.filter((one) => !hasSaid(one)).map(({ cell }) => cell)

/** Whether a path asks for the keys that signed proofs. */
export const isOfKeys = (path: string): boolean => proofs.exec(path)?.[1] === 'keys'

/**
 * One answer of what the cells said; null when none of them did, or one did not whose keys would be
 * left out.
 */
export function togetherOf(answers: readonly CellAnswer[]): { status: number; body: Body } | null {
  const given = answers.filter(hasSaid).flatMap(({ answer }) => answer ?? [])
  const first = given.find(({ status }) => status === 200) ?? given[0]
  if (first === undefined || first.status !== 200) return first ?? null
  const areKeys = Array.isArray(first.body.data)
  if (areKeys && silentOf(answers).length > 0) return null
  const data = given.flatMap(({ status, body }) => (status === 200 ? [body.data] : []))
  return {
    status: 200,
    body: {
      ...first.body,
      data: areKeys ? keysOf(data as Key[][]) : dayOfCells(data as Day[], answers),
    },
  }
}

function dayOfCells(days: Day[], answers: readonly CellAnswer[]): Day {
  return {
    day: (days[0] as Day).day,
    cells: days.flatMap(({ cells }) => cells),
    missing: days.flatMap(({ missing }) => missing),
    absent: answers.flatMap(({ cell, answer }) => (answer?.status === 404 ? [cell] : [])),
    unavailable: silentOf(answers),
  }
}

/**
 * All cells sign by one key: each of them is valid from its first day in any cell to its last one.
 */
function keysOf(lists: Key[][]): Key[] {
  const keys = new Map<string, Key>()
  for (const key of lists.flat()) {
    const known = keys.get(key.id) ?? key
    const until =
      known.until === null || key.until === null
        ? null
        : known.until > key.until
          ? known.until
          : key.until
    keys.set(key.id, { ...known, from: known.from < key.from ? known.from : key.from, until })
  }
  return [...keys.values()].sort((a, b) => (a.from < b.from ? -1 : 1))
}
