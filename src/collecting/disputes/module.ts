import type { Module } from '../../core/module.ts'
import { disputeTasks } from './disputes.ts'
import { disputeEvents } from './events.ts'
import { personalDisputes } from './personal.ts'
import { disputeRefusals } from './refusals.ts'
import { disputeRoutes, operatorDisputeRoutes } from './routes.ts'
import { disputeTimeline } from './timeline.ts'
import { disputeChecks } from './verify.ts'

export const disputes = {
  routes: disputeRoutes,
  ofOperator: operatorDisputeRoutes,
  tasks: disputeTasks,
  checks: disputeChecks,
  events: disputeEvents,
  refusals: disputeRefusals,
  timelines: [disputeTimeline],
  personal: [personalDisputes],
} satisfies Module
