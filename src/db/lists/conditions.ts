/**
 * What can narrow a list, and the SQL conditions for it. Modules supply constant fragments; values
 * are parameters.
 */
import { idBound } from '../../lib/ids.ts'
import type { Statement } from '../db.ts'
import { countedList } from './counts.ts'

/**
 * A constant fragment of SQL with `?` for its value. The filter is left out if the value is
 * undefined.
 */
export type Filter = [fragment: string, value: unknown]

/** A condition that an index serves. There are three strategies; the fragments are constants. */
export type Match =
  /**
   * Newest first: an index has the rows of each value in this order, and the newest are read.
   * `each` has `?` for a value.
   */
  | { each: string; values: unknown[]; type?: 'text' | 'bigint' }
  /**
   * Recent rows: the newest rows in id order are scanned. `recent` is a condition on the column
   * `of`, which the index of ids includes.
   */
  | { recent: string; of: string; values: unknown[] }
  /**
   * All rows: an index has them in the order of `by`, and all are read. `all` has `?1` and `?2` for
   * the values; `words` describes the rows to people.
   */
  | { all: string; by: string; values: unknown[]; words: string }

/** The filters of a list. Fragments and facet names are constants, never input. */
export type ListFilter = {
  /** A constant condition of every query, in the words of a partial index. */
  where?: string
  /** Required values of the columns by which the table is counted; undefined: any value. */
  facets?: Record<string, string | undefined>
  /** Created at or after; only for counted tables. */
  from?: Date | undefined
  /** Created before; only for counted tables. */
  to?: Date | undefined
  /** With `searches`, each fragment must be the `each` of a match. */
  filters?: Filter[]
  /**
   * The searches of the request, each a list of matches of which a row must have one; undefined:
   * not requested. Rows are found by the filters, or else by the first search, and checked against
   * the others, so searches with few rows come first.
   */
  searches?: (Match[] | undefined)[]
  /**
   * The column to sort by, newest first, instead of `created_at`. Such a list has no counts by day.
   */
  latest?: 'created_at' | 'updated_at'
  /** False if `totalDocs` is not needed: it is then 0. */
  counted?: false
}

export type Listed = ListFilter & {
  table: string
  columns: string
  business: string
  livemode: boolean
}

/** The row after which a page starts. */
export type Cursor = [at: Date, id: string]

/**
 * Starts the parameters of a list's statement: business, mode, and `more` from `$3`. `bind` appends
 * a value and returns its placeholder.
 */
export function parametersOf({ business, livemode }: Listed, more: unknown[] = []) {
  const params: unknown[] = [business, livemode, ...more]
  return { params, bind: (value: unknown): string => `$${params.push(value)}` }
}

export type Bind = (value: unknown) => string

/** Returns the conditions of business, mode and table. */
export function ownConditions({ where }: Listed): string[] {
  return ['business_id = $1', 'livemode = $2', ...(where ? [where] : [])]
}

/**
 * Returns the conditions of the creation time, in the words of the index that has the newest first.
 */
export function timeConditions({ table, from, to }: Listed, bind: Bind): string[] {
  const bound = (how: string, time: Date | undefined): string[] => {
    if (time === undefined) return []
    return [
      isInIdOrder(table) ? `id ${how} ${bind(idBound(time))}` : `created_at ${how} ${bind(time)}`,
    ]
  }
  return [...bound('>=', from), ...bound('<', to)]
}

/** Returns the conditions of the facets. */
export function facetConditions({ facets = {} }: Listed, bind: Bind): string[] {
  return Object.entries(facets)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name} = ${bind(value)}`)
}

export function filterConditions({ filters = [] }: Listed, bind: Bind): string[] {
  return filters
    .filter(([, value]) => value !== undefined)
    .map(([fragment, value]) => fragment.replaceAll('?', bind(value)))
}

export function cursorCondition(
  { table, latest = 'created_at' }: Listed,
  [at, id]: Cursor,
  bind: Bind,
): string {
  return isInIdOrder(table) ? `id < ${bind(id)}` : `(${latest}, id) < (${bind(at)}, ${bind(id)})`
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

const statementNames = new Map<string, string>()

/**
 * Returns a prepared statement. Few different texts exist because their fragments are constants.
 */
export function statement<Row>(text: string): Statement<Row> {
  const name = statementNames.get(text) ?? `list.${statementNames.size}`
  statementNames.set(text, name)
  return { name, text }
}
