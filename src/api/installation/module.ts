import type { Module } from '../../core/module.ts'
import { installationRoutes } from './routes.ts'
import { verificationTasks } from './verifications.ts'

export const installation = {
  ofOperator: installationRoutes,
  tasks: verificationTasks,
} satisfies Module
