import type { Check } from '../../core/module.ts'
import type { Reach } from '../../db/lists/reach.ts'
import { waitsForNothing } from '../../platform/jobs/timers.ts'
import { expireTask, queryAttemptTask } from './record.ts'

/** Payments that changed, and payments of transactions that changed. */
const changedPayments = ({ changed }: Reach): string =>
  `select business_id, livemode, id::text from ${changed('payments')} p
   union select business_id, livemode, related->>'payment' from ${changed('transactions')} t where type = 'payment'`

/** Checks that payments, their transactions and their card attempts agree. */
export const paymentChecks: Check[] = [
  {
    name: 'every payment received what its transactions say',
    text: (reach) => `
      with came as (
        select business_id, livemode, related->>'payment' as id, sum(amount) as amount, sum(fee) as fee
          from ${reach.of('transactions', `related->>'payment'`, changedPayments(reach), `type = 'payment' and status = 'completed'`)} t
         group by 1, 2, 3)
      select business_id, livemode, 'payment ' || coalesce(p.id, c.id) as what,
             concat_ws(' / ', coalesce(c.amount, 0), coalesce(c.fee, 0)) as expected,
             concat_ws(' / ', p.amount_received, p.fee) as found
        from ${reach.of('payments', 'id', changedPayments(reach))} p
        full join came c using (business_id, livemode, id)
       where p.id is null or p.amount_received <> coalesce(c.amount, 0) or p.fee <> coalesce(c.fee, 0)`,
  },
  {
    name: 'every payment is completed exactly when it was paid',
    text: ({ changed }) => `
      select p.business_id, p.livemode, 'payment ' || p.id as what, p.status as expected,
             concat_ws(' ', t.id, t.status, p.paid_at) as found
        from ${changed('payments')} p
        left join transactions t
          on t.business_id = p.business_id and t.livemode = p.livemode and t.id = p.transaction_id
         and t.type = 'payment' and t.related->>'payment' = p.id and t.status = 'completed'
       where (p.status = 'completed') <> (t.id is not null) or (p.status = 'completed') <> (p.paid_at is not null)
          or (p.status = 'completed' and p.amount_counted < p.amount)`,
  },
  {
    name: 'every charged card was booked once',
    text: ({ changed }) => `
      select a.business_id, a.livemode, 'card attempt ' || a.id as what, concat_ws(' ', a.status, a.amount) as expected,
             concat_ws(' ', t.id, t.amount) as found
        from ${changed('payment_attempts')} a
        left join transactions t
          on t.business_id = a.business_id and t.livemode = a.livemode and t.id = a.transaction_id
         and t.method = 'card' and t.related->>'payment' = a.payment_id and t.amount = a.amount
       where (a.status = 'succeeded') <> (t.id is not null)`,
  },
  {
    name: 'every payment has ended with its account',
    text: ({ of, changed }) => `
      select v.business_id, v.livemode, 'virtual account ' || v.id as what, p.status as expected, v.status as found
        from ${of('virtual_accounts', 'payment_id', `select business_id, livemode, id from ${changed('payments')} p`)} v
        join payments p on p.business_id = v.business_id and p.livemode = v.livemode and p.id = v.payment_id
       where p.status <> 'pending' and v.status = 'active'`,
  },
  {
    // An invoice's payment ends with the invoice.
    name: 'every payment that can be paid has a timer or a job',
    text: ({ alike }) =>
      waitsForNothing(
        `select business_id, livemode, id, 'payment ' || id as what from ${alike('payments', 'status', ['pending'])} p where invoice_id is null`,
        'payment_id',
        [expireTask],
      ),
  },
  {
    // A challenge has no timer of its own: it ends with its payment, at the latest.
    name: 'every card that is being charged has a timer or a job',
    text: waitsForNothing(
      `select business_id, livemode, id, 'card attempt ' || id as what from payment_attempts where status in ('processing', 'away')`,
      'attempt_id',
      [queryAttemptTask],
    ),
  },
]
