import type { Module } from '../../core/module.ts'
import { bankStatementRefusals } from './refusals.ts'
import { bankStatementRoutes } from './routes.ts'

export const bankStatements = {
  routes: bankStatementRoutes,
  refusals: bankStatementRefusals,
} satisfies Module
