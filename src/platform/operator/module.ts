import type { Module } from '../../core/module.ts'
import { operatorRefusals } from './refusals.ts'
import { operatorOperations, operatorRoutes } from './routes.ts'

export const operator = {
  ofOperator: operatorRoutes,
  ofPeople: operatorOperations,
  refusals: operatorRefusals,
} satisfies Module
