import type { Check } from '../../core/module.ts'
import { waitsForNothing } from '../../platform/jobs/timers.ts'
import { expireTask, queryTask } from './record.ts'

export const accountChecks: Check[] = [
  {
    name: 'every pending virtual account has a timer or a job that asks about it',
    text: ({ alike }) =>
      waitsForNothing(
        `select business_id, livemode, id, 'virtual account ' || id as what from ${alike('virtual_accounts', 'status', ['pending'])} a`,
        'account_id',
        [queryTask],
      ),
  },
  {
    // That of a payment ends with the payment.
    name: 'every active virtual account that ends has a timer or a job of its end',
    text: waitsForNothing(
      `select business_id, livemode, id, 'virtual account ' || id as what from virtual_accounts
        where status = 'active' and expires_at is not null and payment_id is null`,
      'account_id',
      [expireTask],
    ),
  },
]
