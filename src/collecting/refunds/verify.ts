import type { Check } from '../../core/module.ts'
import type { Reach } from '../../db/lists/reach.ts'
import { waitsForNothing } from '../../platform/jobs/timers.ts'
import { heldWaitsForPerson } from '../../platform/screening/screening.ts'
import { queryTask } from './record.ts'

const changedPayments = ({ changed }: Reach): string =>
  `select business_id, livemode, id from ${changed('payments')} p
   union select business_id, livemode, payment_id from ${changed('refunds')} r`
/** Refunds that changed, or have new postings. */
const changedRefunds = ({ changed, postings }: Reach): string =>
  `select business_id, livemode, id from ${changed('refunds')} r
   union select business_id, livemode, subject from ${postings} p where kind like 'refund_%'`
/** The transactions whose postings are compared. */
const transactions = (reach: Reach): string =>
  `select r.business_id, r.livemode, t.id, r.id as subject
     from ${reach.of('refunds', 'id', changedRefunds(reach))} r
    cross join lateral (values (transaction_id), (return_transaction_id)) t (id)
    where t.id is not null
   union select business_id, livemode, transaction_id, subject from ${reach.postings} p where kind like 'refund_%'`
const postings = (reach: Reach): string =>
  reach.of(
    'ledger_postings',
    'transaction_id',
    transactions(reach),
    `kind like 'refund_%'`,
    'subject = asked.subject',
  )

/** Checks that refunds, their payments, their transactions and the ledger agree. */
export const refundChecks: Check[] = [
  {
    name: 'every payment knows what its refunds hold and gave back',
    text: (reach) => `
      select p.business_id, p.livemode, 'payment ' || p.id as what,
             concat_ws(' / ', coalesce(r.held, 0), coalesce(r.given, 0)) as expected,
             concat_ws(' / ', p.amount_refunding, p.amount_refunded) as found
        from ${reach.of('payments', 'id', changedPayments(reach))} p
        left join (select business_id, livemode, payment_id, sum(amount) filter (where status = 'initiated') as held,
                          sum(amount) filter (where status = 'completed') as given
                     from ${reach.of('refunds', 'payment_id', changedPayments(reach))} r group by 1, 2, 3) r
          on r.business_id = p.business_id and r.livemode = p.livemode and r.payment_id = p.id
       where p.amount_refunding <> coalesce(r.held, 0) or p.amount_refunded <> coalesce(r.given, 0)`,
  },
  {
    name: 'every refund agrees with its transaction',
    text: ({ changed }) => `
      select r.business_id, r.livemode, 'refund ' || r.id as what, concat_ws(' ', r.status, r.amount, r.currency) as expected,
             concat_ws(' ', t.status, t.amount, t.currency) as found
        from ${changed('refunds')} r
        left join transactions t
          on t.business_id = r.business_id and t.livemode = r.livemode and t.id = r.transaction_id
       where t.id is null or t.amount <> r.amount or t.currency <> r.currency
          or t.status <> case when r.payout_id is not null and r.failure_reason = 'canceled' then 'reversed'
                              when r.status = 'initiated' then 'pending'
                              when r.return_transaction_id is not null then 'completed' else r.status end`,
  },
  {
    name: 'every refund holds, sends or gives back its amount',
    text: (reach) => `
      with moved as (
        select p.business_id, p.livemode, p.subject as id,
               sum(p.amount * side.sign) filter (where a.purpose = 'wallet_available') as available,
               sum(p.amount * side.sign) filter (where a.purpose = 'wallet_pending') as pending
          from ${postings(reach)} p
         cross join lateral (values (p.credit_account, 1), (p.debit_account, -1)) as side (account, sign)
          join ledger_accounts a on a.business_id = p.business_id and a.livemode = p.livemode and a.id = side.account
         group by 1, 2, 3)
      select business_id, livemode, 'refund ' || coalesce(r.id, m.id) as what,
             concat_ws(' / ', e.available, e.pending) as expected,
             concat_ws(' / ', coalesce(m.available, 0), coalesce(m.pending, 0)) as found
        from ${reach.of('refunds', 'id', changedRefunds(reach))} r
        full join moved m using (business_id, livemode, id)
       cross join lateral (select case when r.status = 'failed' or r.payout_id is not null then 0 else -r.amount end as available,
                                  case when r.status = 'initiated' and r.payout_id is null then r.amount else 0 end as pending) e
       where r.id is null or coalesce(m.available, 0) <> e.available or coalesce(m.pending, 0) <> e.pending`,
  },
  {
    name: 'every refund that came back has the transaction of its return',
    text: ({ changed }) => `
      select r.business_id, r.livemode, 'refund ' || r.id as what, concat_ws(' ', r.amount, r.currency) as expected,
             concat_ws(' ', t.type, t.status, t.amount, t.currency) as found
        from ${changed('refunds')} r
        left join transactions t
          on t.business_id = r.business_id and t.livemode = r.livemode and t.id = r.return_transaction_id
       where r.return_transaction_id is not null
         and (t.type, t.direction, t.status, t.amount, t.fee, t.currency)
             is distinct from (case when r.payout_id is null then 'refund' else 'payout_return' end, 'credit', 'completed', r.amount, 0::bigint, r.currency)`,
  },
  {
    name: 'every refund to elsewhere agrees with its payout',
    text: ({ changed }) => `
      with pair as (
        select business_id, livemode, id as refund, payout_id as payout from ${changed('refunds')} r where payout_id is not null
        union select business_id, livemode, refund_id, id from ${changed('payouts')} o where refund_id is not null)
      select pair.business_id, pair.livemode, 'refund ' || pair.refund || ', payout ' || pair.payout as what,
             concat_ws(' ', o.refund_id, o.id, o.status, o.amount, o.currency) as expected,
             concat_ws(' ', r.id, r.payout_id, r.status, r.amount, r.currency) as found
        from pair
        left join refunds r on r.business_id = pair.business_id and r.livemode = pair.livemode and r.id = pair.refund
        left join payouts o on o.business_id = pair.business_id and o.livemode = pair.livemode and o.id = pair.payout
       where (o.refund_id, o.id, o.amount, o.currency, case when o.status in ('pending', 'processing') then 'initiated'
                                                      when o.status = 'completed' then 'completed' else 'failed' end)
             is distinct from (r.id, r.payout_id, r.amount, r.currency, r.status)`,
  },
  heldWaitsForPerson('refund', ({ alike }) => alike('refunds', 'status', ['initiated'])),
  {
    name: 'every refund on its way has a timer or a job',
    text: ({ alike }) =>
      waitsForNothing(
        `select business_id, livemode, id, 'refund ' || id || ' ' || status as what from ${alike('refunds', 'status', ['initiated'])} r where payout_id is null and review is null`,
        'refund_id',
        [queryTask],
      ),
  },
]
