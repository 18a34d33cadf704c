import type { Module } from '../../core/module.ts'
import { incidentTimeline } from './timeline.ts'

export const incidents = { timelines: [incidentTimeline] } satisfies Module
