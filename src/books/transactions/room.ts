import type { Room } from '../../core/room.ts'
import { transactionRoutes } from './routes.ts'
import { transactionStory } from './story.ts'
import { transactionChecks } from './verify.ts'

export const transactions: Room = { routes: transactionRoutes, checks: transactionChecks, stories: [transactionStory] }
