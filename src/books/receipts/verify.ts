import type { Check } from '../../core/module.ts'
import type { Reach } from '../../db/lists/reach.ts'
import { operator } from '../ledger/ledger.ts'

/** New receipts, and those of new fee postings. */
const asked = ({ changed, postings }: Reach): string =>
  `select business_id, livemode, transaction_id as id from ${changed('provider_receipts', 'created_at')} r
   union select business_id, livemode, transaction_id from ${postings} p where kind in ('rail_fee', 'rail_fee_return')`

/** Invariant: each provider movement and its fee are booked once, by a transaction. */
export const receiptChecks: Check[] = [
  {
    name: 'every receipt of a provider has its transaction',
    text: ({ changed }) => `
      select r.business_id, r.livemode, concat_ws(' ', 'receipt', r.rail, r.kind, r.provider_id) as what,
             'transaction ' || r.transaction_id as expected, coalesce(t.currency, 'missing') as found
        from ${changed('provider_receipts', 'created_at')} r
        left join transactions t on t.business_id = r.business_id and t.livemode = r.livemode and t.id = r.transaction_id
       where t.id is null and r.business_id <> '${operator}'`,
  },
  {
    name: 'every fee of a provider is posted once',
    text: (reach) => `
      with posted as (
        select p.business_id, p.livemode, p.transaction_id, a.subject as rail, p.currency,
               sum(case p.kind when 'rail_fee' then p.amount else -p.amount end) as amount
          from ${reach.of('ledger_postings', 'transaction_id', asked(reach))} p
          join ledger_accounts a on a.business_id = p.business_id and a.livemode = p.livemode and a.purpose = 'rail_fees'
                                and a.id in (p.debit_account, p.credit_account)
         group by 1, 2, 3, 4, 5),
      kept as (
        select business_id, livemode, transaction_id, rail, currency, sum(fee) as amount
          from ${reach.of('provider_receipts', 'transaction_id', asked(reach), 'fee <> 0')} r group by 1, 2, 3, 4, 5)
      select business_id, livemode, concat_ws(' ', 'transaction', transaction_id, rail, currency) as what,
             coalesce(k.amount, 0)::text as expected, coalesce(p.amount, 0)::text as found
        from kept k full join posted p using (business_id, livemode, transaction_id, rail, currency)
       where coalesce(k.amount, 0) <> coalesce(p.amount, 0)`,
  },
  {
    name: 'every settlement of a provider is posted once',
    text: `
      with posted as (
        select livemode, subject as id, sum(case when kind = 'settlement' then amount else -amount end) as amount
          from ledger_postings where business_id = '${operator}' and kind in ('settlement', 'top_up') group by 1, 2)
      select '${operator}' as business_id, livemode, concat_ws(' ', s.kind, s.rail, s.provider_id, id) as what,
             coalesce(s.signed, 0)::text as expected, coalesce(p.amount, 0)::text as found
        from (select *, case kind when 'settlement' then amount else -amount end as signed from provider_settlements) s
        full join posted p using (livemode, id)
       where coalesce(s.signed, 0) <> coalesce(p.amount, 0)`,
  },
]
