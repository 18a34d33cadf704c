import type { Room } from '../../core/module.ts'
import { operatorRefusals } from './refusals.ts'
import { operatorOperations, operatorRoutes } from './routes.ts'

export const operator: Room = {
  ofOperator: operatorRoutes,
  ofPeople: operatorOperations,
  refusals: operatorRefusals,
}
