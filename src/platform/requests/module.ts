import type { Room } from '../../core/module.ts'
import { personalRequests } from './personal.ts'
import { requestRoutes } from './routes.ts'
import { requestTimeline } from './timeline.ts'

export const requests: Room = { routes: requestRoutes, timelines: [requestTimeline], personal: [personalRequests] }
