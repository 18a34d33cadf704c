import type { Room } from '../../core/room.ts'
import { depositEvents } from './events.ts'
import { providerTasks } from './provider.ts'
import { depositRefusals } from './refusals.ts'
import { depositRoutes } from './routes.ts'
import { chainDepositStory } from './story.ts'
import { depositChecks } from './verify.ts'

export const deposits: Room = {
  routes: depositRoutes,
  tasks: providerTasks,
  checks: depositChecks,
  events: depositEvents,
  refusals: depositRefusals,
  stories: [chainDepositStory],
}
