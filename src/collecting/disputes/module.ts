import type { Module } from '../../core/module.ts'
import { answerTasks } from './answering.ts'
import { disputeTasks } from './disputes.ts'
import { disputeEvents } from './events.ts'
import {
  forgetEvidenceTask,
  personalDisputes,
  personalEvidence,
  personalFiles,
} from './personal.ts'
import { disputeRefusals } from './refusals.ts'
import { disputeRoutes, operatorDisputeRoutes } from './routes.ts'
import { sealedFiles, sealedTexts } from './sql.ts'
import { disputeTimeline } from './timeline.ts'
import { disputeChecks } from './verify.ts'

export const disputes = {
  routes: disputeRoutes,
  ofOperator: operatorDisputeRoutes,
  tasks: { ...disputeTasks, ...answerTasks },
  periodic: (app) => [forgetEvidenceTask(app)],
  checks: disputeChecks,
  sealed: [sealedTexts, sealedFiles],
  events: disputeEvents,
  refusals: disputeRefusals,
  timelines: [disputeTimeline],
  personal: [personalDisputes, personalEvidence, personalFiles],
} satisfies Module
