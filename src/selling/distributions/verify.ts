import type { Check } from '../../core/module.ts'
import type { Reach } from '../../db/lists/reach.ts'

const payments = ({ changed }: Reach): string =>
  `select business_id, livemode, id from ${changed('payments')} p`
const refunds = (reach: Reach): string =>
  `select r.business_id, r.livemode, r.id from ${reach.of('refunds', 'payment_id', payments(reach))} r`

/** A share's balance must equal its credits minus returns and settlements. */
export const distributionChecks: Check[] = [
  {
    name: 'every share holds what it accrued and did not settle',
    ofHistory: true,
    text: `
      select s.business_id, s.livemode, 'share ' || s.id as what,
             concat_ws(' / ', coalesce(e.amount, 0) - coalesce(p.amount, 0), coalesce(p.amount, 0)) as expected,
             concat_ws(' / ', a.balance, s.settled) as found
        from distribution_shares s
        join ledger_accounts a on a.business_id = s.business_id and a.livemode = s.livemode and a.purpose = 'share'
         and a.subject = s.id
        left join (select business_id, livemode, share_id, sum(amount - returned) as amount
                     from distribution_entries group by 1, 2, 3) e
          on e.business_id = s.business_id and e.livemode = s.livemode and e.share_id = s.id
        left join (select business_id, livemode, share_id, sum(amount - returned) as amount
                     from distribution_settlements group by 1, 2, 3) p
          on p.business_id = s.business_id and p.livemode = s.livemode and p.share_id = s.id
       where a.balance <> coalesce(e.amount, 0) - coalesce(p.amount, 0) or s.settled <> coalesce(p.amount, 0)`,
  },
  {
    name: 'every settlement has come back as its payout has',
    text: ({ of, changed }) => `
      select s.business_id, s.livemode, 'payout ' || s.payout_id as what, concat_ws(' ', p.status, p.amount) as expected,
             concat_ws(' ', s.returned, s.amount) as found
        from ${of('distribution_settlements', 'payout_id', `select business_id, livemode, id from ${changed('payouts')} o`)} s
        left join payouts p on p.business_id = s.business_id and p.livemode = s.livemode and p.id = s.payout_id
       where p.id is null or p.amount <> s.amount
          or s.returned <> case when p.status in ('failed', 'canceled') then p.amount
                                when p.status = 'returned' then p.amount - p.fee else 0 end`,
  },
  {
    name: 'every entry was returned what refunds took back',
    text: (reach) => `
      select e.business_id, e.livemode, concat_ws(' ', 'payment', e.payment_id, 'share', e.share_id) as what,
             concat_ws(' / ', coalesce(r.returned, 0), coalesce(r.borne, 0)) as expected,
             concat_ws(' / ', e.returned, e.borne) as found
        from ${reach.of('distribution_entries', 'payment_id', payments(reach))} e
        left join (select business_id, livemode, payment_id, share_id, sum(returned) as returned, sum(borne) as borne
                     from ${reach.of('distribution_returns', 'refund_id', refunds(reach), 'not undone')} d group by 1, 2, 3, 4) r
          on r.business_id = e.business_id and r.livemode = e.livemode and r.payment_id = e.payment_id
         and r.share_id = e.share_id
       where e.returned <> coalesce(r.returned, 0) or e.borne <> coalesce(r.borne, 0)`,
  },
]
