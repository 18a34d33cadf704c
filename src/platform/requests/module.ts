import type { Module } from '../../core/module.ts'
import { personalRequests } from './personal.ts'
import { requestRoutes } from './routes.ts'
import { requestTimeline } from './timeline.ts'

export const requests = {
  routes: requestRoutes,
  timelines: [requestTimeline],
  personal: [personalRequests],
} satisfies Module
