import type { Room } from '../../core/module.ts'
import { installationRoutes } from './routes.ts'
import { verificationTasks } from './verifications.ts'

export const installation: Room = { ofOperator: installationRoutes, tasks: verificationTasks }
