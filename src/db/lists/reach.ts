/**
 * How far a check of the books reads: all of their history, or the period since the ledger was last
 * closed. A check names the rows that it reads by what stands here, and is one query for both.
 */
import { idBound } from '../../lib/ids.ts'
import { alike, countedList } from './counts.ts'

/** Up to where the ledger is closed. */
export type Closing = { position: bigint; closed_at: Date }

/**
 * What a check reads. Most are a table, or a part of one in brackets, for a FROM that gives it a
 * name; of all of history, they are the table, and conditions are true.
 */
export type Reach = {
  /** Null: all of history. */
  closing: Closing | null
  /** Postings since the closing. */
  postings: string
  /** Rows of a table that were changed since, by the column that says when. */
  changed(table: string, time?: string): string
  /**
   * Rows of a table that are asked about: whose column is the `id` of what a query gives, with its
   * business and mode. An index begins with the three: each is looked up in it, whatever PostgreSQL
   * takes their number for.
   * @param where is true of the rows; @param also too, where not all are read: it may name columns
   * of the query, as `asked`
   */
  of(table: string, column: string, asked: string, where?: string, also?: string): string
  /**
   * Rows of a table by days, from the first one in UTC on that began after the closing: each whole
   * day. Of those for which `where` is true.
   */
  ofDays(table: string, time?: string, where?: string): string
  /** Whether a time, or a date, is of these days. */
  isOfDays(time: string): string
  /** Rows of a counted list with one of these values of a facet, however old: no other is read. */
  alike(list: string, facet: string, values: string[]): string
}

const day = 86_400_000
/**
 * Rows say when they were changed by the time at which what changed them had begun, by the clock of
 * one machine or another. So much earlier than the closing it can have been, at most.
 */
const margin = day

/**
 * Of each business and mode by itself, so that the index of each table is used from its place on.
 */
const ofEach = (table: string, where: string): string =>
  `(select found.* from businesses owner cross join (values (true), (false)) mode (livemode)
      cross join lateral (select * from ${table} where business_id = owner.id and livemode = mode.livemode and ${where} offset 0) found)`

const ofAll: Reach = {
  closing: null,
  postings: 'ledger_postings',
  changed: (table) => table,
  of: (table, _column, _asked, where = 'true') => `(select * from ${table} where ${where})`,
  ofDays: (table, _time, where = 'true') => `(select * from ${table} where ${where})`,
  isOfDays: () => 'true',
  alike: (list, facet, values) => `(select * from ${list} where ${facet} in (${quoted(values)}))`,
}

/** @param closing null where nothing is closed yet, or all of history is to be read */
export function reachOf(closing: Closing | null): Reach {
  if (closing === null) return ofAll
  const { position, closed_at } = closing
  const since = new Date(closed_at.getTime() - margin).toISOString()
  // Whole days are held against each other: that of the closing is read anew, as the rest of it
  // came afterwards.
  const from = new Date(Math.floor(closed_at.getTime() / day) * day)
  const isOfDays = (time: string): string => `${time} >= '${from.toISOString()}'`
  return {
    closing,
    postings: `(select * from ledger_postings where position >= ${position})`,
    changed: (table, time = 'updated_at') => `(select * from ${table} where ${time} >= '${since}')`,
    of: (table, column, asked, where = 'true', also = 'true') =>
      `(select found.* from (${asked}) asked
         cross join lateral (select * from ${table}
                              where business_id = asked.business_id and livemode = asked.livemode and ${column} = asked.id
                                and ${where} and ${also} offset 0) found)`,
    ofDays: (table, time = 'created_at', where = 'true') =>
      ofEach(
        table,
        `${where} and ${isOfDays(time)}${countedList(table)?.inIdOrder ? ` and id >= '${idBound(from)}'` : ''}`,
      ),
    isOfDays,
    alike: (list, facet, values) => {
      const counted = countedList(list)
      if (!counted) throw new Error(`'${list}' is not counted`)
      return `(select found.*
         from (select business_id, livemode, facets
                 from (select business_id, livemode, facets, rows
                         from ${ofEach('list_counts', `list = '${list}' and day = 'infinity'`)} counts
                       union all
                       select business_id, livemode, facets, change from list_changes where list = '${list}') known
                where facets ->> '${facet}' in (${quoted(values)})
                group by 1, 2, 3 having sum(rows) > 0) combination
        cross join lateral (select * from ${list}
                             where business_id = combination.business_id and livemode = combination.livemode and ${alike(counted)}
                             offset 0) found)`
    },
  }
}

const quoted = (values: string[]): string => values.map((value) => `'${value}'`).join(', ')

/** As `idBound`, of an expression of SQL: what no id of that time or later is before. */
export const idFrom = (time: string): string =>
  `to_hex(floor(extract(epoch from ${time}))::bigint) || lpad(to_hex(extract(milliseconds from ${time})::bigint % 1000), 3, '0')`
