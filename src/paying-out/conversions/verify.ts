import type { Check } from '../../core/module.ts'
import type { Reach } from '../../db/lists/reach.ts'

/** Changed conversions, and conversions of checked postings. */
const asked = ({ changed, postings }: Reach): string =>
  `select business_id, livemode, id from ${changed('conversions')} c
   union select business_id, livemode, subject from ${postings} p where kind = 'conversion'`
/** The transactions by which the postings of these conversions are found. */
const transactions = (reach: Reach): string =>
  `select c.business_id, c.livemode, t.id, c.id as subject
     from ${reach.of('conversions', 'id', asked(reach))} c
    cross join lateral (values (transaction_id), (destination_transaction_id)) t (id)
    where t.id is not null
   union select business_id, livemode, transaction_id, subject from ${reach.postings} p where kind = 'conversion'`
const postings = (reach: Reach): string =>
  reach.of(
    'ledger_postings',
    'transaction_id',
    transactions(reach),
    `kind = 'conversion'`,
    'subject = asked.subject',
  )

/** Conversions, their transactions and the exchange position must agree. */
export const conversionChecks: Check[] = [
  {
    name: 'every conversion has its two transactions',
    text: ({ changed }) => `
      select c.business_id, c.livemode, 'conversion ' || c.id as what,
             concat_ws(' ', c.amount, c.fee, c.currency, '→', c.destination_amount, c.destination_currency) as expected,
             concat_ws(' ', d.amount, d.fee, d.currency, '→', k.amount, k.currency) as found
        from ${changed('conversions')} c
        left join transactions d on d.business_id = c.business_id and d.livemode = c.livemode and d.id = c.transaction_id
         and d.type = 'conversion' and d.direction = 'debit' and d.status = 'completed'
        left join transactions k on k.business_id = c.business_id and k.livemode = c.livemode and k.id = c.destination_transaction_id
         and k.type = 'conversion' and k.direction = 'credit' and k.status = 'completed'
       where (d.amount, d.fee, d.currency, k.amount, k.fee, k.currency)
             is distinct from (c.amount, c.fee, c.currency, c.destination_amount, 0::bigint, c.destination_currency)`,
  },
  {
    name: 'every conversion moved both sides of the exchange position by what it says',
    text: (reach) => `
      with moved as (
        select p.business_id, p.livemode, p.subject as id, p.currency, sum(p.amount * side.sign) as amount
          from ${postings(reach)} p
         cross join lateral (values (p.credit_account, 1), (p.debit_account, -1)) as side (account, sign)
          join ledger_accounts a on a.business_id = p.business_id and a.livemode = p.livemode and a.id = side.account
         where a.purpose = 'exchange' group by 1, 2, 3, 4),
      said as (
        select business_id, livemode, id, currency, amount - fee as amount from ${reach.of('conversions', 'id', asked(reach))} c
        union all
        select business_id, livemode, id, destination_currency, -destination_amount from ${reach.of('conversions', 'id', asked(reach))} c)
      select business_id, livemode, concat_ws(' ', 'conversion', id, currency) as what,
             coalesce(s.amount, 0)::text as expected, coalesce(m.amount, 0)::text as found
        from said s full join moved m using (business_id, livemode, id, currency)
       where coalesce(s.amount, 0) <> coalesce(m.amount, 0)`,
  },
]
