import type { Room } from '../../core/room.ts'
import { productRefusals } from './refusals.ts'
import { productRoutes } from './routes.ts'
import { productStory } from './story.ts'

export const products: Room = { routes: productRoutes, refusals: productRefusals, stories: [productStory] }
