/**
 * One way to list: newest first, by page or by keyset cursor, with a total. What it costs does not grow with the list: totals
 * come from counts, rare rows from an index by what they have in common, and a far page starts at its day.
 */
import { refuse } from '../lib/errors.ts'
import { idsFrom } from '../lib/ids.ts'
import { alike, combinations, countedList, selectCount, selectCountOfDays, selectDayAt } from './counts.ts'
import { type Queryable, replanned, type Statement } from './db.ts'
import { columnsOf, type Owner, type Table } from './table.ts'

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

/** A fixed fragment of SQL with `?` for its one parameter, and the value; left out when the value is undefined. */
export type Filter = [fragment: string, value: unknown]

/** What is listed of a table. The fragments and the names of facets are the caller's own constants, never input. */
export type Narrowed = {
  /** A fixed condition of every query, as a partial index needs it said. */
  where?: string
  /** Columns by which the table is counted, and the value that each must have; undefined: any. */
  facets?: Record<string, string | undefined>
  /** Created at or after, in a table that is counted. */
  from?: Date | undefined
  /** Created before, in a table that is counted. */
  to?: Date | undefined
  filters?: Filter[]
  /** False where nobody reads `totalDocs`: it is 0 then, and not counted. */
  counted?: false
}

type Listed = Narrowed & { table: string; columns: string; business: string; livemode: boolean }

/** Pages that begin within so many rows are walked to. */
const nearRows = 1_000

/**
 * Lists the rows of a table for the view's business and mode. Statements are prepared per set of filters.
 * @throws {Refusal} `invalid_cursor` when `after` names no row of this business and mode
 */
export async function listPage<Row>(
  { reader: db, scope }: { reader: Queryable; scope: Owner },
  of: Table | { name: string; columns: string },
  query: PageQuery,
  narrowed: Narrowed = {},
): Promise<PageOf<Row>> {
  const columns = typeof of.columns === 'string' ? of.columns : columnsOf(of as Table)
  const listed: Listed = { ...narrowed, table: of.name, columns, business: scope.businessId, livemode: scope.livemode }
  const page = query.page ?? 1
  const limit = query.limit ?? 20
  const totalDocs = listed.counted === false ? 0 : Number(await countRows(db, listed))
  const totalPages = Math.max(1, Math.ceil(totalDocs / limit))

  let rows: Row[]
  let hasNextPage: boolean
  if (query.after !== undefined) {
    const text = `select created_at from ${listed.table} where business_id = $1 and livemode = $2 and id = $3`
    const cursor = await db.row(statement<{ created_at: Date }>(text), [listed.business, listed.livemode, query.after])
    if (!cursor) refuse('invalid_cursor', `No record '${query.after}' to continue after.`)
    const found = await readRows<Row>(db, listed, { limit: limit + 1, after: [cursor.created_at, query.after] })
    hasNextPage = found.length > limit
    rows = found.slice(0, limit)
  } else {
    const offset = BigInt(page - 1) * BigInt(limit)
    hasNextPage = page < totalPages
    rows =
      listed.counted !== false && offset >= BigInt(totalDocs)
        ? []
        : await readRows<Row>(db, listed, { limit, ...(await startOf(db, listed, offset)) })
  }
  const hasPrevPage = query.after !== undefined || page > 1
  return {
    docs: rows,
    totalDocs,
    limit,
    page,
    totalPages,
    hasNextPage,
    hasPrevPage,
    nextPage: hasNextPage && query.after === undefined ? page + 1 : null,
    prevPage: hasPrevPage && query.after === undefined ? Math.min(page - 1, totalPages) : null,
  }
}

/** The same page with its rows turned into records. */
export function mapPage<A, B>(page: PageOf<A>, map: (row: A) => B): PageOf<B> {
  return { ...page, docs: page.docs.map(map) }
}

/** Whether nothing narrows the list but what its counts know. */
function isCounted({ table, filters = [] }: Listed): boolean {
  return countedList(table) !== null && filters.every(([, value]) => value === undefined)
}

const facetsOf = ({ facets = {} }: Listed): string => JSON.stringify(facets)

/** How many rows the list has: from the counts where they know; else by an index. */
async function countRows(db: Queryable, listed: Listed): Promise<bigint> {
  if (!isCounted(listed)) return countByIndex(db, listed)
  const { business, livemode, table, from, to } = listed
  const key = [business, livemode, table, facetsOf(listed)]
  if (!from && !to) return (await db.row(selectCount, key))?.total ?? 0n
  // The whole days in between come from the counts, what is left at either end from the index.
  const first = from && startOfDay(new Date(from.getTime() + dayMs - 1))
  const last = to && startOfDay(to)
  if (first && (first > lastDay || (last && first >= last))) return countByIndex(db, listed)
  const days = await db.row(selectCountOfDays, [
    ...key,
    first ? dayOf(first) : '-infinity',
    last ? dayOf(last) : 'infinity',
  ])
  const before = from && first && from < first ? await countByIndex(db, { ...listed, to: first }) : 0n
  const after = to && last && last < to ? await countByIndex(db, { ...listed, from: last }) : 0n
  return (days?.total ?? 0n) + before + after
}

const dayMs = 86_400_000
/** The last that four digits of a year can say. */
const lastDay = new Date('9999-12-31')
const startOfDay = (time: Date): Date => new Date(Math.floor(time.getTime() / dayMs) * dayMs)
const dayOf = (time: Date): string => time.toISOString().slice(0, 10)

async function countByIndex(db: Queryable, listed: Listed): Promise<bigint> {
  const { params, conditions } = conditionsOf(listed)
  const text = `select count(*) as total from ${listed.table} where ${conditions.join(' and ')}`
  return (await db.row(statement<{ total: bigint }>(text), params))?.total ?? 0n
}

/** Where a page starts: far ones within the rows of a day, whose counts say how many are newer. */
async function startOf(db: Queryable, listed: Listed, offset: bigint): Promise<{ until?: Date; offset: bigint }> {
  if (offset < nearRows || !isCounted(listed) || listed.to) return { offset }
  const key = [listed.business, listed.livemode, listed.table, facetsOf(listed)]
  const day = await db.row(selectDayAt, [...key, offset])
  return day ? { until: day.until, offset: offset - day.newer } : { offset }
}

type Part = { limit: number; offset?: bigint; until?: Date; after?: [created: Date, id: string] }

async function readRows<Row>(
  db: Queryable,
  listed: Listed,
  { limit, offset = 0n, until, after }: Part,
): Promise<Row[]> {
  const { table, columns } = listed
  const list = countedList(table)
  // Rare rows are not walked to: the newest of each combination of facets are found by index, and merged.
  const merged =
    list !== null && isCounted(listed) && Object.values(listed.facets ?? {}).some((value) => value !== undefined)
  const inIdOrder = list?.inIdOrder
  const { params, conditions, say } = merged
    ? conditionsOf({ ...listed, facets: {} }, [table, facetsOf(listed)])
    : conditionsOf(listed)
  if (until) conditions.push(inIdOrder ? `id < ${say(idsFrom(until))}` : `created_at < ${say(until)}`)
  if (after)
    conditions.push(inIdOrder ? `id < ${say(after[1])}` : `(created_at, id) < (${say(after[0])}, ${say(after[1])})`)
  if (merged) conditions.push(alike(list))
  const order = inIdOrder ? 'id desc' : 'created_at desc, id desc'
  const newest = `from ${table} where ${conditions.join(' and ')} order by ${order}`
  if (!merged)
    return db.rows(statement<Row>(`select ${columns} ${newest} limit ${say(limit)} offset ${say(offset)}`), params)
  const text = `select ${columns} from (${combinations}) combination
    cross join lateral (select * ${newest} limit ${say(BigInt(limit) + offset)}) found
    order by ${order} limit ${say(limit)} offset ${say(offset)}`
  return db.rows(replanned(statement<Row>(text)), params)
}

/** The conditions of a list, and a way to add parameters to theirs; `more` are parameters from `$3` on. */
function conditionsOf(listed: Listed, more: unknown[] = []) {
  const params: unknown[] = [listed.business, listed.livemode, ...more]
  const say = (value: unknown): string => `$${params.push(value)}`
  const filters: Filter[] = [
    ...Object.entries(listed.facets ?? {}).map(([name, value]): Filter => [`${name} = ?`, value]),
    ['created_at >= ?', listed.from],
    ['created_at < ?', listed.to],
    ...(listed.filters ?? []),
  ]
  const conditions = [
    'business_id = $1',
    'livemode = $2',
    ...(listed.where ? [listed.where] : []),
    ...filters
      .filter(([, value]) => value !== undefined)
      .map(([fragment, value]) => fragment.replaceAll('?', say(value))),
  ]
  return { params, conditions, say }
}

const names = new Map<string, string>()

/** Statements are made of few fixed fragments, so few texts exist; each is prepared under a name of its own. */
function statement<Row>(text: string): Statement<Row> {
  const name = names.get(text) ?? `list.${names.size}`
  names.set(text, name)
  return { name, text }
}
