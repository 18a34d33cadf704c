import type { Room } from '../../core/room.ts'
import type { Story } from '../../core/story.ts'
import { explainRoutes } from './routes.ts'

/** @param stories how the records of all rooms are told of */
export const explanations = (stories: Story[]): Room => ({ routes: explainRoutes(stories) })
