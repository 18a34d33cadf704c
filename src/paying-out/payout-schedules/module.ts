import type { Module } from '../../core/module.ts'
import { scheduleRefusals } from './refusals.ts'
import { scheduleRoutes } from './routes.ts'
import { scheduleTasks } from './running.ts'
import { runTimeline, scheduleTimeline } from './timeline.ts'
import { scheduleChecks } from './verify.ts'

export const payoutSchedules = {
  routes: scheduleRoutes,
  tasks: scheduleTasks,
  checks: scheduleChecks,
  refusals: scheduleRefusals,
  timelines: [scheduleTimeline, runTimeline],
} satisfies Module
