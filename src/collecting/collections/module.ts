import type { Module } from '../../core/module.ts'
import { collectionEvents } from './events.ts'
import { collectionRefusals } from './refusals.ts'
import { collectionRoutes } from './routes.ts'
import { collectionTimeline } from './timeline.ts'
import { collectionChecks } from './verify.ts'

export const collections = {
  routes: collectionRoutes,
  checks: collectionChecks,
  events: collectionEvents,
  refusals: collectionRefusals,
  timelines: [collectionTimeline],
} satisfies Module
