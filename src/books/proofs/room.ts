import type { Room } from '../../core/room.ts'
import { proofRefusals } from './refusals.ts'
import { receiptRoutes } from './routes.ts'

export const proofs: Room = { routes: receiptRoutes, refusals: proofRefusals }
