import type { Module } from '../../core/module.ts'
import { depositEvents } from './events.ts'
import { providerTasks } from './provider.ts'
import { depositRefusals } from './refusals.ts'
import { depositRoutes, operatorDepositRoutes } from './routes.ts'
import { forgetOldCustomerDays } from './tiers.ts'
import { chainDepositTimeline } from './timeline.ts'
import { depositChecks } from './verify.ts'

export const deposits = {
  routes: depositRoutes,
  ofOperator: operatorDepositRoutes,
  tasks: providerTasks,
  periodic: ({ db, clock }) => [
    {
      name: 'forget old days of customers',
      everyMs: 3_600_000,
      run: () => forgetOldCustomerDays(db, clock.now()),
    },
  ],
  checks: depositChecks,
  events: depositEvents,
  refusals: depositRefusals,
  timelines: [chainDepositTimeline],
} satisfies Module
