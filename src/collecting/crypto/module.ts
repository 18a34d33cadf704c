import type { Module } from '../../core/module.ts'
import { personalWallets } from './personal.ts'
import { cryptoRefusals } from './refusals.ts'
import { cryptoRoutes } from './routes.ts'
import { cryptoWalletTimeline } from './timeline.ts'
import { cryptoChecks } from './verify.ts'

export const crypto = {
  routes: cryptoRoutes,
  checks: cryptoChecks,
  refusals: cryptoRefusals,
  timelines: [cryptoWalletTimeline],
  personal: [personalWallets],
} satisfies Module
