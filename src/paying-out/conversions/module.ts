import type { Module } from '../../core/module.ts'
import { conversionEvents } from './events.ts'
import { officialTask } from './official.ts'
import { conversionRefusals } from './refusals.ts'
import { conversionRoutes, operatorExchangeRoutes } from './routes.ts'
import { conversionQuoteTimeline, conversionTimeline } from './timeline.ts'
import { conversionChecks } from './verify.ts'

export const conversions = {
  routes: conversionRoutes,
  ofOperator: operatorExchangeRoutes,
  periodic: (app) => officialTask(app),
  checks: conversionChecks,
  events: conversionEvents,
  refusals: conversionRefusals,
  timelines: [conversionTimeline, conversionQuoteTimeline],
} satisfies Module
