import type { Room } from '../../core/module.ts'
import { inboundTasks } from './applying.ts'
import { sealedBodies } from './sql.ts'
import { inboundChecks } from './verify.ts'

export const inbound: Room = { tasks: inboundTasks, checks: inboundChecks, sealed: [sealedBodies] }
