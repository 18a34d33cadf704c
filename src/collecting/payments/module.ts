import type { Module } from '../../core/module.ts'
import { paymentEvents } from './events.ts'
import { paymentTasks } from './payments.ts'
import { forgetPayersTask, personalPayments } from './personal.ts'
import { paymentRefusals } from './refusals.ts'
import { paymentRoutes } from './routes.ts'
import { attemptTimeline, paymentTimeline } from './timeline.ts'
import { paymentChecks } from './verify.ts'

export const payments = {
  routes: paymentRoutes,
  tasks: paymentTasks,
  periodic: (app) => [forgetPayersTask(app)],
  checks: paymentChecks,
  events: paymentEvents,
  refusals: paymentRefusals,
  timelines: [attemptTimeline, paymentTimeline],
  personal: [personalPayments],
} satisfies Module
