import type { Module } from '../../core/module.ts'
import { keyOperations } from './key-operations.ts'
import { auditOperations, businessRoutes } from './routes.ts'
import { auditTimeline, businessTimeline, keyTimeline } from './timeline.ts'

export const businesses = {
  routes: businessRoutes,
  ofPeople: { ...keyOperations, ...auditOperations },
  timelines: [businessTimeline, keyTimeline, auditTimeline],
} satisfies Module
