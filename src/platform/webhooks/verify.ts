import type { Check } from '../../core/module.ts'

export const webhookChecks: Check[] = [
  {
    name: 'every delivery that is pending has its place in the queue',
    text: `
      select d.business_id, d.livemode, 'delivery ' || d.id || ' of ' || d.type as what, 'a place in the queue' as expected, 'none' as found
        from webhook_deliveries d
       where d.status = 'pending'
         and not exists (select from webhook_queue q
                          where q.business_id = d.business_id and q.livemode = d.livemode and q.delivery_id = d.id)`,
  },
]
