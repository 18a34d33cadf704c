import type { Check } from '../../core/module.ts'
import { waitsForNothing } from '../../platform/jobs/timers.ts'
import { verifyTask } from './documents.ts'

export const customerChecks: Check[] = [
  {
    name: 'every document that is being verified has a timer or a job',
    text: waitsForNothing(
      `select c.business_id, c.livemode, c.id, concat_ws(' ', d.id_type, 'of customer', c.id) as what
         from customer_documents d
         join customers c on c.business_id = d.business_id and c.livemode = d.livemode and c.id = d.customer_id
        where d.status = 'pending' and d.review_id is null and c.deleted_at is null`,
      'customer_id',
      [verifyTask],
    ),
  },
]
