import type { Check } from '../../core/module.ts'
import { waitsForNothing } from '../../platform/jobs/timers.ts'
import { mailTask } from './mailing.ts'

/** Credit notes, their numbers, their invoices and their refunds must tell the same timeline. */
export const creditNoteChecks: Check[] = [
  {
    name: 'every credit note that is to be mailed has a timer or a job',
    text: waitsForNothing(
      `select distinct business_id, livemode, credit_note_id as id, 'credit note ' || credit_note_id as what from mails
        where status = 'queued' and credit_note_id is not null`,
      'credit_note_id',
      [mailTask],
    ),
  },
  {
    name: 'credit note numbers have no gaps',
    text: `
      select n.business_id, n.livemode, 'credit note numbers' as what, n.last::text as expected,
             concat_ws(' of ', c.count, c.highest) as found
        from credit_note_numbers n
        left join (select business_id, livemode, count(number) as count, max(number) as highest
                     from credit_notes group by 1, 2) c
          on c.business_id = n.business_id and c.livemode = n.livemode
       where c.count is distinct from n.last or c.highest is distinct from n.last`,
  },
  {
    name: 'every credit note is the sum of its parts, and stands while its refund does',
    text: `
      select n.business_id, n.livemode, 'credit note ' || n.id as what,
             concat_ws(' ', case r.status when 'completed' then 'issued' when 'failed' then 'void' end, p.amount) as expected,
             concat_ws(' ', n.status, n.amount) as found
        from credit_notes n
        left join refunds r on r.business_id = n.business_id and r.livemode = n.livemode and r.id = n.refund_id
        left join (select business_id, livemode, credit_note_id, sum(net + tax) as amount
                     from credit_note_parts group by 1, 2, 3) p
          on p.business_id = n.business_id and p.livemode = n.livemode and p.credit_note_id = n.id
       where n.amount is distinct from p.amount
          or n.status is distinct from case r.status when 'completed' then 'issued' when 'failed' then 'void' end`,
  },
  {
    name: 'no invoice is credited more than it asked for, at any rate',
    text: `
      with sold as (
        select business_id, livemode, invoice_id, coalesce(tax_rate_bps, -1) as rate,
               sum(total - case when tax_inclusive then tax else 0 end) as net, sum(tax) as tax
          from invoice_lines
         where (business_id, livemode, invoice_id) in (select business_id, livemode, invoice_id from credit_notes)
         group by 1, 2, 3, 4),
      credited as (
        select n.business_id, n.livemode, n.invoice_id, coalesce(p.tax_rate_bps, -1) as rate, sum(p.net) as net,
               sum(p.tax) as tax
          from credit_notes n
          join credit_note_parts p on p.business_id = n.business_id and p.livemode = n.livemode
           and p.credit_note_id = n.id
         where n.status = 'issued' group by 1, 2, 3, 4)
      select business_id, livemode, concat_ws(' ', 'invoice', invoice_id, 'at', rate) as what,
             concat_ws(' / ', s.net, s.tax) as expected, concat_ws(' / ', c.net, c.tax) as found
        from credited c left join sold s using (business_id, livemode, invoice_id, rate)
       where s.net is null or c.net > s.net or c.tax > s.tax`,
  },
]
