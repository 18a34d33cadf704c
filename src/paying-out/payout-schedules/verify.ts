import type { Check } from '../../core/module.ts'
import { waitsForNothing } from '../../platform/jobs/timers.ts'
import { runTask } from './payout-schedules.ts'

export const scheduleChecks: Check[] = [
  {
    name: 'every active payout schedule has a timer or a job of its next run',
    text: waitsForNothing(
      `select business_id, livemode, id, 'payout schedule ' || id as what from payout_schedules where next_run_at is not null`,
      'schedule_id',
      [runTask],
    ),
  },
  {
    name: 'every run of a payout schedule that has paid has its payout',
    text: `
      select r.business_id, r.livemode, 'run ' || r.id as what, concat_ws(' ', r.reference, r.amount) as expected,
             concat_ws(' ', p.reference, p.amount) as found
        from payout_schedule_runs r
        left join payouts p on p.business_id = r.business_id and p.livemode = r.livemode and p.id = r.payout_id
       where r.payout_id is not null and (p.reference, p.amount) is distinct from (r.reference, r.amount)`,
  },
]
