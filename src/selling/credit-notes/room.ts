import type { Room } from '../../core/room.ts'
import { creditNoteRoutes } from './routes.ts'
import { creditNoteStory } from './story.ts'
import { creditNoteChecks } from './verify.ts'

export const creditNotes: Room = { routes: creditNoteRoutes, checks: creditNoteChecks, stories: [creditNoteStory] }
