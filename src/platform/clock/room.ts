import type { Room } from '../../core/room.ts'
import { clockRoutes } from './routes.ts'

export const clock: Room = { routes: clockRoutes }
