import type { Check } from '../../core/module.ts'
import type { Reach } from '../../db/lists/reach.ts'
import { waitsForNothing, withTasks } from '../../platform/jobs/timers.ts'
import { heldWaitsForPerson } from '../../platform/screening/screening.ts'
import { askTask, expireApprovalTask, submitTask } from './record.ts'

/** Changed payouts, and payouts of checked postings. */
const asked = ({ changed, postings }: Reach): string =>
  `select business_id, livemode, id from ${changed('payouts')} o
   union select business_id, livemode, subject from ${postings} p where kind like 'payout_%'`
/** The transactions by which the postings of these payouts are found. */
const transactions = (reach: Reach): string =>
  `select o.business_id, o.livemode, t.id, o.id as subject
     from ${reach.of('payouts', 'id', asked(reach))} o
    cross join lateral (values (transaction_id), (return_transaction_id)) t (id)
    where t.id is not null
   union select business_id, livemode, transaction_id, subject from ${reach.postings} p where kind like 'payout_%'`
const postings = (reach: Reach): string =>
  reach.of(
    'ledger_postings',
    'transaction_id',
    transactions(reach),
    `kind like 'payout_%'`,
    'subject = asked.subject',
  )
/** Open payouts of any age. */
const openPayouts = ({ alike }: Reach): string =>
  alike('payouts', 'status', ['pending', 'processing'])

/** Payouts, their transactions and the ledger must agree. */
export const payoutChecks: Check[] = [
  {
    name: 'every payout holds, sends or gives back its amount',
    text: (reach) => `
      with moved as (
        select p.business_id, p.livemode, p.subject, sum(p.amount * side.sign) filter (where a.purpose = 'wallet_available') as available,
               sum(p.amount * side.sign) filter (where a.purpose = 'wallet_pending') as pending,
               sum(p.amount * side.sign) filter (where a.purpose = 'fees') as fees
          from ${postings(reach)} p
         cross join lateral (values (p.credit_account, 1), (p.debit_account, -1)) as side (account, sign)
          join ledger_accounts a on a.business_id = p.business_id and a.livemode = p.livemode and a.id = side.account
         group by p.business_id, p.livemode, p.subject)
      select business_id, livemode, 'payout ' || coalesce(o.id, m.id) || ' ' || coalesce(o.status, 'missing') as what,
             concat_ws(' / ', e.available, e.pending, e.fees) as expected,
             concat_ws(' / ', coalesce(m.available, 0), coalesce(m.pending, 0), coalesce(m.fees, 0)) as found
        from ${reach.of('payouts', 'id', asked(reach))} o
        full join (select business_id, livemode, subject as id, available, pending, fees from moved) m
             using (business_id, livemode, id)
       cross join lateral (select
               case when o.status in ('failed', 'canceled') then 0 when o.status = 'returned' then -o.fee else -o.amount end as available,
               case when o.status in ('pending', 'processing') then o.amount else 0 end as pending,
               case when o.status in ('completed', 'returned') then o.fee else 0 end as fees) e
       where o.id is null or coalesce(m.available, 0) <> e.available
          or coalesce(m.pending, 0) <> e.pending or coalesce(m.fees, 0) <> e.fees`,
  },
  {
    name: 'every payout agrees with its transaction',
    text: ({ changed }) => `
      select o.business_id, o.livemode, 'payout ' || o.id as what,
             concat_ws(' ', o.status, o.amount, o.fee, o.currency) as expected,
             concat_ws(' ', t.status, t.amount, t.fee, t.currency) as found
        from ${changed('payouts')} o
        left join transactions t
          on t.business_id = o.business_id and t.livemode = o.livemode and t.id = o.transaction_id
       where t.id is null or t.amount <> o.amount or t.fee <> o.fee or t.currency <> o.currency
          or t.status <> case o.status when 'completed' then 'completed' when 'returned' then 'completed' when 'failed' then 'failed'
                                       when 'canceled' then 'reversed' else 'pending' end`,
  },
  {
    name: 'every payout that was returned has the transaction of its return',
    text: ({ changed }) => `
      select o.business_id, o.livemode, 'payout ' || o.id as what, concat_ws(' ', o.amount - o.fee, o.currency) as expected,
             concat_ws(' ', t.type, t.status, t.amount, t.currency) as found
        from ${changed('payouts')} o
        left join transactions t
          on t.business_id = o.business_id and t.livemode = o.livemode and t.id = o.return_transaction_id
       where o.status = 'returned'
         and (t.type, t.direction, t.status, t.amount, t.fee, t.currency)
             is distinct from ('payout_return', 'credit', 'completed', o.amount - o.fee, 0::bigint, o.currency)`,
  },
  {
    name: 'every payout that a provider paid out has its receipt, and that of its return',
    text: ({ changed }) => `
      select o.business_id, o.livemode, 'payout ' || o.id || ' ' || o.status as what,
             case o.status when 'returned' then 'payout, payout_return' else 'payout' end as expected,
             coalesce(string_agg(r.kind, ', ' order by r.kind), 'none') as found
        from ${changed('payouts')} o
        join rail_accounts a on a.livemode = o.livemode and a.name = o.rail
        left join provider_receipts r on r.business_id = o.business_id and r.livemode = o.livemode and r.subject = o.id
                                     and r.transaction_id in (o.transaction_id, o.return_transaction_id)
       where o.status in ('completed', 'returned')
       group by o.business_id, o.livemode, o.id, o.status
      having string_agg(r.kind, ', ' order by r.kind)
             is distinct from case o.status when 'returned' then 'payout, payout_return' else 'payout' end`,
  },
  {
    name: 'every payout on its way has a timer or a job',
    text: (reach) =>
      waitsForNothing(
        `select business_id, livemode, id, 'payout ' || id || ' ' || status as what from ${openPayouts(reach)} o
          where approval <> 'waiting' and review is null`,
        'payout_id',
        [submitTask, askTask],
      ),
  },
  {
    name: 'every payout that waits for a second person has a timer of its end, and no other',
    text: (reach) => {
      const waiting = `select business_id, livemode, id, 'payout ' || id || ' since ' || created_at as what
                         from ${reach.closing ? openPayouts(reach) : 'payouts'} o where approval = 'waiting'`
      return `
      select business_id, livemode, what, 'a timer of its end' as expected, coalesce(array_to_string(tasks, ', '), 'none') as found
        from ${withTasks(waiting, 'payout_id', [expireApprovalTask, submitTask, askTask])} o
       where tasks is null or not tasks <@ '{${expireApprovalTask}}'`
    },
  },
  // A job may remain: the one that held the payout, before it ends or when it restarts. It does
  // nothing.
  heldWaitsForPerson('payout', (reach) => (reach.closing ? openPayouts(reach) : 'payouts')),
  {
    name: 'no payout was approved by who made it',
    text: ({ changed }) => `
      select business_id, livemode, 'payout ' || id as what, 'another person' as expected,
             approval_details->'decided_by'->>'id' as found
        from ${changed('payouts')} o
       where approval = 'approved'
         and approval_details->'made_by'->'same' ?| array(select jsonb_array_elements_text(approval_details->'decided_by'->'same'))`,
  },
]
