import type { Module } from '../../core/module.ts'
import { payTask } from './batches.ts'
import { payChunk } from './paying.ts'
import { batchRefusals } from './refusals.ts'
import { batchRoutes } from './routes.ts'
import { batchTimeline } from './timeline.ts'
import { batchChecks } from './verify.ts'

export const batches = {
  routes: batchRoutes,
  tasks: { [payTask]: (ctx, payload) => payChunk(ctx, payload.batch_id as string) },
  checks: batchChecks,
  refusals: batchRefusals,
  timelines: [batchTimeline],
} satisfies Module
