import type { Room } from '../../core/room.ts'
import { accountRefusals } from './refusals.ts'
import { accountRoutes } from './routes.ts'
import { accountTasks } from './virtual-accounts.ts'

export const virtualAccounts: Room = { routes: accountRoutes, tasks: accountTasks, refusals: accountRefusals }
