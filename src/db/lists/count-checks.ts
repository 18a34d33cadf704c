/** The invariants of list counts (`counts.ts`): counts equal the rows of their lists. */
import { type CountedList, countedLists } from './counts.ts'
import type { Reach } from './reach.ts'

/**
 * The checks for `bursar ledger verify`. Days since the last closing are always recounted; totals
 * and earlier days only when all of history is read.
 */
export const countChecks = Object.entries(countedLists as Record<string, CountedList>).map(
  ([list, { facets, where = 'true' }]) => ({
    name: `the counts of ${list} are right`,
    text: ({ closing, ofDays, isOfDays }: Reach) => `
      with real as (
        select business_id, livemode, coalesce(day, 'infinity') as day, facets, count(*) as rows
          from (select business_id, livemode, day_of(created_at) as day,
                       jsonb_build_object(${facets.map((facet) => `'${facet}', ${facet}`).join(', ')}) as facets
                  from ${ofDays(list, 'created_at', where)} r) listed
         group by grouping sets ((business_id, livemode, day, facets)${closing ? '' : ', (business_id, livemode, facets)'})
      ), kept as (
        select business_id, livemode, day, facets, sum(rows) as rows
          from (select business_id, livemode, day, facets, rows from ${ofDays('list_counts', 'day', `list = '${list}'`)} counts
                union all
                select business_id, livemode, d.day, facets, change
                  from list_changes c cross join lateral (values (c.day), ('infinity')) d (day)
                 where list = '${list}' and ${isOfDays('c.day')}) counted
         ${closing ? `where day < 'infinity'` : ''}
         group by business_id, livemode, day, facets
      )
      select business_id, livemode, concat_ws(' ', '${list}', nullif(day, 'infinity'), facets) as what,
             coalesce(real.rows, 0)::text as expected, coalesce(kept.rows, 0)::text as found
        from real full join kept using (business_id, livemode, day, facets)
       where coalesce(real.rows, 0) <> coalesce(kept.rows, 0)`,
  }),
)
