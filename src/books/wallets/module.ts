import type { Module } from '../../core/module.ts'
import { walletRefusals } from './refusals.ts'
import { walletRoutes } from './routes.ts'
import { walletTimeline } from './timeline.ts'
import { walletChecks } from './verify.ts'

export const wallets = {
  routes: walletRoutes,
  checks: walletChecks,
  refusals: walletRefusals,
  timelines: [walletTimeline],
} satisfies Module
