import type { Room } from '../../core/room.ts'
import { incidentTimeline } from './timeline.ts'

export const incidents: Room = { timelines: [incidentTimeline] }
