import type { Room } from '../../core/module.ts'
import { openReturns, returnTasks } from './returns.ts'
import { returnChecks } from './verify.ts'

export const returns: Room = { tasks: returnTasks, openOrders: openReturns, checks: returnChecks }
