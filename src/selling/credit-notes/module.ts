import type { Room } from '../../core/module.ts'
import { creditNoteRoutes } from './routes.ts'
import { creditNoteTimeline } from './timeline.ts'
import { creditNoteChecks } from './verify.ts'

export const creditNotes: Room = { routes: creditNoteRoutes, checks: creditNoteChecks, timelines: [creditNoteTimeline] }
