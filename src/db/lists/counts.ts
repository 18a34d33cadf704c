/**
 * Counts of lists by day and by facets, the values of a few columns, so that totals need no scan.
 * Each change of a list appends to `list_changes`. A periodic task folds these rows into
 * `list_counts`, and the sum of both tables is exact at every commit.
 */
import type { PeriodicTask } from '../../lib/periodic.ts'
import { type Database, replanned, sqlOfAll, sqlOfMany } from '../db.ts'

/**
 * The counted lists and their facets, in the order of the migration; `where` selects the rows that
 * count.
 */
export const countedLists = {
  transactions: { facets: ['currency', 'direction', 'method', 'status', 'type'] },
  payouts: { facets: ['currency', 'method', 'status'], inIdOrder: true },
  payments: { facets: ['currency', 'method', 'status'], nullable: ['method'] },
  refunds: { facets: ['status'] },
  customers: { facets: [], where: 'deleted_at is null' },
  virtual_accounts: { facets: ['currency', 'status'] },
  invoices: { facets: ['currency', 'status'] },
  events: { facets: ['type'], inIdOrder: true },
  audit_log: { facets: ['action'], inIdOrder: true },
  webhook_deliveries: { facets: ['status', 'type'] },
} satisfies Record<string, CountedList>

export type CountedList = {
  facets: string[]
  nullable?: string[]
  where?: string
  /**
   * Every id was made at its row's `created_at`, so the primary key read backwards has the newest
   * first.
   */
  inIdOrder?: boolean
}

/** Returns how a table is counted, or null if it is not. */
export function countedList(table: string): CountedList | null {
  return (countedLists as Record<string, CountedList>)[table] ?? null
}

/** Selects counts and unfolded changes. `$1` business, `$2` mode, `$3` list, `$4` facets. */
const countRows = (days: string): string => `
  select day, facets, rows from list_counts
   where business_id = $1 and livemode = $2 and list = $3 and ${days} and facets @> $4::jsonb
   union all
  select day, facets, change from list_changes
   where business_id = $1 and livemode = $2 and list = $3 and facets @> $4::jsonb`

/** Counts the rows of a list with the facets `$4`. */
export const selectCount = replanned(
  sqlOfMany<{ total: bigint }>(
    'counts.select',
    `select coalesce(sum(rows), 0)::bigint as total from (${countRows(`day = 'infinity'`)}) counted`,
  ),
)

/** The same for the days from `$5` and before `$6`. */
export const selectCountOfDays = replanned(
  sqlOfMany<{ total: bigint }>(
    'counts.select_of_days',
    `select coalesce(sum(rows), 0)::bigint as total from (${countRows(`day >= $5 and day < $6`)}) counted
      where day >= $5 and day < $6`,
  ),
)

/**
 * Selects the combinations of facets that rows have, among those with the facets `$4`; part of
 * other statements.
 */
export const selectCombinations = `select facets from (${countRows(`day = 'infinity'`)}) counted group by facets having sum(rows) > 0`

/** Finds the day of the row after the `$5` newest, and how many rows are newer than that day. */
export const selectDayAt = replanned(
  sqlOfMany<{ until: Date; newer: bigint }>(
    'counts.select_day_at',
    `with days as (
       select day, sum(sum(rows)) over (order by day desc) as reached, sum(rows) as rows
         from (${countRows(`day < 'infinity'`)}) counted group by day
     )
     select (day + 1)::timestamp at time zone 'utc' as until, (reached - rows)::bigint as newer
       from days where reached > $5::bigint order by day desc limit 1`,
  ),
)

/**
 * Returns the statement that folds changes into counts. A concurrent fold waits for the first and
 * then deletes what is left. Lock order: changes by ctid, counts by key. Changes are summed before
 * they are paired with the total of all days, so that fewer rows are sorted. Changes of
 * transactions also carry amounts, which are summed by quarters of an hour (`0004-wallets.sql`).
 * @param where a constant condition of the changes; `$1` limits their number
 */
export function foldText(where: string): string {
  return `with folded as (
     delete from list_changes
      where ctid = any (array(select ctid from list_changes where ${where} limit $1))
     returning *
   ), summed as materialized (
     select business_id, livemode, list, day, facets, sum(change) as change
       from folded group by business_id, livemode, list, day, facets
   ), counted as (
     insert into list_counts as c (business_id, livemode, list, day, facets, rows)
     select business_id, livemode, list, d.day, facets, sum(change)
       from summed cross join lateral (values (summed.day), ('infinity')) d (day)
      group by business_id, livemode, list, d.day, facets
      order by business_id, livemode, list, d.day, facets
     on conflict (business_id, livemode, list, day, facets) do update set rows = c.rows + excluded.rows
   ), moved as (
     insert into transaction_sums as s (business_id, livemode, quarter, currency, direction, amount)
     select business_id, livemode, quarter, facets->>'currency', facets->>'direction', sum(amount)
       from folded where list = 'transactions' and quarter is not null and facets->>'status' = 'completed'
      group by 1, 2, 3, 4, 5 having sum(amount) <> 0
      order by 1, 2, 3, 4, 5
     on conflict (business_id, livemode, quarter, currency, direction) do update set amount = s.amount + excluded.amount
   )
   select count(*) as folded from folded`
}

const fold = sqlOfAll<{ folded: bigint }>('counts.fold', foldText('true'))

/** A larger batch writes each count less often. */
const foldBatchRows = 100_000

/** Folds changes into the counts. Reads add up what is not folded yet. */
export async function foldCounts(db: Database): Promise<void> {
  let folded: bigint
  do folded = (await db.row(fold, [foldBatchRows]))?.folded ?? 0n
  while (folded >= foldBatchRows)
}

const selectCrowded = replanned(
  sqlOfAll<{ crowded: boolean }>(
    'counts.select_crowded',
    `select exists (select from list_changes group by business_id, livemode having count(*) >= $1) as crowded`,
  ),
)

/** How long changes may wait. Those of a longer time write each count less often. */
const longestWaitMs = 60_000
/** Reads add up what waits of their business and mode: at most about so many rows. */
const mostWaiting = 5_000

/** The periodic task that folds changes once a minute, or earlier where a business has many. */
export function foldCountsTask(db: Database): PeriodicTask {
  let foldedAt = Number.NEGATIVE_INFINITY
  return {
    name: 'fold counts',
    everyMs: 5_000,
    async run() {
      const isDue = performance.now() - foldedAt >= longestWaitMs
      if (!isDue && !(await db.row(selectCrowded, [mostWaiting]))?.crowded) return
      foldedAt = performance.now()
      await foldCounts(db)
    },
  }
}

/**
 * Returns the condition that a row has the facets of `combination`, in the words of the index by
 * combination.
 */
export function sameCombination({ facets, nullable = [] }: CountedList): string {
  const given = (facet: string): string => `(combination.facets->>'${facet}')`
  const whole = (value: (facet: string) => string): string => {
    const texts = facets.map((facet) =>
      nullable.includes(facet) ? `coalesce(${value(facet)}, '')` : value(facet),
    )
    return `hashtext(${texts.join(` || '/' || `)})`
  }
  const same = facets.map(
    (facet) =>
      `${facet} ${nullable.includes(facet) ? 'is not distinct from' : '='} ${given(facet)}`,
  )
  if (facets.length <= 1) return same.join(' and ')
  // The facets are correlated. Without coalesce, PostgreSQL underestimates the rows and would read
  // and sort them all.
  return `${whole((facet) => facet)} = ${whole(given)} and coalesce(${same.join(' and ')}, false)`
}
