import type { Module } from '../../core/module.ts'
import { depositEvents } from './events.ts'
import { providerTasks } from './provider.ts'
import { depositRefusals } from './refusals.ts'
import { depositRoutes, operatorDepositRoutes } from './routes.ts'
import { chainDepositTimeline } from './timeline.ts'
import { depositChecks } from './verify.ts'

export const deposits = {
  routes: depositRoutes,
  ofOperator: operatorDepositRoutes,
  tasks: providerTasks,
  checks: depositChecks,
  events: depositEvents,
  refusals: depositRefusals,
  timelines: [chainDepositTimeline],
} satisfies Module
