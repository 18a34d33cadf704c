import type { Room } from '../../core/room.ts'
import { profileRoutes } from './routes.ts'

export const profiles: Room = { routes: profileRoutes }
