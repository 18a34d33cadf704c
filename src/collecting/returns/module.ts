import type { Module } from '../../core/module.ts'
import { openReturns, returnTasks } from './returns.ts'
import { returnChecks } from './verify.ts'

export const returns = {
  tasks: returnTasks,
  openOrders: openReturns,
  checks: returnChecks,
} satisfies Module
