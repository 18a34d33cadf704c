import type { Module } from '../../core/module.ts'
import { refundEvents } from './events.ts'
import { personalPayouts, personalRefunds } from './personal.ts'
import { refundRefusals } from './refusals.ts'
import { refundRoutes } from './routes.ts'
import { openRefunds, refundTasks } from './settlement.ts'
import { refundTimeline } from './timeline.ts'
import { refundChecks } from './verify.ts'

export const refunds = {
  routes: refundRoutes,
  tasks: refundTasks,
  openOrders: openRefunds,
  checks: refundChecks,
  events: refundEvents,
  refusals: refundRefusals,
  timelines: [refundTimeline],
  personal: [personalRefunds, personalPayouts],
} satisfies Module
