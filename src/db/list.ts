/**
 * One way to list: newest first, by page or by keyset cursor, with a total.
 */
import { refuse } from '../lib/errors.ts'
import type { Database, Queryable } from './db.ts'

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

/**
 * Lists the rows of a table for one business and mode.
 * `table` and the fragments are the caller's own constants, never input. Statements are prepared per set of filters.
 * @throws {Refusal} `invalid_cursor` when `after` names no row of this business and mode
 */
export async function listPage<Row>(
  db: Queryable | Database,
  what: {
    table: string
    columns: string
    business: string
    livemode: boolean
    /** A fixed condition of every query, as a partial index needs it said. */
    where?: string
    filters: Filter[]
    /** False where nobody reads `totalDocs`: it is 0 then, and not counted. */
    counted?: false
  },
  query: PageQuery,
): Promise<PageOf<Row>> {
  const page = query.page ?? 1
  const limit = query.limit ?? 20
  const params: unknown[] = [what.business, what.livemode]
  const where = ['business_id = $1', 'livemode = $2', ...(what.where ? [what.where] : [])]
  for (const [fragment, value] of what.filters)
    if (value !== undefined) {
      params.push(value)
      where.push(fragment.replaceAll('?', `$${params.length}`))
    }
  const condition = where.join(' and ')
  const statement = <R>(text: string) => ({ name: nameOf(text), text }) as { name: string; text: string; row?: R }

  const total =
    what.counted === false
      ? null
      : await db.row(
          statement<{ total: bigint }>(`select count(*) as total from ${what.table} where ${condition}`),
          params,
        )
  const totalDocs = Number(total?.total ?? 0n)
  const totalPages = Math.max(1, Math.ceil(totalDocs / limit))

  let rows: Row[]
  let hasNextPage: boolean
  if (query.after !== undefined) {
    const cursor = await db.row(
      statement<{ created_at: Date }>(
        `select created_at from ${what.table} where business_id = $1 and livemode = $2 and id = $3`,
      ),
      [what.business, what.livemode, query.after],
    )
    if (!cursor) refuse('invalid_cursor', `No record '${query.after}' to continue after.`)
    const at = params.length
    const found = await db.rows(
      statement<Row>(
        `select ${what.columns} from ${what.table} where ${condition} and (created_at, id) < ($${at + 1}, $${at + 2})
          order by created_at desc, id desc limit $${at + 3}`,
      ),
      [...params, cursor.created_at, query.after, limit + 1],
    )
    hasNextPage = found.length > limit
    rows = found.slice(0, limit)
  } else {
    const offset = BigInt(page - 1) * BigInt(limit)
    hasNextPage = page < totalPages
    const at = params.length
    rows =
      what.counted !== false && offset >= BigInt(totalDocs)
        ? []
        : await db.rows(
            statement<Row>(
              `select ${what.columns} from ${what.table} where ${condition}
                order by created_at desc, id desc limit $${at + 1} offset $${at + 2}`,
            ),
            [...params, limit, offset],
          )
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

const names = new Map<string, string>()

/** Statements are made of few fixed fragments, so few texts exist; each is prepared under a name of its own. */
function nameOf(text: string): string {
  let name = names.get(text)
  if (name === undefined) {
    name = `list.${names.size}`
    names.set(text, name)
  }
  return name
}
