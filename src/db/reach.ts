/**
 * How far a check of the books reads: all of their history, or the period since the ledger was last closed. A check names the rows that it reads by
 * what stands here, and is one query for both.
 */
import { alike, countedList } from './counts.ts'

/** Up to where the ledger is closed. */
export type Closing = { position: bigint; closed_at: Date }

/** Each is a table, or a part of one in brackets, for a FROM that gives it a name. */
export type Reach = {
  /** Null: all of history. */
  closing: Closing | null
  /** Postings. */
  postings: string
  /** Rows of a table that has `updated_at`. */
  changed(table: string): string
  /** Rows of a table whose ids were made when its rows were. */
  created(table: string): string
  /** Rows of a counted list from the first day in UTC on that began after the closing: of it, each whole day. */
  ofDays(list: string): string
  /** That day, as a condition on a time or a date; true of all of history. */
  isOfDays(time: string): string
  /** Rows of a counted list with one of these values of a facet, however old they are: not more than there are of them is read. */
  alike(list: string, facet: string, values: string[]): string
}

const day = 86_400_000
/**
 * Rows say when they were changed by the time at which what changed them had begun, by the clock of one machine or another. So much earlier than
 * the closing it can have been, at most.
 */
const margin = day

/** What ids that are made at a moment, or later, are not below: they begin with its seconds and milliseconds. */
const idAt = (time: Date): string => {
  const ms = time.getTime()
  return Math.floor(ms / 1_000).toString(16) + String(ms % 1_000).padStart(3, '0')
}

/** Of each business and mode by itself, so that the index of each table is used from its place on. */
const ofEach = (table: string, where: string): string =>
  `(select found.* from businesses owner cross join (values (true), (false)) mode (livemode)
      cross join lateral (select * from ${table} where business_id = owner.id and livemode = mode.livemode and ${where} offset 0) found)`

const ofAll: Reach = {
  closing: null,
  postings: 'ledger_postings',
  changed: (table) => table,
  created: (table) => table,
  ofDays: (list) => list,
  isOfDays: () => 'true',
  alike: (list, facet, values) => `(select * from ${list} where ${facet} in (${quoted(values)}))`,
}

/** @param closing null where nothing is closed yet, or all of history is to be read */
export function reachOf(closing: Closing | null): Reach {
  if (closing === null) return ofAll
  const { position, closed_at } = closing
  const since = new Date(closed_at.getTime() - margin)
  const from = new Date((Math.floor(closed_at.getTime() / day) + 1) * day)
  return {
    closing,
    postings: `(select * from ledger_postings where position >= ${position})`,
    changed: (table) => `(select * from ${table} where updated_at >= '${since.toISOString()}')`,
    created: (table) => ofEach(table, `id >= '${idAt(since)}'`),
    ofDays: (list) =>
      ofEach(
        list,
        `created_at >= '${from.toISOString()}'${countedList(list)?.inIdOrder ? ` and id >= '${idAt(from)}'` : ''}`,
      ),
    isOfDays: (time) => `${time} >= '${from.toISOString()}'`,
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
