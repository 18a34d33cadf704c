import type { Check } from '../../core/room.ts'
import { waitsForNothing } from '../../platform/jobs/timers.ts'
import { askTask, expireTask } from './record.ts'

export const accountChecks: Check[] = [
  {
    name: 'every pending virtual account has a timer or a job that asks about it',
    text: ({ alike }) => `
      select business_id, livemode, 'virtual account ' || id as what, 'a timer or a job' as expected, 'none' as found
        from ${alike('virtual_accounts', 'status', ['pending'])} a
       where ${waitsForNothing('a', 'account_id', [askTask])}`,
  },
  {
    // That of a payment ends with the payment.
    name: 'every active virtual account that ends has a timer or a job of its end',
    text: `
      select business_id, livemode, 'virtual account ' || id as what, 'a timer or a job' as expected, 'none' as found
        from virtual_accounts a
       where status = 'active' and expires_at is not null and payment_id is null and ${waitsForNothing('a', 'account_id', [expireTask])}`,
  },
]
