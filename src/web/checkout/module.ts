import type { Room } from '../../core/module.ts'
import { checkoutRefusals } from './refusals.ts'
import { checkoutRoutes } from './routes.ts'

export const checkout: Room = { routes: checkoutRoutes, refusals: checkoutRefusals }
