/**
 * What a list can be narrowed by, and the SQL of that: few fixed fragments of the modules, and
 * parameters.
 */
import { idBound } from '../../lib/ids.ts'
import type { Statement } from '../db.ts'
import { countedList } from './counts.ts'

/**
 * A fixed fragment of SQL with `?` for its one parameter, and the value; left out when the value is
 * undefined.
 */
export type Filter = [fragment: string, value: unknown]

/** Rows that an index finds. The fragments are the caller's own constants. */
export type Match =
  /**
   * `each` is a condition by which an index has its rows newest first, for each of the values in
   * place of `?`: the newest are read.
   */
  | { each: string; values: unknown[]; type?: 'text' | 'bigint' }
  /**
   * `recent` is a condition of the column `of` that the index of ids holds, in a list in their
   * order: the newest of the range are looked through.
   */
  | { recent: string; of: string; values: unknown[] }
  /**
   * `all`, with `?1` and `?2` for its values, is a condition whose index has them in the order of
   * the column `by`: all of them are read. `words` say to a person which they are.
   */
  | { all: string; by: string; values: unknown[]; words: string }

/**
 * What is listed of a table. The fragments and the names of facets are the caller's own constants,
 * never input.
 */
export type Narrowed = {
  /** A fixed condition of every query, as a partial index needs it said. */
  where?: string
  /** Columns by which the table is counted, and the value that each must have; undefined: any. */
  facets?: Record<string, string | undefined>
  /** Created at or after, in a table that is counted. */
  from?: Date | undefined
  /** Created before, in a table that is counted. */
  to?: Date | undefined
  /** Beside `sought`, each must be the `each` of a match. */
  filters?: Filter[]
  /**
   * What the request looks for, each by the matches of which a row must be one; undefined: not
   * asked for. Rows are found by the filters, or else by the first of these, and looked at for the
   * others: those that find few rows come first.
   */
  sought?: (Match[] | undefined)[]
  /**
   * The column whose latest times come first, in place of `created_at`; the list is not counted by
   * days then.
   */
  latest?: 'created_at' | 'updated_at'
  /** False where nobody reads `totalDocs`: it is 0 then, and not counted. */
  counted?: false
}

export type Listed = Narrowed & {
  table: string
  columns: string
  business: string
  livemode: boolean
}

/** A row of the list, to continue after. */
export type Cursor = [at: Date, id: string]

/**
 * The parameters of a list's statement: the business, the mode, `more` from `$3` on, and what is
 * said in its conditions.
 */
export function parametersOf({ business, livemode }: Listed, more: unknown[] = []) {
  const params: unknown[] = [business, livemode, ...more]
  return { params, say: (value: unknown): string => `$${params.push(value)}` }
}

type Say = (value: unknown) => string

/** Whose the rows are. */
export function ownConditions({ where }: Listed): string[] {
  return ['business_id = $1', 'livemode = $2', ...(where ? [where] : [])]
}

/** When they were created, in the words of the index that has the newest first. */
export function timeConditions({ table, from, to }: Listed, say: Say): string[] {
  const bound = (how: string, time: Date | undefined): string[] => {
    if (time === undefined) return []
    return [
      isInIdOrder(table) ? `id ${how} ${say(idBound(time))}` : `created_at ${how} ${say(time)}`,
    ]
  }
  return [...bound('>=', from), ...bound('<', to)]
}

/** What they have in common. */
export function facetConditions({ facets = {} }: Listed, say: Say): string[] {
  return Object.entries(facets)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name} = ${say(value)}`)
}

export function filterConditions({ filters = [] }: Listed, say: Say): string[] {
  return filters
    .filter(([, value]) => value !== undefined)
    .map(([fragment, value]) => fragment.replaceAll('?', say(value)))
}

export function cursorCondition(
  { table, latest = 'created_at' }: Listed,
  [at, id]: Cursor,
  say: Say,
): string {
  return isInIdOrder(table) ? `id < ${say(id)}` : `(${latest}, id) < (${say(at)}, ${say(id)})`
}

/** Newest first. */
export function orderOf({
  table,
  latest = 'created_at',
}: Pick<Listed, 'table' | 'latest'>): string {
  return isInIdOrder(table) ? 'id desc' : `${latest} desc, id desc`
}

export function isInIdOrder(table: string): boolean {
  return countedList(table)?.inIdOrder === true
}

const names = new Map<string, string>()

/**
 * Statements are made of few fixed fragments, so few texts exist; each is prepared under a name of
 * its own.
 */
export function statement<Row>(text: string): Statement<Row> {
  const name = names.get(text) ?? `list.${names.size}`
  names.set(text, name)
  return { name, text }
}
