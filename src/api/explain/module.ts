import type { Module } from '../../core/module.ts'
import type { TimelineSource } from '../../core/timeline.ts'
import { explainRoutes } from './routes.ts'

/** @param timelines the timelines of all modules' records */
export const explanations = (timelines: TimelineSource[]) =>
  ({ routes: explainRoutes(timelines) }) satisfies Module
