/**
 * Lists rows newest first, by page or by keyset cursor, with a total. The cost does not grow with
 * the list: totals come from counts, rare rows from an index by facets, and far pages start at
 * their day.
 */
import { refuse } from '../../lib/errors.ts'
import { idBound } from '../../lib/ids.ts'
import { type Queryable, replanned } from '../db.ts'
import { columnsOf, type Owner, type Table } from '../table.ts'
import {
  type Cursor,
  cursorCondition,
  facetConditions,
  filterConditions,
  isInIdOrder,
  type Listed,
  type ListFilter,
  orderOf,
  ownConditions,
  parametersOf,
  statement,
  timeConditions,
} from './conditions.ts'
import {
  countedList,
  sameCombination,
  selectCombinations,
  selectCount,
  selectCountOfDays,
  selectDayAt,
} from './counts.ts'
import { findPage, maxSearchRows } from './search.ts'

export type { Filter, ListFilter, Match } from './conditions.ts'

export type PageQuery = { page?: number; limit?: number; after?: string }

/** The list envelope of the API. */
export type PageOf<T> = {
  docs: T[]
  totalDocs: number
  limit: number
  page: number
  totalPages: number
  hasNextPage: boolean
  hasPrevPage: boolean
  nextPage: number | null
  prevPage: number | null
}

/** Pages that start within this many rows are read from the start of the list. */
const maxWalkedRows = 1_000

/**
 * Lists rows of a table for the view's business and mode. Statements are prepared per set of
 * filters.
 * @throws {Refusal} `invalid_cursor` if `after` is no row of this business and mode;
 * `search_too_broad`
 */
export async function listPage<Row>(
  { reader: db, scope }: { reader: Queryable; scope: Owner },
  of: Table | { name: string; columns: string },
  query: PageQuery,
  narrowed: ListFilter = {},
): Promise<PageOf<Row>> {
  const columns = typeof of.columns === 'string' ? of.columns : columnsOf(of as Table)
  const listed: Listed = {
    ...narrowed,
    table: of.name,
    columns,
    business: scope.businessId,
    livemode: scope.livemode,
  }
  const asked = {
    page: query.page ?? 1,
    limit: query.limit ?? 20,
    after: query.after === undefined ? undefined : await cursorOf(db, listed, query.after),
  }
  return listed.searches?.some((one) => one !== undefined)
    ? readSearchPage(db, listed, asked)
    : readListPage(db, listed, asked)
}

type PageRequest = { page: number; limit: number; after: Cursor | undefined }

/** The page of a request. A page after a cursor has no number. */
export type Paging = { page: number; limit: number; after: unknown }

const offsetOf = ({ page, limit }: PageRequest): bigint => BigInt(page - 1) * BigInt(limit)

/** @throws {Refusal} `invalid_cursor` */
async function cursorOf(db: Queryable, listed: Listed, after: string): Promise<Cursor> {
  const { table, latest = 'created_at' } = listed
  const text = `select ${latest} as at from ${table} where business_id = $1 and livemode = $2 and id = $3`
  const row = await db.row(statement<{ at: Date }>(text), [listed.business, listed.livemode, after])
  return row ? [row.at, after] : refuse('invalid_cursor', `No record '${after}' to continue after.`)
}

async function readListPage<Row>(
  db: Queryable,
  listed: Listed,
  asked: PageRequest,
): Promise<PageOf<Row>> {
  const { page, limit, after } = asked
  const totalDocs = listed.counted === false ? 0 : Number(await countRows(db, listed))
  if (after) {
    const found = await readRows<Row>(db, listed, { limit: limit + 1, after })
    return pageOf(asked, found.slice(0, limit), totalDocs, found.length > limit)
  }
  const offset = offsetOf(asked)
  if (listed.counted !== false && totalDocs >= maxSearchRows && !isCounted(listed)) {
    const found = await readRows<Row>(db, listed, { limit: limit + 1, offset })
    const reached = found.length > 0 ? Number(offset) + found.length : 0
    return pageOf(asked, found.slice(0, limit), Math.max(totalDocs, reached), found.length > limit)
  }
  const rows =
    listed.counted !== false && offset >= BigInt(totalDocs)
      ? []
      : await readRows<Row>(db, listed, { limit, ...(await startOf(db, listed, offset)) })
  return pageOf(asked, rows, totalDocs, page * limit < totalDocs)
}

/**
 * Reads a page of a search. Its total is bounded, so one more row is read to know whether a page
 * follows.
 */
async function readSearchPage<Row>(
  db: Queryable,
  listed: Listed,
  asked: PageRequest,
): Promise<PageOf<Row>> {
  const { limit, after } = asked
  const offset = after ? 0n : offsetOf(asked)
  const { ids, total } = await findPage(db, listed, {
    limit,
    offset,
    ...(after ? { after } : {}),
  })
  const shown = ids.slice(0, limit)
  const text = `select ${listed.columns} from ${listed.table} where business_id = $1 and livemode = $2 and id = any($3::text[])
    order by ${orderOf(listed)}`
  const rows =
    shown.length === 0
      ? []
      : await db.rows(replanned(statement<Row>(text)), [listed.business, listed.livemode, shown])
  const reached = ids.length > 0 ? Number(offset) + ids.length : 0
  return pageOf(asked, rows, Math.max(total, reached), ids.length > limit)
}

/** Returns a page of a short list that was read whole. */
export function paginate<Row extends { id: string }>(
  all: Row[],
  { page = 1, limit = 20, after }: { page?: number; limit?: number; after?: string },
): PageOf<Row> {
  const start =
    after === undefined ? (page - 1) * limit : all.findIndex(({ id }) => id === after) + 1
  return pageOf(
    { page, limit, after },
    all.slice(start, start + limit),
    all.length,
    start + limit < all.length,
  )
}

/** Returns a page in the form of the API. */
export function pageOf<Row>(
  { page, limit, after }: Paging,
  docs: Row[],
  totalDocs: number,
  hasNextPage: boolean,
): PageOf<Row> {
  const totalPages = Math.max(1, Math.ceil(totalDocs / limit))
  const hasPrevPage = after !== undefined || page > 1
  return {
    docs,
    totalDocs,
    limit,
    page,
    totalPages,
    hasNextPage,
    hasPrevPage,
    nextPage: hasNextPage && !after ? page + 1 : null,
    prevPage: hasPrevPage && !after ? Math.min(page - 1, totalPages) : null,
  }
}

/** Returns the page with each row mapped to a record. */
export function mapPage<A, B>(page: PageOf<A>, map: (row: A) => B): PageOf<B> {
  return { ...page, docs: page.docs.map(map) }
}

/** Whether the counts know all filters of the list. */
function isCounted({ table, filters = [], latest }: Listed): boolean {
  return (
    countedList(table) !== null &&
    latest === undefined &&
    filters.every(([, value]) => value === undefined)
  )
}

const facetsOf = ({ facets = {} }: Listed): string => JSON.stringify(facets)

/**
 * Counts the rows of a list: from the counts if they know its filters, else by index, up to
 * `maxSearchRows`.
 */
async function countRows(db: Queryable, listed: Listed): Promise<bigint> {
  if (!isCounted(listed)) return countByIndex(db, listed, maxSearchRows)
  const { business, livemode, table, from, to } = listed
  const key = [business, livemode, table, facetsOf(listed)]
  if (!from && !to) return (await db.row(selectCount, key))?.total ?? 0n
  // Whole days come from the counts, from the nearest midnight at either end; the rest is counted
  // by index.
  const first = from && nearestDay(from)
  const last = to && nearestDay(to)
  if ((first && first > lastDay) || (from && to && from >= to) || (first && last && first >= last))
    return countByIndex(db, listed)
  const days = await db.row(selectCountOfDays, [
    ...key,
    first ? utcDate(first) : '-infinity',
    last && last <= lastDay ? utcDate(last) : 'infinity',
  ])
  const between = async (start: Date, end: Date): Promise<bigint> =>
    start < end
      ? countByIndex(db, { ...listed, from: start, to: end })
      : -(await countByIndex(db, { ...listed, from: end, to: start }))
  const before =
    from && first && from.getTime() !== first.getTime() ? await between(from, first) : 0n
  const after = to && last && to.getTime() !== last.getTime() ? await between(last, to) : 0n
  const total = (days?.total ?? 0n) + before + after
  return total > 0n ? total : 0n
}

const dayMs = 86_400_000
/** The last day with a year of four digits. */
const lastDay = new Date('9999-12-31')
const nearestDay = (time: Date): Date => new Date(Math.round(time.getTime() / dayMs) * dayMs)
const utcDate = (time: Date): string => time.toISOString().slice(0, 10)

async function countByIndex(
  db: Queryable,
  listed: Listed,
  most: number | null = null,
): Promise<bigint> {
  const { params, conditions, bind } = conditionsOf(listed)
  const rows = `from ${listed.table} where ${conditions.join(' and ')}`
  const text =
    most === null
      ? `select count(*) as total ${rows}`
      : `select count(*) as total from (select ${rows} limit ${bind(most)}) found`
  return (await db.row(statement<{ total: bigint }>(text), params))?.total ?? 0n
}

/**
 * Returns where a page starts. A far page starts within a day whose counts tell how many rows are
 * newer.
 */
async function startOf(
  db: Queryable,
  listed: Listed,
  offset: bigint,
): Promise<{ until?: Date; offset: bigint }> {
  if (offset < maxWalkedRows || !isCounted(listed) || listed.to) return { offset }
  const key = [listed.business, listed.livemode, listed.table, facetsOf(listed)]
  const day = await db.row(selectDayAt, [...key, offset])
  return day ? { until: day.until, offset: offset - day.newer } : { offset }
}

type RowRange = { limit: number; offset?: bigint; until?: Date; after?: Cursor }

async function readRows<Row>(
  db: Queryable,
  listed: Listed,
  { limit, offset = 0n, until, after }: RowRange,
): Promise<Row[]> {
  const { table, columns } = listed
  const list = countedList(table)
  // Rare rows are not searched in the whole list: an index finds the newest of each combination of
  // facets, and they are merged.
  const merged =
    list !== null &&
    isCounted(listed) &&
    Object.values(listed.facets ?? {}).some((value) => value !== undefined)
  const { params, conditions, bind } = merged
    ? conditionsOf({ ...listed, facets: {} }, [table, facetsOf(listed)])
    : conditionsOf(listed)
  if (until)
    conditions.push(
      isInIdOrder(table) ? `id < ${bind(idBound(until))}` : `created_at < ${bind(until)}`,
    )
  if (after) conditions.push(cursorCondition(listed, after, bind))
  if (merged) conditions.push(sameCombination(list))
  const order = orderOf(listed)
  const newest = `from ${table} where ${conditions.join(' and ')} order by ${order}`
  if (!merged)
    return db.rows(
      statement<Row>(`select ${columns} ${newest} limit ${bind(limit)} offset ${bind(offset)}`),
      params,
    )
  const text = `select ${columns} from (${selectCombinations}) combination
    cross join lateral (select * ${newest} limit ${bind(BigInt(limit) + offset)}) found
    order by ${order} limit ${bind(limit)} offset ${bind(offset)}`
  return db.rows(replanned(statement<Row>(text)), params)
}

/**
 * Returns the conditions of a list and `bind` for further parameters; `more` are parameters from
 * `$3`.
 */
function conditionsOf(listed: Listed, more: unknown[] = []) {
  const { params, bind } = parametersOf(listed, more)
  const conditions = [
    ...ownConditions(listed),
    ...facetConditions(listed, bind),
    ...timeConditions(listed, bind),
    ...filterConditions(listed, bind),
  ]
  return { params, conditions, bind }
}
