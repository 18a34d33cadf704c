import type { Module } from '../../core/module.ts'
import { foldPostingsOf } from './moved.ts'
import { earningsRoutes, statementRoutes } from './routes.ts'
import { statementChecks } from './verify.ts'

export const statements = {
  routes: statementRoutes,
  ofOperator: earningsRoutes,
  periodic: ({ db }) => [
    { name: 'fold postings', everyMs: 5_000, run: async () => void (await foldPostingsOf(db)) },
  ],
  checks: statementChecks,
} satisfies Module
