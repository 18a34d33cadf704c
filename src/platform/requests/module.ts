import type { Module } from '../../core/module.ts'
import { personalRequests } from './personal.ts'
import { forgetOldRequests } from './requests.ts'
import { requestRoutes } from './routes.ts'
import { requestTimeline } from './timeline.ts'

export const requests = {
  routes: requestRoutes,
  periodic: (app) => [
    { name: 'forget old requests', everyMs: 60_000, run: () => forgetOldRequests(app) },
  ],
  timelines: [requestTimeline],
  personal: [personalRequests],
} satisfies Module
