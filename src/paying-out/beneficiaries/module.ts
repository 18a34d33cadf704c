import type { Module } from '../../core/module.ts'
import { beneficiaryOperations } from './confirming.ts'
import { beneficiaryRefusals } from './refusals.ts'
import { beneficiaryRoutes } from './routes.ts'
import { beneficiaryTimeline } from './timeline.ts'

export const beneficiaries = {
  routes: beneficiaryRoutes,
  ofPeople: beneficiaryOperations,
  refusals: beneficiaryRefusals,
  timelines: [beneficiaryTimeline],
} satisfies Module
