import type { Room } from '../../core/room.ts'
import { distributionRefusals } from './refusals.ts'
import { distributionRoutes } from './routes.ts'
import { distributionTimeline, shareTimeline } from './timeline.ts'
import { distributionChecks } from './verify.ts'

export const distributions: Room = {
  routes: distributionRoutes,
  checks: distributionChecks,
  refusals: distributionRefusals,
  timelines: [distributionTimeline, shareTimeline],
}
