/**
 * The part of history that a ledger check reads: all of it, or what followed the last closing. A
 * check names its rows by a `Reach`, so that one query serves both.
 */
import { idBound } from '../../lib/ids.ts'
import { countedList, sameCombination } from './counts.ts'

/** The position up to which the ledger is closed. */
export type Closing = { position: bigint; closed_at: Date }

/**
 * SQL sources for a check, to be named in a FROM. For all of history they are whole tables, and
 * conditions are true.
 */
export type Reach = {
  /** Null: all of history. */
  closing: Closing | null
  /** Postings since the closing. */
  postings: string
  /** Rows of a table that changed since the closing, by the column with the time of the change. */
  changed(table: string, time?: string): string
  /**
   * Rows of a table whose `column` is an `id` that the query `asked` returns, with business and
   * mode. Each row is looked up by index, whatever PostgreSQL estimates.
   * @param where a condition that holds for the rows
   * @param also a further condition if fewer rows are needed; it may use columns of `asked`
   */
  of(table: string, column: string, asked: string, where?: string, also?: string): string
  /** Rows of whole days in UTC, from the day of the closing on, that satisfy `where`. */
  ofDays(table: string, time?: string, where?: string): string
  /** Whether a time or date is in these days. */
  isOfDays(time: string): string
  /** Rows of a counted list of any age with one of these values of a facet. */
  alike(list: string, facet: string, values: string[]): string
}

const day = 86_400_000
/**
 * Rows carry the start time of the transaction that changed them, by any machine's clock. This
 * margin covers long transactions and wrong clocks.
 */
const margin = day

/** Reads each business and mode separately, so that the index of each table is used. */
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

/** @param closing null if nothing is closed yet, or to read all of history */
export function reachOf(closing: Closing | null): Reach {
  if (closing === null) return ofAll
  const { position, closed_at } = closing
  const since = new Date(closed_at.getTime() - margin).toISOString()
  // Whole days are compared, so the day of the closing is read again: its later rows came after the
  // closing.
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
                             where business_id = combination.business_id and livemode = combination.livemode and ${sameCombination(counted)}
                             offset 0) found)`
    },
  }
}

const quoted = (values: string[]): string => values.map((value) => `'${value}'`).join(', ')

/** Returns the SQL form of `idBound`: a lower bound of all ids made at that time or later. */
export const idFrom = (time: string): string =>
  `to_hex(floor(extract(epoch from ${time}))::bigint) || lpad(to_hex(extract(milliseconds from ${time})::bigint % 1000), 3, '0')`
