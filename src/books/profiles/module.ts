import type { Room } from '../../core/module.ts'
import { profileRoutes } from './routes.ts'

export const profiles: Room = { routes: profileRoutes }
