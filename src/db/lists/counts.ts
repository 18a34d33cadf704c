/**
 * How many rows a list has, without counting them: `0001-basics.sql` keeps counts by day and by the
 * values of a few columns, the facets. Each change of a list appends to `list_changes`, which a
 * periodic task folds into `list_counts`; their sum is exact at every commit. The changes of
 * transactions carry amounts too (`0004-wallets.sql`), which are summed by quarters of an hour.
 */
import { type Database, replanned, sqlOfAll, sqlOfMany } from '../db.ts'

/**
 * The lists that are counted, and their facets in the order of the migration; `where` says which
 * rows count.
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
   * Every id was made at its row's `created_at`: newest first is the primary key, read backwards.
   */
  inIdOrder?: boolean
}

/** How a table is counted, or null where it is not. */
export function countedList(table: string): CountedList | null {
  return (countedLists as Record<string, CountedList>)[table] ?? null
}

/**
 * Rows of `list_counts` and `list_changes` together: `$1` business, `$2` mode, `$3` list, `$4`
 * facets.
 */
const known = (days: string): string => `
  select day, facets, rows from list_counts
   where business_id = $1 and livemode = $2 and list = $3 and ${days} and facets @> $4::jsonb
   union all
  select day, facets, change from list_changes
   where business_id = $1 and livemode = $2 and list = $3 and facets @> $4::jsonb`

/** Counts of a list: how many of its rows have the facets `$4`. */
export const selectCount = replanned(
  sqlOfMany<{ total: bigint }>(
    'counts.select',
    `select coalesce(sum(rows), 0)::bigint as total from (${known(`day = 'infinity'`)}) counted`,
  ),
)

/** The same of the days from `$5`, before `$6`. */
export const selectCountOfDays = replanned(
  sqlOfMany<{ total: bigint }>(
    'counts.select_of_days',
    `select coalesce(sum(rows), 0)::bigint as total from (${known(`day >= $5 and day < $6`)}) counted
      where day >= $5 and day < $6`,
  ),
)

/**
 * The combinations of facets that rows have, among those with the facets `$4`, as a part of another
 * statement.
 */
export const combinations = `select facets from (${known(`day = 'infinity'`)}) counted group by facets having sum(rows) > 0`

/**
 * The day on which the row after the `$5` newest was created, and how many are newer than that day.
 */
export const selectDayAt = replanned(
  sqlOfMany<{ until: Date; newer: bigint }>(
    'counts.select_day_at',
    `with days as (
       select day, sum(sum(rows)) over (order by day desc) as reached, sum(rows) as rows
         from (${known(`day < 'infinity'`)}) counted group by day
     )
     select (day + 1)::timestamp at time zone 'utc' as until, (reached - rows)::bigint as newer
       from days where reached > $5::bigint order by day desc limit 1`,
  ),
)

/**
 * Of two that fold at once the second waits, and deletes what is left: rows come in the order of
 * their ctid, counts sorted. Changes are summed before each day is paired with that of all days, so
 * that a few sums are sorted and not all changes.
 * @param where of which changes, at most `$1` of them; a constant of the caller's
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

/** The more at once, the fewer counts are written for them. */
const foldAtOnce = 100_000

/** Folds what has changed into the counts: a read sums up what is left. */
export async function foldCounts(db: Database): Promise<void> {
  let folded: bigint
  do folded = (await db.row(fold, [foldAtOnce]))?.folded ?? 0n
  while (folded >= foldAtOnce)
}

/**
 * The condition that a row has the combination of facets that is in scope, in the words of the
 * index by combination.
 */
export function alike({ facets, nullable = [] }: CountedList): string {
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
  // Values that come together are not as rare as each of them says: taken for that, all of a
  // combination would be read and sorted.
  return `${whole((facet) => facet)} = ${whole(given)} and coalesce(${same.join(' and ')}, false)`
}
