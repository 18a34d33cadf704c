import type { Check } from '../../core/module.ts'
import { waitsForNothing } from '../../platform/jobs/timers.ts'
import { payTask } from './batches.ts'

export const batchChecks: Check[] = [
  {
    name: 'every batch that is being paid has a timer or a job',
    text: waitsForNothing(
      `select business_id, livemode, id, 'batch ' || id as what from payout_batches where status = 'running'`,
      'batch_id',
      [payTask],
    ),
  },
  {
    name: 'every line of a batch that was paid has its own payout, of its amount',
    text: ({ of, changed }) => `
      select l.business_id, l.livemode, 'line ' || l.line || ' of batch ' || l.batch_id as what,
             l.amount::text as expected, coalesce(p.amount::text, 'no payout') as found
        from ${of('payout_batch_lines', 'batch_id', `select business_id, livemode, id from ${changed('payout_batches')} b`)} l
        left join payouts p on p.business_id = l.business_id and p.livemode = l.livemode and p.id = l.payout_id
       where l.status = 'created' and (p.id is null or p.amount <> l.amount or p.reference <> l.reference)`,
  },
  {
    name: 'every batch counts its lines',
    text: ({ changed }) => `
      select b.business_id, b.livemode, 'batch ' || b.id as what,
             concat_ws(' ', b.line_count, b.bad, b.created, b.refused, b.canceled) as expected,
             concat_ws(' ', l.lines, l.bad, l.created, l.refused, l.canceled) as found
        from ${changed('payout_batches')} b
        join lateral (select count(*) as lines, count(*) filter (where status = 'bad') as bad,
                             count(*) filter (where status = 'created') as created,
                             count(*) filter (where status = 'refused') as refused,
                             count(*) filter (where status = 'canceled') as canceled
                        from payout_batch_lines
                       where business_id = b.business_id and livemode = b.livemode and batch_id = b.id) l on true
       where (b.line_count, b.bad, b.created, b.refused, b.canceled)
             is distinct from (l.lines, l.bad, l.created, l.refused, l.canceled)`,
  },
]
