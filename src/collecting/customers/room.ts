import type { Room } from '../../core/room.ts'
import { customerRefusals } from './refusals.ts'
import { customerRoutes } from './routes.ts'

export const customers: Room = { routes: customerRoutes, refusals: customerRefusals }
