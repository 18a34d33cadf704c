import type { Room } from '../../core/room.ts'
import { requestRoutes } from './routes.ts'
import { requestStory } from './story.ts'

export const requests: Room = { routes: requestRoutes, stories: [requestStory] }
