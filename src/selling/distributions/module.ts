import type { Module } from '../../core/module.ts'
import { distributionEvents } from './events.ts'
import { distributionRefusals } from './refusals.ts'
import { distributionRoutes } from './routes.ts'
import { distributionTimeline, shareTimeline } from './timeline.ts'
import { distributionChecks } from './verify.ts'

export const distributions = {
  routes: distributionRoutes,
  checks: distributionChecks,
  events: distributionEvents,
  refusals: distributionRefusals,
  timelines: [distributionTimeline, shareTimeline],
} satisfies Module
