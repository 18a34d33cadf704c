import type { Module } from '../../core/module.ts'
import { proofRefusals } from './refusals.ts'
import { receiptRoutes } from './routes.ts'

export const proofs = { routes: receiptRoutes, refusals: proofRefusals } satisfies Module
