import type { Room } from '../../core/module.ts'
import { earningsRoutes, statementRoutes } from './routes.ts'
import { statementChecks } from './verify.ts'

export const statements: Room = {
  routes: statementRoutes,
  ofOperator: earningsRoutes,
  checks: statementChecks,
}
