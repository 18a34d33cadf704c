import type { Check } from '../../core/module.ts'
import type { Reach } from '../../db/lists/reach.ts'
import { waitsForNothing } from '../../platform/jobs/timers.ts'
import { mailTask } from './record.ts'

/** Those that were changed, and those of payments that were. */
const asked = ({ changed }: Reach): string =>
  `select business_id, livemode, id from ${changed('invoices')} i
   union select business_id, livemode, invoice_id from ${changed('payments')} p where invoice_id is not null`

/** Invoices, their lines, their numbers and their payments must tell the same timeline. */
export const invoiceChecks: Check[] = [
  {
    name: 'every invoice that is to be mailed has a timer or a job',
    text: waitsForNothing(
      `select distinct business_id, livemode, invoice_id as id, 'invoice ' || invoice_id as what from mails
        where status = 'queued' and invoice_id is not null`,
      'invoice_id',
      [mailTask],
    ),
  },
  {
    name: 'every invoice is the sum of its lines',
    text: (reach) => `
      select i.business_id, i.livemode, 'invoice ' || i.id as what, coalesce(l.total, 0)::text as expected, i.total::text as found
        from ${reach.of('invoices', 'id', asked(reach))} i
        left join (select business_id, livemode, invoice_id,
                          sum(total + case when tax_inclusive then 0 else tax end) as total
                     from ${reach.of('invoice_lines', 'invoice_id', asked(reach))} l group by 1, 2, 3) l
          on l.business_id = i.business_id and l.livemode = i.livemode and l.invoice_id = i.id
       where i.total <> coalesce(l.total, 0)`,
  },
  {
    name: 'the tax of each rate is that of its lines together, rounded once',
    text: (reach) => `
      select business_id, livemode, concat_ws(' ', 'invoice', invoice_id, 'at', tax_rate_bps) as what,
             expected::text, tax::text as found
        from (select business_id, livemode, invoice_id, tax_rate_bps, sum(tax) as tax,
                     div(2 * sum(total) * tax_rate_bps + whole, 2 * whole) as expected
                from ${reach.of('invoice_lines', 'invoice_id', asked(reach))} l
               cross join lateral (select 10000 + case when tax_inclusive then tax_rate_bps else 0 end as whole) w
               where tax_rate_bps is not null
               group by business_id, livemode, invoice_id, tax_rate_bps, tax_inclusive, whole) r
       where tax <> expected`,
  },
  {
    name: 'invoice numbers have no gaps',
    ofHistory: true,
    text: `
      select n.business_id, n.livemode, 'invoice numbers' as what, n.last::text as expected,
             concat_ws(' of ', i.count, i.highest) as found
        from invoice_numbers n
        left join (select business_id, livemode, count(number) as count, max(number) as highest
                     from invoices group by 1, 2) i
          on i.business_id = n.business_id and i.livemode = n.livemode
       where i.count is distinct from n.last or i.highest is distinct from n.last`,
  },
  {
    name: 'the highest number of an invoice is the last that was given',
    text: `
      select n.business_id, n.livemode, 'invoice numbers' as what, n.last::text as expected, i.highest::text as found
        from invoice_numbers n
       cross join lateral (select max(number) as highest from invoices where business_id = n.business_id and livemode = n.livemode) i
       where i.highest is distinct from n.last`,
  },
  {
    name: 'every invoice agrees with its payment',
    text: (reach) => `
      select i.business_id, i.livemode, 'invoice ' || i.id as what, concat_ws(' ', i.status, i.collect_amount) as expected,
             concat_ws(' ', p.status, p.amount) as found
        from ${reach.of('invoices', 'id', asked(reach))} i
        left join payments p on p.business_id = i.business_id and p.livemode = i.livemode and p.id = i.payment_id
         and p.invoice_id = i.id
       where i.status <> 'draft'
         and (p.id is null or p.amount <> i.collect_amount or p.currency <> i.collect_currency
           or p.status <> case i.status when 'open' then 'pending' when 'paid' then 'completed' else 'canceled' end)`,
  },
]
