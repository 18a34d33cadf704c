import type { Room } from '../../core/module.ts'
import { clockRoutes } from './routes.ts'

export const clock: Room = { routes: clockRoutes }
