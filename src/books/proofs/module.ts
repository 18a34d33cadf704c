import type { Module } from '../../core/module.ts'
import { proofRefusals } from './refusals.ts'
import { receiptRoutes } from './routes.ts'
import { sealingTask } from './sealing.ts'

export const proofs = {
  routes: receiptRoutes,
  periodic: (app) => [sealingTask(app)],
  refusals: proofRefusals,
} satisfies Module
