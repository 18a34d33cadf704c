import type { Room } from '../../core/room.ts'
import { limitRefusals } from './refusals.ts'
import { limitRoutes, operatorLimitRoutes } from './routes.ts'
import { limitChecks } from './verify.ts'

export const limits: Room = {
  routes: limitRoutes,
  ofOperator: operatorLimitRoutes,
  checks: limitChecks,
  refusals: limitRefusals,
}
