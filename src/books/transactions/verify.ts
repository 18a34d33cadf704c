import type { Check } from '../../core/module.ts'
import type { Reach } from '../../db/lists/reach.ts'

/** The changed transactions, and those of new postings. */
const asked = ({ changed, postings }: Reach): string =>
  `select business_id, livemode, id from ${changed('transactions')} t
   union select business_id, livemode, transaction_id from ${postings} p`

/** Postings of deposits on hold, which do not count yet. */
const heldKinds = `'deposit_held', 'deposit_held_exchange', 'deposit_released', 'deposit_released_exchange'`

/**
 * Invariant: a transaction changes its wallet by its amount less its fee, and once, when it
 * completes, in the available and pending money that statements count.
 */
export const transactionChecks: Check[] = [
  {
    name: 'every transaction moved its wallet by its amount',
    text: (reach) => `
      with posted as (
        select p.business_id, p.livemode, p.transaction_id, p.posted_at, a.currency,
               sum(p.amount * side.sign) filter (where a.purpose = 'wallet_available') as available,
               sum(p.amount * side.sign) filter (where p.kind not in (${heldKinds})) as stated
          from ${reach.of('ledger_postings', 'transaction_id', asked(reach))} p
         cross join lateral (values (p.credit_account, 1), (p.debit_account, -1)) as side (account, sign)
          join ledger_accounts a on a.business_id = p.business_id and a.livemode = p.livemode and a.id = side.account
         where a.purpose in ('wallet_available', 'wallet_pending')
         group by p.business_id, p.livemode, p.transaction_id, p.posted_at, a.currency
      ), moved as (
        select business_id, livemode, transaction_id as id, transaction_id, currency, coalesce(sum(available), 0) as available,
               coalesce(sum(stated), 0) || coalesce(string_agg(' at ' || posted_at, '' order by posted_at) filter (where stated <> 0), '') as stated
          from posted group by business_id, livemode, transaction_id, currency
      )
      select business_id, livemode, 'transaction ' || coalesce(t.id, m.transaction_id) || which as what, said.expected, said.found
        from ${reach.of('transactions', 'id', asked(reach))} t
        full join moved m using (business_id, livemode, id, currency)
       cross join lateral (select case
                when t.id is null then 0
                when t.status in ('failed', 'reversed') then 0
                when t.direction = 'credit' and t.status = 'pending' then 0
                when t.direction = 'credit' then t.amount - t.fee
                else -t.amount end as change) e
       cross join lateral (values
                ('', e.change::text, coalesce(m.available, 0)::text),
                (' as statements count it',
                 case when t.status = 'completed' and e.change <> 0 then e.change || ' at ' || t.updated_at else '0' end,
                 coalesce(m.stated, '0'))) as said (which, expected, found)
       where said.expected <> said.found`,
  },
  {
    name: 'the sums of transactions by time are right',
    text: ({ ofDays, isOfDays }) => `
      with real as (
        select business_id, livemode, quarter_of(created_at) as quarter, currency, direction,
               sum(case direction when 'credit' then amount - fee else amount end) as amount
          from ${ofDays('transactions')} t where status = 'completed'
         group by 1, 2, 3, 4, 5
      ), kept as (
        select business_id, livemode, quarter, currency, direction, sum(amount) as amount
          from (select * from ${ofDays('transaction_sums', 'quarter')} s
                union all
                select business_id, livemode, quarter, facets->>'currency', facets->>'direction', amount
                  from list_changes
                 where list = 'transactions' and quarter is not null and facets->>'status' = 'completed' and ${isOfDays('quarter')}) summed
         group by 1, 2, 3, 4, 5
      )
      select business_id, livemode, concat_ws(' ', currency, direction, quarter) as what,
             coalesce(real.amount, 0)::text as expected, coalesce(kept.amount, 0)::text as found
        from real full join kept using (business_id, livemode, quarter, currency, direction)
       where coalesce(real.amount, 0) <> coalesce(kept.amount, 0)`,
  },
]
