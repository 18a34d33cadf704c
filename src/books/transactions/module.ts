import type { Module } from '../../core/module.ts'
import { personalTransactions } from './personal.ts'
import { transactionRoutes } from './routes.ts'
import { transactionTimeline } from './timeline.ts'
import { transactionChecks } from './verify.ts'

export const transactions = {
  routes: transactionRoutes,
  checks: transactionChecks,
  timelines: [transactionTimeline],
  personal: [personalTransactions],
} satisfies Module
