import type { Check } from '../../core/module.ts'
import { waitsForNothing } from '../jobs/timers.ts'
import { sendTask } from './mail.ts'

export const mailChecks: Check[] = [
  {
    // The invoices module has jobs for its mails.
    name: 'every mail that is to be sent has a timer or a job',
    text: waitsForNothing(
      `select business_id, livemode, id, 'mail ' || id as what from mails where status = 'queued' and invoice_id is null and credit_note_id is null`,
      'mail_id',
      [sendTask],
    ),
  },
]
