import type { Room } from '../../core/room.ts'
import { personalRequests } from './personal.ts'
import { requestRoutes } from './routes.ts'
import { requestTimeline } from './timeline.ts'

export const requests: Room = { routes: requestRoutes, timelines: [requestTimeline], personal: [personalRequests] }
