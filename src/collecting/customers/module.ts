import type { Module } from '../../core/module.ts'
import { sealedAccounts, sealedNumbers } from './documents.ts'
import { erasureTasks, forgetDeletedTask, forgetErasedTask } from './erasing.ts'
import { documentEvents, erasureEvents } from './events.ts'
import { customerRefusals } from './refusals.ts'
import { customerRoutes, reviewRoutes } from './routes.ts'
import { customerTimeline } from './timeline.ts'
import { documentTasks } from './verification.ts'
import { customerChecks } from './verify.ts'

export const customers = {
  routes: customerRoutes,
  ofOperator: reviewRoutes,
  tasks: { ...documentTasks, ...erasureTasks },
  periodic: (app) => [forgetErasedTask(app), forgetDeletedTask(app)],
  checks: customerChecks,
  sealed: [sealedNumbers, sealedAccounts],
  events: { ...documentEvents, ...erasureEvents },
  refusals: customerRefusals,
  timelines: [customerTimeline],
} satisfies Module
