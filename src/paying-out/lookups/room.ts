import type { Room } from '../../core/room.ts'
import { lookupRefusals } from './refusals.ts'
import { lookupRoutes } from './routes.ts'

export const lookups: Room = { routes: lookupRoutes, refusals: lookupRefusals }
