import type { Room } from '../../core/module.ts'
import { incidentTimeline } from './timeline.ts'

export const incidents: Room = { timelines: [incidentTimeline] }
