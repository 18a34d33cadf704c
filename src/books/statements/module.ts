import type { Module } from '../../core/module.ts'
import { earningsRoutes, statementRoutes } from './routes.ts'
import { statementChecks } from './verify.ts'

export const statements = {
  routes: statementRoutes,
  ofOperator: earningsRoutes,
  checks: statementChecks,
} satisfies Module
