import type { Room } from '../../core/room.ts'
import { checkoutRefusals } from './refusals.ts'
import { checkoutRoutes } from './routes.ts'

export const checkout: Room = { routes: checkoutRoutes, refusals: checkoutRefusals }
