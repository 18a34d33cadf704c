import type { Room } from '../../core/room.ts'
import { statementRoutes } from './routes.ts'

export const statements: Room = { routes: statementRoutes }
