import type { Check } from '../../core/room.ts'
import type { Reach } from '../../db/reach.ts'

/** Those that were changed, and those of postings. */
const asked = ({ changed, postings }: Reach): string =>
  `select business_id, livemode, id from ${changed('transactions')} t
   union select business_id, livemode, transaction_id from ${postings} p`

/** What a wallet gained or lost by a transaction must be what the transaction says: what comes in leaves its fee behind. */
export const transactionChecks: Check[] = [
  {
    name: 'every transaction moved its wallet by its amount',
    text: (reach) => `
      with moved as (
        select p.business_id, p.livemode, p.transaction_id, a.currency, sum(p.amount * side.sign) as amount
          from ${reach.of('ledger_postings', 'transaction_id', asked(reach))} p
         cross join lateral (values (p.credit_account, 1), (p.debit_account, -1)) as side (account, sign)
          join ledger_accounts a on a.business_id = p.business_id and a.livemode = p.livemode and a.id = side.account
         where a.purpose = 'wallet_available'
         group by p.business_id, p.livemode, p.transaction_id, a.currency)
      select business_id, livemode, 'transaction ' || coalesce(t.id, m.transaction_id) as what,
             e.expected::text as expected, coalesce(m.amount, 0)::text as found
        from ${reach.of('transactions', 'id', asked(reach))} t
        full join (select business_id, livemode, transaction_id as id, transaction_id, currency, amount from moved) m
             using (business_id, livemode, id, currency)
       cross join lateral (select case
                when t.id is null then 0
                when t.status in ('failed', 'reversed') then 0
                when t.direction = 'credit' and t.status = 'pending' then 0
                when t.direction = 'credit' then t.amount - t.fee
                else -t.amount end as expected) e
       where coalesce(m.amount, 0) <> e.expected or (t.id is null and m.amount <> 0)`,
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
