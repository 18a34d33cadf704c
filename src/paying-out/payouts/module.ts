import type { Module } from '../../core/module.ts'
import { payoutEvents } from './events.ts'
import { payoutRefusals } from './refusals.ts'
import { payoutRoutes } from './routes.ts'
import { openPayouts, payoutTasks } from './settlement.ts'
import { payoutTimeline, quoteTimeline } from './timeline.ts'
import { payoutChecks } from './verify.ts'

export const payouts = {
  routes: payoutRoutes,
  tasks: payoutTasks,
  openOrders: openPayouts,
  checks: payoutChecks,
  events: payoutEvents,
  refusals: payoutRefusals,
  timelines: [payoutTimeline, quoteTimeline],
} satisfies Module
