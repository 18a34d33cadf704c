import type { Check } from '../../core/room.ts'

export const limitChecks: Check[] = [
  {
    name: 'every limited day has counted what was paid out in it without approval',
    text: `
      select l.business_id, l.livemode, l.currency || ' since ' || l.day_starts_at as what,
             sum(p.amount)::text as expected, l.day_amount::text as found
        from payout_limits l
        join payouts p on p.business_id = l.business_id and p.livemode = l.livemode and p.currency = l.currency
         and p.created_at >= l.day_starts_at and p.created_at < l.day_ends_at
       where l.above_day is not null and p.approval = 'none' and p.status not in ('failed', 'canceled')
       group by l.business_id, l.livemode, l.currency, l.day_starts_at, l.day_amount
      having sum(p.amount) > l.day_amount`,
  },
  {
    name: 'every day that the operator limits has counted what was paid out in it',
    text: `
      select l.business_id, l.livemode, l.currency || ' since ' || l.max_day_starts_at as what,
             sum(p.amount)::text as expected, l.max_day_amount::text as found
        from payout_limits l
        join payouts p on p.business_id = l.business_id and p.livemode = l.livemode and p.currency = l.currency
         and p.created_at >= l.max_day_starts_at and p.created_at < l.max_day_starts_at + interval '24 hours'
       where l.max_day is not null and p.status not in ('failed', 'canceled')
       group by l.business_id, l.livemode, l.currency, l.max_day_starts_at, l.max_day_amount
      having sum(p.amount) > l.max_day_amount`,
  },
]
