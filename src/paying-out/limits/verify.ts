import type { Check } from '../../core/module.ts'
import { idFrom } from '../../db/lists/reach.ts'
import { daysOfUtc, destinationsOfDay } from './sql.ts'

/** By id, which contains the creation time, because payouts have no index by time. */
const inDay = `p.id >= ${idFrom('l.max_day_starts_at')} and p.id < ${idFrom(`(l.max_day_starts_at + interval '24 hours')`)}`

export const limitChecks: Check[] = [
  {
    name: 'every limited day has counted what was paid out in it without approval',
    text: `
      select l.business_id, l.livemode, l.currency || ' since ' || l.day_starts_at as what,
             sum(p.amount)::text as expected, l.day_amount::text as found
        from payout_limits l
        join payouts p on p.business_id = l.business_id and p.livemode = l.livemode and p.currency = l.currency
         and p.created_at >= l.day_starts_at and p.created_at < l.day_ends_at
         and p.id >= ${idFrom('l.day_starts_at')} and p.id < ${idFrom('l.day_ends_at')}
       where l.above_day is not null and p.approval = 'none' and p.status not in ('failed', 'canceled')
       group by l.business_id, l.livemode, l.currency, l.day_starts_at, l.day_amount
      having sum(p.amount) > l.day_amount`,
  },
  {
    name: 'every day of UTC that is limited has counted what was paid out in it',
    text: `
      select l.business_id, l.livemode, l.currency || ' since ' || l.max_day_starts_at as what,
             sum(p.amount) || ' by ' || count(*) as expected, l.max_day_amount || ' by ' || l.max_day_count as found
        from payout_limits l
        join payouts p on p.business_id = l.business_id and p.livemode = l.livemode and p.currency = l.currency
         and p.created_at >= l.max_day_starts_at and p.created_at < l.max_day_starts_at + interval '24 hours' and ${inDay}
       where num_nonnulls(${daysOfUtc}) > 0 and p.status not in ('failed', 'canceled')
       group by l.business_id, l.livemode, l.currency, l.max_day_starts_at, l.max_day_amount, l.max_day_count
      having sum(p.amount) > l.max_day_amount or count(*) > l.max_day_count`,
  },
  {
    name: 'of every destination that is limited, what it was sent in its day is counted',
    text: `
      select l.business_id, l.livemode, l.currency || ' to ' || sent.destination || ' since ' || l.max_day_starts_at as what,
             sent.amount || ' by ' || sent.count as expected, coalesce(d.amount, 0) || ' by ' || coalesce(d.count, 0) as found
        from payout_limits l
       cross join lateral (
         select destination_key(p.destination) as destination, sum(p.amount) as amount, count(*) as count
           from payouts p
          where p.business_id = l.business_id and p.livemode = l.livemode and p.currency = l.currency
            and p.created_at >= l.max_day_starts_at and p.created_at < l.max_day_starts_at + interval '24 hours' and ${inDay}
            and p.status not in ('failed', 'canceled')
          group by 1) sent
        left join payout_destination_days d on d.business_id = l.business_id and d.livemode = l.livemode and d.currency = l.currency
         and d.destination = sent.destination and d.day_starts_at = l.max_day_starts_at
       where num_nonnulls(${destinationsOfDay}) > 0
         and (sent.amount > coalesce(d.amount, 0) or sent.count > coalesce(d.count, 0))`,
  },
]
