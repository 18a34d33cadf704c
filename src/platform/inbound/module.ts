import type { Module } from '../../core/module.ts'
import { inboundTasks } from './applying.ts'
import { deleteOldEvents } from './replay.ts'
import { sealedBodies } from './sql.ts'
import { sweepTasks } from './sweeping.ts'
import { inboundChecks } from './verify.ts'

export const inbound = {
  tasks: inboundTasks,
  periodic: (app) => [
    ...sweepTasks(app),
    { name: 'forget old events of providers', everyMs: 600_000, run: () => deleteOldEvents(app) },
  ],
  checks: inboundChecks,
  sealed: [sealedBodies],
} satisfies Module
