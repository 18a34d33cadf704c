import type { Module } from '../../core/module.ts'
import { creditNoteRoutes } from './routes.ts'
import { creditNoteTimeline } from './timeline.ts'
import { creditNoteChecks } from './verify.ts'

export const creditNotes = {
  routes: creditNoteRoutes,
  checks: creditNoteChecks,
  timelines: [creditNoteTimeline],
} satisfies Module
