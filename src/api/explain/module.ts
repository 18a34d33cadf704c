import type { Module } from '../../core/module.ts'
import type { TimelineSource } from '../../core/timeline.ts'
import { explainRoutes } from './routes.ts'

/** @param timelines how the records of all modules are told of */
export const explanations = (timelines: TimelineSource[]) =>
  ({ routes: explainRoutes(timelines) }) satisfies Module
