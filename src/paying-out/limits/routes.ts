import { type Route, routesOf } from '../../core/route.ts'
import { getLimits, updateLimits } from './limits.ts'
import { limitRefusals } from './refusals.ts'
import { LimitsIn, LimitsRecord } from './schema.ts'

const route = routesOf('Payouts', limitRefusals)

export const limitRoutes: Route[] = [
  route.get('/limits', {
    id: 'getLimits',
    summary: 'Get the limits of payouts',
    description: 'Above what payouts wait for a second person, and what today has sent without one.',
    schema: { data: LimitsRecord },
    message: 'Limits',
    read: (ctx) => getLimits(ctx),
  }),
  route.put('/limits', {
    id: 'updateLimits',
    summary: 'Change the limits of payouts',
    description:
      'From now on; fields that are left out stay as they are. A key that can create payouts can make limits stricter only.',
    example: {
      currencies: [{ currency: 'ngn', approve_above: 50_000_000, approve_above_daily: 200_000_000 }],
      approval_hours: 24,
    },
    schema: { body: LimitsIn, data: LimitsRecord },
    refuses: ['limits_not_loosened'],
    message: 'Limits changed',
    run: (work, { body }) => updateLimits(work, body),
  }),
]
