import type { Check } from '../../core/room.ts'
import { waitsForNothing } from '../jobs/timers.ts'
import { sendTask } from './mail.ts'

export const mailChecks: Check[] = [
  {
    // Those of invoices have jobs of the invoices.
    name: 'every mail that is to be sent has a timer or a job',
    text: `
      select business_id, livemode, 'mail ' || id as what, 'a timer or a job' as expected, 'none' as found
        from mails m
       where status = 'queued' and invoice_id is null and ${waitsForNothing('m', 'mail_id', [sendTask])}`,
  },
]
