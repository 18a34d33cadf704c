import type { Check } from '../../core/module.ts'
import { waitsForNothing } from '../../platform/jobs/timers.ts'
import { answerTask } from './answering.ts'
import { queryTask } from './disputes.ts'
import { simulatedRail } from './evidence.ts'

/** Disputes, their transactions, what their providers moved for them, and the ledger must agree. */
export const disputeChecks: Check[] = [
  {
    name: 'every dispute holds and has taken what its transactions say',
    text: ({ alike }) => `
      with moved as (
        select business_id, livemode, related ->> 'dispute' as id,
               coalesce(sum(amount) filter (where status = 'pending'), 0) as held,
               coalesce(sum(amount) filter (where status = 'completed'), 0) as taken
          from ${alike('transactions', 'type', ['dispute'])} t group by 1, 2, 3)
      select business_id, livemode, 'dispute ' || id as what,
             concat_ws(' / ', coalesce(m.held, 0), coalesce(m.taken, 0)) as expected, concat_ws(' / ', d.held, d.taken) as found
        from disputes d full join moved m using (business_id, livemode, id)
       where (coalesce(m.held, 0), coalesce(m.taken, 0)) is distinct from (d.held, d.taken)`,
  },
  {
    name: 'what disputes cost is what providers took less what was taken for it',
    text: `
      with cost as (
        select business_id, livemode, rail, currency, sum(amount) as amount
          from (select business_id, livemode, rail, currency, amount from dispute_movements
                union all
                select business_id, livemode, rail, currency, taken from disputes where rail <> '${simulatedRail}') summed
         group by 1, 2, 3, 4)
      select business_id, livemode, concat_ws(' ', 'disputes', rail, currency) as what,
             coalesce(c.amount, 0)::text as expected, coalesce(a.balance, 0)::text as found
        from cost c
        full join (select business_id, livemode, subject as rail, currency, balance from ledger_accounts where purpose = 'disputes') a
             using (business_id, livemode, rail, currency)
       where coalesce(c.amount, 0) <> coalesce(a.balance, 0)`,
  },
  {
    name: 'every dispute that is open at a provider has a timer or a job',
    text: waitsForNothing(
      `select business_id, livemode, id, 'dispute ' || id as what from disputes where status = 'open' and rail <> '${simulatedRail}'`,
      'dispute_id',
      [queryTask],
    ),
  },
  {
    name: 'every answer to a dispute that is being sent has a timer or a job',
    text: waitsForNothing(
      `select business_id, livemode, id, 'the answer to dispute ' || id as what from dispute_evidence where status = 'sending'`,
      'dispute_id',
      [answerTask],
    ),
  },
]
