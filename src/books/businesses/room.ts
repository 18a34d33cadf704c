import type { Room } from '../../core/room.ts'
import { businessRoutes } from './routes.ts'

export const businesses: Room = { routes: businessRoutes }
