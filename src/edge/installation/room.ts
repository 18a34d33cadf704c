import type { Room } from '../../core/room.ts'
import { installationRoutes } from './routes.ts'
import { verificationTasks } from './verifications.ts'

export const installation: Room = { ofOperator: installationRoutes, tasks: verificationTasks }
