import type { Check } from '../../core/module.ts'
import type { Reach } from '../../db/lists/reach.ts'

const remainders = ({ changed }: Reach): string =>
  `select business_id, livemode, transaction_id as id from ${changed('chain_deposits')} d where transaction_id is not null`
const waiting = ({ changed }: Reach): string =>
  `select business_id, livemode, id from ${changed('payments')} p
   union select business_id, livemode, subject from ${changed('chain_deposits')} d where kind = 'payment'`

/**
 * Transfers on chains, their transactions, their remainders and the payments that wait for them
 * must agree.
 */
export const depositChecks: Check[] = [
  {
    name: 'every transfer on a chain is shown as it stands',
    text: ({ changed }) => `
      select d.business_id, d.livemode, 'chain deposit ' || d.id || ' ' || d.status as what,
             concat_ws(' ', e.status, d.worth) as expected, concat_ws(' ', t.status, t.amount) as found
        from ${changed('chain_deposits')} d
        left join transactions t
          on t.business_id = d.business_id and t.livemode = d.livemode and t.id = d.transaction_id and t.method = 'crypto'
       cross join lateral (select case d.status when 'credited' then 'completed' when 'dropped' then 'failed'
                                                else 'pending' end as status) e
       where (d.amount > 0 and (t.id is null or t.status <> e.status or t.amount <> d.worth))
          or (d.amount = 0 and t.id is not null)`,
  },
  {
    name: 'every remainder of less than a cent was kept once',
    text: (reach) => `
      with kept as (
        select p.business_id, p.livemode, p.transaction_id, sum(p.amount) as amount
          from ${reach.of('ledger_postings', 'transaction_id', remainders(reach))} p
          join ledger_accounts a on a.business_id = p.business_id and a.livemode = p.livemode and a.id = p.credit_account
         where p.kind = 'dust' and a.purpose = 'dust'
         group by 1, 2, 3)
      select business_id, livemode, 'chain deposit ' || coalesce(d.id, k.transaction_id) as what,
             coalesce(d.dust, 0)::text as expected, coalesce(k.amount, 0)::text as found
        from (select business_id, livemode, transaction_id, id, dust from ${reach.changed('chain_deposits')} c where status in ('credited', 'held') and dust > 0) d
        full join kept k using (business_id, livemode, transaction_id)
       where coalesce(d.dust, 0) <> coalesce(k.amount, 0)`,
  },
  {
    name: 'every deposit that is held is in pending, and waits for a person or was refused',
    text: `
      with moved as (
        select p.business_id, p.livemode, p.transaction_id as id, sum(p.amount * side.sign) as amount
          from held_deposits h
          join ledger_postings p on p.business_id = h.business_id and p.livemode = h.livemode and p.transaction_id = h.id
         cross join lateral (values (p.credit_account, 1), (p.debit_account, -1)) as side (account, sign)
          join ledger_accounts a on a.business_id = p.business_id and a.livemode = p.livemode and a.id = side.account
         where a.purpose = 'wallet_pending' group by 1, 2, 3)
      select h.business_id, h.livemode, 'held deposit ' || h.id || ' ' || h.status as what,
             concat_ws(' ', e.pending, e.status, e.review) as expected,
             concat_ws(' ', coalesce(m.amount, 0), t.status, coalesce(r.status, 'none')) as found
        from held_deposits h
        left join moved m using (business_id, livemode, id)
        left join transactions t using (business_id, livemode, id)
        left join screening_reviews r on r.business_id = h.business_id and r.livemode = h.livemode and r.subject = h.id
       cross join lateral (select case h.status when 'released' then 0 else h.worth end as pending,
                                  case h.status when 'released' then 'completed' else 'pending' end as status,
                                  case h.status when 'held' then 'waiting' else h.status end as review) e
       where concat_ws(' ', e.pending, e.status, e.review)
             <> concat_ws(' ', coalesce(m.amount, 0), t.status, coalesce(r.status, 'none'))`,
  },
  {
    name: 'every payment waits for what is being confirmed',
    text: (reach) => `
      with seen as (
        select c.business_id, c.livemode, c.subject, sum(c.worth) as amount
          from ${reach.of('chain_deposits', 'subject', waiting(reach))} c
          left join held_deposits h on h.business_id = c.business_id and h.livemode = c.livemode and h.id = c.transaction_id
         where c.kind = 'payment' and (c.status = 'pending' or c.status = 'held' and h.status = 'held') group by 1, 2, 3)
      select p.business_id, p.livemode, 'payment ' || p.id as what, coalesce(s.amount, 0)::text as expected,
             p.amount_confirming::text as found
        from ${reach.of('payments', 'id', waiting(reach))} p
        left join seen s on s.business_id = p.business_id and s.livemode = p.livemode and s.subject = p.id
       where p.amount_confirming <> coalesce(s.amount, 0)`,
  },
]
