import type { Module } from '../../core/module.ts'
import { looseningTask } from '../../platform/team/team.ts'
import { limitRefusals } from './refusals.ts'
import { limitRoutes, operatorLimitRoutes } from './routes.ts'
import { forgetOldDays } from './rules.ts'
import { loosen } from './settings.ts'
import { limitChecks } from './verify.ts'

export const limits = {
  routes: limitRoutes,
  ofOperator: operatorLimitRoutes,
  tasks: {
    [looseningTask('limits')]: (ctx, { loosening_id: id }) => ctx.write((work) => loosen(work, id)),
  },
  periodic: ({ db, clock }) => [
    {
      name: 'forget old days of limits',
      everyMs: 3_600_000,
      run: () => forgetOldDays(db, clock.now()),
    },
  ],
  checks: limitChecks,
  refusals: limitRefusals,
} satisfies Module
