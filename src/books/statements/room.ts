import type { Room } from '../../core/room.ts'
import { earningsRoutes, statementRoutes } from './routes.ts'

export const statements: Room = { routes: statementRoutes, ofOperator: earningsRoutes }
