import type { Room } from '../../core/module.ts'
import { proofRefusals } from './refusals.ts'
import { receiptRoutes } from './routes.ts'

export const proofs: Room = { routes: receiptRoutes, refusals: proofRefusals }
