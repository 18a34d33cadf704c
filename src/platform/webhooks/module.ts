import type { EventDeclarations, Module } from '../../core/module.ts'
import { personalEvents } from './personal.ts'
import { webhookRefusals } from './refusals.ts'
import { webhookRoutes } from './routes.ts'
import { sealedSecrets } from './sql.ts'
import { deliveryTimeline, eventTimeline, webhookTimeline } from './timeline.ts'
import { webhookChecks } from './verify.ts'

/** @param events the catalogue of event types that endpoints can subscribe to */
export function webhooks(events: EventDeclarations) {
  return {
    routes: webhookRoutes(events),
    checks: webhookChecks,
    refusals: webhookRefusals,
    sealed: sealedSecrets,
    timelines: [eventTimeline, deliveryTimeline, webhookTimeline],
    personal: [personalEvents],
  } satisfies Module
}
