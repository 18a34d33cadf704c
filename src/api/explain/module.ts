import type { Room } from '../../core/module.ts'
import type { TimelineSource } from '../../core/timeline.ts'
import { explainRoutes } from './routes.ts'

/** @param timelines how the records of all rooms are told of */
export const explanations = (timelines: TimelineSource[]): Room => ({ routes: explainRoutes(timelines) })
