import type { Module } from '../../core/module.ts'
import { inboundTasks } from './applying.ts'
import { sealedBodies } from './sql.ts'
import { inboundChecks } from './verify.ts'

export const inbound = {
  tasks: inboundTasks,
  checks: inboundChecks,
  sealed: [sealedBodies],
} satisfies Module
