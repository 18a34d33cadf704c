import { operator } from '../../books/ledger/ledger.ts'
import type { Check } from '../../core/module.ts'
import { waitsForNothing } from '../../platform/jobs/timers.ts'
import { queryTask } from './returns.ts'

/** Checks that the books hold what was not returned, and that every open return has a job. */
export const returnChecks: Check[] = [
  {
    name: 'unclaimed money is what came and was not sent back',
    text: `
      with came as (
        select business_id, livemode, rail, currency,
               sum(case when kind = 'refund' then -amount when kind in ('charge', 'refund_return') then amount else 0 end) as amount
          from provider_receipts where business_id = '${operator}' group by 1, 2, 3, 4),
      held as (
        select business_id, livemode, subject as rail, currency, balance from ledger_accounts where purpose = 'unclaimed')
      select business_id, livemode, concat_ws(' ', 'unclaimed', rail, currency) as what,
             coalesce(c.amount, 0)::text as expected, coalesce(h.balance, 0)::text as found
        from came c full join held h using (business_id, livemode, rail, currency)
       where coalesce(c.amount, 0) <> coalesce(h.balance, 0)`,
  },
  {
    name: 'every return that has completed has its receipt, and no other has',
    text: `
      select r.business_id, r.livemode, 'return ' || r.id || ' ' || r.status as what,
             (case r.status when 'completed' then 1 else 0 end)::text as expected, coalesce(sum(case p.kind when 'refund' then 1 else -1 end), 0)::text as found
        from provider_returns r
        left join provider_receipts p on p.business_id = r.business_id and p.livemode = r.livemode and p.subject = r.id
                                     and p.kind in ('refund', 'refund_return') and p.amount > 0
       group by 1, 2, r.id, r.status
      having coalesce(sum(case p.kind when 'refund' then 1 when 'refund_return' then -1 end), 0)
             <> case r.status when 'completed' then 1 else 0 end`,
  },
  {
    name: 'every return on its way has a timer or a job',
    text: waitsForNothing(
      `select business_id, livemode, id, 'return ' || id as what from provider_returns where status = 'initiated'`,
      'return_id',
      [queryTask],
    ),
  },
]
