import type { Check } from '../../core/module.ts'
import { facts, postings } from './sql.ts'

const key = 'business_id, livemode, span, begins_at, currency, kind, method, held, charged'
/** Joins postings with their quarter of an hour and day. */
const spans = `cross join lateral (values ('quarter', quarter_of(p.posted_at)), ('day', date_trunc('day', p.posted_at, 'UTC'))) of (span, begins_at)`
const columns = `p.business_id, p.livemode, span, begins_at, ${facts}, p.amount`

/** Invariant: sums equal their postings. */
export const statementChecks: Check[] = [
  {
    name: 'the sums of postings by time are right',
    text: ({ ofDays, isOfDays }) => `
      with real as (
        select ${key}, sum(amount) as amount, count(*) as count
          from (select ${columns} from ${postings} ${spans} where ${isOfDays('p.posted_at')}) posted
         where held <> 0 or charged <> 0 group by ${key}
      ), kept as (
        select ${key}, sum(amount) as amount, sum(count) as count
          from (select ${key}, amount, count
                  from ${ofDays('posting_sums', 'begins_at', `span in ('quarter', 'day')`)} s
                union all
                select ${key}, amount, 1
                  from (select ${columns} from ${postings} ${spans}
                         where p.position >= (select position from folded_postings) and ${isOfDays('p.posted_at')}) posted
                 where held <> 0 or charged <> 0) summed
         group by ${key}
      )
      select business_id, livemode, concat_ws(' ', kind, method, currency, span, begins_at) as what,
             concat_ws(' / ', coalesce(real.amount, 0), coalesce(real.count, 0)) as expected,
             concat_ws(' / ', coalesce(kept.amount, 0), coalesce(kept.count, 0)) as found
        from real full join kept using (${key})
       where (coalesce(real.amount, 0), coalesce(real.count, 0)) <> (coalesce(kept.amount, 0), coalesce(kept.count, 0))`,
  },
]
