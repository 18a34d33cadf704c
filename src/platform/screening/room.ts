import type { Room } from '../../core/room.ts'
import { screeningRefusals } from './refusals.ts'
import { screeningRoutes } from './routes.ts'

export const screening: Room = { ofOperator: screeningRoutes, refusals: screeningRefusals }
