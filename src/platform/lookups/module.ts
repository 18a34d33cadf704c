import type { Room } from '../../core/module.ts'
import { lookupRefusals } from './refusals.ts'
import { lookupRoutes } from './routes.ts'

export const lookups: Room = { routes: lookupRoutes, refusals: lookupRefusals }
