import type { Room } from '../../core/room.ts'
import { cryptoRefusals } from './refusals.ts'
import { cryptoRoutes } from './routes.ts'
import { cryptoWalletStory } from './story.ts'

export const crypto: Room = { routes: cryptoRoutes, refusals: cryptoRefusals, stories: [cryptoWalletStory] }
