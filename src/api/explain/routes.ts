import { named, routesOf } from '../../core/route.ts'
import type { TimelineSource } from '../../core/timeline.ts'
import { explain } from './explain.ts'
import { ExplainParams, TimelineRecord } from './schema.ts'

const route = routesOf('Explain')

export const explainRoutes = (timelines: TimelineSource[]) =>
  named({
    explainRecord: route.get('/explain/{id}', {
      scope: 'read',
      summary: 'Explain a record',
      description:
        'Takes the id of a payment, payout, refund, transaction, deposit, virtual account, crypto wallet, invoice, collection, customer, event, webhook delivery, API key, entry of the audit log or any other record, and tells everything that became of it and of what belongs to it: states, ledger postings, events and their deliveries, requests, what the rail knows it by, and what it waits for.',
      schema: { params: ExplainParams, data: TimelineRecord },
      message: 'Timeline',
      read: (ctx, { params }) =>
        ctx.snapshot((view) =>
          explain(view, timelines, { id: params.id, machineNow: ctx.clock.now() }),
        ),
    }),
  })
