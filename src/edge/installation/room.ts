import type { Room } from '../../core/room.ts'
import { installationRoutes } from './routes.ts'

export const installation: Room = { ofOperator: installationRoutes }
