import type { Room } from '../../core/room.ts'
import { sealedNumbers } from './documents.ts'
import { customerRefusals } from './refusals.ts'
import { customerRoutes } from './routes.ts'

export const customers: Room = { routes: customerRoutes, refusals: customerRefusals, sealed: [sealedNumbers] }
