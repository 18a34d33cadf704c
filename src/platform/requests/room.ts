import type { Room } from '../../core/room.ts'
import { requestRoutes } from './routes.ts'

export const requests: Room = { routes: requestRoutes }
