import type { Module } from '../../core/module.ts'
import { accountEvents } from './events.ts'
import { personalAccounts } from './personal.ts'
import { accountRefusals } from './refusals.ts'
import { accountRoutes } from './routes.ts'
import { accountTimeline } from './timeline.ts'
import { accountChecks } from './verify.ts'
import { accountTasks } from './virtual-accounts.ts'

export const virtualAccounts = {
  routes: accountRoutes,
  tasks: accountTasks,
  checks: accountChecks,
  events: accountEvents,
  refusals: accountRefusals,
  timelines: [accountTimeline],
  personal: [personalAccounts],
} satisfies Module
