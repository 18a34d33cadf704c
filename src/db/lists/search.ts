/**
 * Finds rows by their content: an amount, an email address, the beginning of a reference. Each match
 * reads its index up to a bound, so the cost does not grow with the list.
 */
import { Refusal, refuse } from '../../lib/errors.ts'
import { type Queryable, replanned } from '../db.ts'
import {
  type Bind,
  type Cursor,
  cursorCondition,
  facetConditions,
  isInIdOrder,
  type Listed,
  type Match,
  orderOf,
  ownConditions,
  parametersOf,
  statement,
  timeConditions,
} from './conditions.ts'

/** How many rows of each match are read and counted. */
export const maxSearchRows = 10_000

/** How many of the newest rows are scanned for a match without an index. */
const maxRecentRows = 50_000

/**
 * More rows than are created in one millisecond: rows as old as the last one that was read may be
 * incomplete.
 */
const rowsPerMillisecond = 1_000n

export type Page = { limit: number; offset: bigint; after?: Cursor }

/**
 * The ids of a page, and one more unless it is the last page. `total` is exact up to
 * `maxSearchRows`.
 */
type FoundPage = { ids: string[]; total: number }

/**
 * Finds the ids of a page. Rows are found by the filters or the first search; if that matches too
 * many rows, by the next.
 * @throws {Refusal} `search_too_broad` if the rows within the bounds cannot tell what comes next
 */
export async function findPage(db: Queryable, listed: Listed, page: Page): Promise<FoundPage> {
  const filters = (listed.filters ?? []).filter(([, value]) => value !== undefined)
  const searches = [
    ...filters.map(([each, value]): Match[] => [{ each, values: [value] }]),
    ...(listed.searches ?? []).filter((matches) => matches !== undefined),
  ]
  let refused: unknown
  for (const matches of searches)
    try {
      const others = searches.filter((one) => one !== matches)
      return await findPageBy(db, listed, { matches, others }, page)
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      refused ??= error
    }
  throw refused
}

/** The matches that find rows, and the searches that filter them. */
type SearchPlan = { matches: Match[]; others: Match[][] }

async function findPageBy(
  db: Queryable,
  listed: Listed,
  plan: SearchPlan,
  page: Page,
): Promise<FoundPage> {
  const isComplete = ({ isCut, ids }: SearchResult): boolean => !isCut || ids.length > page.limit
  const end = page.offset + BigInt(page.limit)
  const first = await search(db, listed, plan, page, { rows: BigInt(maxSearchRows) })
  if (isComplete(first)) return first
  if (!page.after && end < maxSearchRows) return refuseTooFewFound()
  // Beyond the counted rows: from the cursor on, or down to the end of the page.
  const rows = end < maxSearchRows ? BigInt(maxSearchRows) : end + rowsPerMillisecond
  const deep = await search(db, listed, plan, page, { rows, fromCursor: true })
  return isComplete(deep) ? { ids: deep.ids, total: first.total } : refuseTooFewFound()
}

/** `isCut`: a match has more rows than were read. */
type SearchResult = FoundPage & { isCut: boolean }

async function search(
  db: Queryable,
  listed: Listed,
  { matches, others }: SearchPlan,
  page: Page,
  bound: { rows: bigint; fromCursor?: true },
): Promise<SearchResult> {
  const possible = matches.filter(({ values }) => values.length > 0)
  if (possible.length === 0) return { ids: [], total: 0, isCut: false }
  const { params, bind } = parametersOf(listed)
  const cursor = page.after ? [cursorCondition(listed, page.after, bind)] : []
  const period = timeConditions(listed, bind)
  const parts: SearchParts = {
    table: listed.table,
    age: isInIdOrder(listed.table) ? 'id' : 'created_at',
    order: orderOf(listed),
    own: ownConditions(listed),
    period,
    cursor,
    scanned: bound.fromCursor ? cursor : [],
    fits: [
      ...period,
      ...facetConditions(listed, bind),
      ...others.map((any) => anyOf(any, bind)),
    ].join(' and '),
    rows: bind(bound.rows),
    bind,
  }
  // Replanned for its values: the best index depends on how many rows each of them has.
  const found = await db.row(
    replanned(
      statement<{ counts: string[]; cut: boolean; total: bigint; ids: string[] }>(
        searchText(parts, possible, page),
      ),
    ),
    params,
  )
  if (!found) throw new Error('a search gave no row')
  for (const [i, match] of possible.entries())
    if ('all' in match && BigInt(found.counts[i] as string) > bound.rows)
      refuseTooBroad(match.words)
  return { ids: found.ids, total: Math.min(Number(found.total), maxSearchRows), isCut: found.cut }
}

/** The parts of SQL that the templates of a search share; `rows` is the parameter of the bound. */
type SearchParts = {
  table: string
  /** The column that tells how old a row is. */
  age: 'id' | 'created_at'
  order: string
  own: string[]
  period: string[]
  cursor: string[]
  /** The cursor, if rows before it are not read. */
  scanned: string[]
  /** What a matching row must also satisfy. */
  fits: string
  rows: string
  bind: Bind
}

/** The statement of a search: `m0` has the rows of the first match, `n0` their number. */
function searchText(parts: SearchParts, matches: Match[], { limit, offset }: Page): string {
  const { age, order, cursor, rows, bind } = parts
  const counts = matches.map((match, i) =>
    isCountedFirst(match) ? `n${i} as materialized (${countText(match, parts)}),` : '',
  )
  const reads = matches.map((match, i) => `m${i} as materialized (${rowsText(match, parts, i)}),`)
  const numbers = matches.map((match, i) =>
    isCountedFirst(match) ? `(select n from n${i})` : `(select count(*) from m${i})`,
  )
  // If a match has more rows than are read, rows as old as the last of them may be incomplete.
  const cuts = matches.flatMap((match, i) =>
    'all' in match ? [] : [`(select ${age} from m${i} order by ${order} offset ${rows} limit 1)`],
  )
  const cut = cuts.length > 0 ? `greatest(${cuts.join(', ')})` : `null::${typeOfAge[age]}`
  const shown = ['fits', `(cut.at is null or ${age} > cut.at)`, ...cursor].join(' and ')
  return `
    with ${counts.join('')} ${reads.join('')}
    found as materialized (${matches.map((_, i) => `select * from m${i}`).join(' union ')}),
    cut as materialized (select ${cut} as at)
    select array[${numbers.join(', ')}] as counts,
           cut.at is not null as cut,
           (select count(*) from found where fits) as total,
           array(select id::text from found where ${shown}
                  order by ${order} limit ${bind(limit + 1)} offset ${bind(offset)}) as ids
      from cut`
}

const typeOfAge = { id: 'text', created_at: 'timestamptz' }

/** Reads the rows of a match, up to one more than the bound. */
function rowsText(match: Match, parts: SearchParts, i: number): string {
  if ('recent' in match) return recentRowsText(match, parts)
  if ('all' in match) return allRowsText(match, parts, i)
  return newestRowsText(match, parts)
}

/** Reads an index that has the rows newest first, once for each value. */
function newestRowsText(match: NewestMatch, parts: SearchParts): string {
  const { own, period, scanned, bind } = parts
  const rowsOfValue = (value: string): string =>
    selectRows(
      parts,
      [...own, match.each.replaceAll('?', value), ...period, ...scanned],
      newest(parts),
    )
  if (match.values.length === 1) return rowsOfValue(bind(match.values[0]))
  return `select found.* from ${valuesOf(match, bind)}
    cross join lateral (${rowsOfValue('one.value')}) found ${newest(parts)}`
}

/** Scans the newest rows of the period by their primary key. */
function recentRowsText(match: RecentMatch, parts: SearchParts): string {
  const { table, own, period, scanned, fits, bind } = parts
  const [value = ''] = match.values.map(bind)
  const conditions = [match.recent.replaceAll('?', value), ...scanned].join(' and ')
  const ids = `
    select id from (select id, ${match.of} from ${table} where ${[...own, ...period].join(' and ')}
                     order by id desc limit ${bind(maxRecentRows)}) newest
     where ${conditions} ${newest(parts)}`
  if (!fits) return `select id, true as fits from (${ids}) recent`
  return selectRows(parts, [...own, `id = any (array(${ids}))`], newest(parts))
}

/** Reads all rows of a match, by an index in another order; none if there are too many. */
function allRowsText(match: AllMatch, parts: SearchParts, i: number): string {
  const { own, rows, bind } = parts
  const bounded = isCountedFirst(match) ? [`(select n from n${i}) <= ${rows}`] : []
  return selectRows(
    parts,
    [...own, allCondition(match, bind), ...bounded],
    `order by ${match.by} limit ${rows}::bigint + 1`,
  )
}

/** Counts the rows of a match by its index alone, so that a match that is too broad costs no reads. */
function countText(match: AllMatch, { table, own, rows, bind }: SearchParts): string {
  return `select count(*) as n from (select from ${table}
     where ${[...own, allCondition(match, bind)].join(' and ')} limit ${rows}::bigint + 1) counted`
}

const newest = ({ order, rows }: SearchParts): string =>
  `order by ${order} limit ${rows}::bigint + 1`

function selectRows({ table, age, fits }: SearchParts, conditions: string[], end: string): string {
  const columns = age === 'id' ? 'id' : 'id, created_at'
  return `select ${columns}, ${fits || 'true'} as fits from ${table} where ${conditions.join(' and ')} ${end}`
}

type NewestMatch = Extract<Match, { each: string }>
type RecentMatch = Extract<Match, { recent: string }>
type AllMatch = Extract<Match, { all: string }>

/** Whether the index alone can count the match; one of ids by words needs other rows. */
const isCountedFirst = (match: Match): match is AllMatch => 'all' in match && match.by !== 'id'

function allCondition({ all, values }: AllMatch, bind: Bind): string {
  const bound = values.map(bind)
  return all.replaceAll(/\?(\d)/g, (_, number) => bound[Number(number) - 1] as string)
}

const valuesOf = ({ values, type = 'text' }: NewestMatch, bind: Bind): string =>
  `unnest(${bind(values)}::${type}[]) as one (value)`

/** Returns the condition that a row has one of the matches. */
function anyOf(matches: Match[], bind: Bind): string {
  const conditions = matches
    .filter(({ values }) => values.length > 0)
    .map((match) => {
      if ('all' in match) return `(${allCondition(match, bind)})`
      if ('recent' in match) return match.recent.replaceAll('?', bind(match.values[0]))
      return `exists (select from ${valuesOf(match, bind)} where ${match.each.replaceAll('?', 'one.value')})`
    })
  return conditions.length > 0 ? `(${conditions.join(' or ')})` : 'false'
}

/** @throws {Refusal} `search_too_broad` */
export function refuseTooBroad(words: string, max = maxSearchRows): never {
  refuse('search_too_broad', `More than ${max.toLocaleString('en')} ${words}. Enter more of it.`)
}

function refuseTooFewFound(): never {
  refuse(
    'search_too_broad',
    `Too few of the ${maxSearchRows.toLocaleString('en')} newest matches fit all filters. Set \`from\` and \`to\`, or search for something more specific.`,
  )
}
