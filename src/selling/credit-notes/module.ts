import type { Module } from '../../core/module.ts'
import { mailTasks } from './mailing.ts'
import { creditNoteRefusals } from './refusals.ts'
import { creditNoteRoutes } from './routes.ts'
import { creditNoteTimeline } from './timeline.ts'
import { creditNoteChecks } from './verify.ts'

export const creditNotes = {
  routes: creditNoteRoutes,
  slowTasks: mailTasks,
  refusals: creditNoteRefusals,
  checks: creditNoteChecks,
  timelines: [creditNoteTimeline],
} satisfies Module
