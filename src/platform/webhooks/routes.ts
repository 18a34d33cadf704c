import type { EventDeclarations } from '../../core/module.ts'
import { named, routesOf, type StreamRequest } from '../../core/route.ts'
import { Page } from '../../lib/schema.ts'
import { getDelivery, getEvent, listDeliveries, listEvents } from './log.ts'
import { webhookRefusals } from './refusals.ts'
import { recover, resend, sendSample } from './resending.ts'
import {
  DeliveryParams,
  EventParams,
  Recovered,
  RecoverWebhook,
  Resend,
  StreamQuery,
  WebhookParams,
  WebhookQuery,
  webhookSchemas,
} from './schema.ts'
import { streamEvents } from './stream.ts'
import {
  createWebhook,
  deleteWebhook,
  getWebhook,
  listWebhooks,
  prepareChange,
  prepareWebhook,
  rollSecret,
  updateWebhook,
} from './webhooks.ts'

const ofWebhooks = routesOf('Webhooks', webhookRefusals)
const ofEvents = routesOf('Events', webhookRefusals)

type Schemas = ReturnType<typeof webhookSchemas>

const endpointRoutes = (schemas: Schemas) => ({
  createWebhook: ofWebhooks.post('/webhooks', {
    scope: 'manage',
    givesPower: true,
    summary: 'Register a webhook endpoint',
    description:
      'The answer shows the signing secret; no later one does. A name that cannot be resolved yet is a warning. At most 20 endpoints per business and mode.',
    status: 201,
    once: ['secret', 'standard_secret'],
    example: {
      url: 'https://shop.example/hooks',
      events: ['payment.completed', 'payout.completed'],
      description: 'The shop',
    },
    schema: { body: schemas.CreateWebhook, data: schemas.WebhookWithSecretRecord },
    refuses: ['forbidden_target', 'too_many_webhooks'],
    message: 'Webhook endpoint registered',
    prepare: (ctx, { body }) => prepareWebhook(ctx, body),
    run: createWebhook,
  }),
  listWebhooks: ofWebhooks.get('/webhooks', {
    scope: 'read',
    summary: 'List webhook endpoints',
    description: 'Newest first.',
    schema: { query: WebhookQuery, data: Page(schemas.WebhookRecord) },
    message: 'Webhook endpoints',
    read: (ctx, { query }) => listWebhooks(ctx, query),
  }),
  getWebhook: ofWebhooks.get('/webhooks/{id}', {
    scope: 'read',
    summary: 'Get a webhook endpoint',
    description: 'Without its secret, which only its creation and a roll show.',
    schema: { params: WebhookParams, data: schemas.WebhookRecord },
    message: 'Webhook endpoint',
    read: (ctx, { params }) => getWebhook(ctx, params.id),
  }),
  updateWebhook: ofWebhooks.put('/webhooks/{id}', {
    scope: 'manage',
    summary: 'Change a webhook endpoint',
    description: 'Fields that are left out stay as they are. Pending deliveries follow a new URL.',
    example: { events: ['*'], active: true },
    schema: {
      params: WebhookParams,
      body: schemas.UpdateWebhook,
      data: schemas.WebhookWithWarningsRecord,
    },
    refuses: ['forbidden_target'],
    message: 'Webhook endpoint changed',
    prepare: (ctx, { params, body }) => prepareChange(ctx, { id: params.id, input: body }),
    run: updateWebhook,
  }),
  deleteWebhook: ofWebhooks.delete('/webhooks/{id}', {
    scope: 'manage',
    summary: 'Delete a webhook endpoint',
    description:
      'Nothing more is sent to it: what is pending fails. Its delivery log stays. The answer is the endpoint as it was last.',
    schema: { params: WebhookParams, data: schemas.WebhookRecord },
    message: 'Webhook endpoint deleted',
    run: (work, { params }) => deleteWebhook(work, params.id),
  }),
})

/** Actions on an endpoint. */
const actRoutes = (events: EventDeclarations, schemas: Schemas) => ({
  rollWebhookSecret: ofWebhooks.post('/webhooks/{id}/roll-secret', {
    scope: 'manage',
    givesPower: true,
    summary: 'Give a webhook endpoint a new secret',
    description:
      'The answer shows the new secret, which signs `X-Signature` from now on. For 24 hours the old one signs `X-Signature-Previous`, and `webhook-signature` has the signatures of both.',
    once: ['secret', 'standard_secret'],
    schema: { params: WebhookParams, data: schemas.WebhookWithSecretRecord },
    message: 'Webhook secret rolled',
    run: (work, { params }) => rollSecret(work, params.id),
  }),
  testWebhook: ofWebhooks.post('/webhooks/{id}/test', {
    scope: 'manage',
    summary: 'Send a sample event to a webhook endpoint',
    description:
      'The payload is that of your newest event of the type, or a made-up record where there is none, with `test: true` added; the header `X-Event-Sample: true` says so too. Other endpoints do not get it, and only the delivery log shows it: it is no event.',
    example: { type: 'payout.completed' },
    schema: { params: WebhookParams, body: schemas.TestWebhook, data: schemas.DeliveryRecord },
    refuses: ['webhook_inactive'],
    message: 'Sample event queued',
    run: (work, { params, body }) => sendSample(work, events, params.id, body.type),
  }),
  recoverWebhook: ofWebhooks.post('/webhooks/{id}/recover', {
    scope: 'manage',
    summary: 'Send failed deliveries again',
    description:
      'Resends every failed delivery of this endpoint that was created at `since` or later. Each gets all its tries again.',
    example: { since: '2026-11-21T09:30:00Z' },
    schema: { params: WebhookParams, body: RecoverWebhook, data: Recovered },
    refuses: ['webhook_inactive'],
    message: 'Deliveries queued',
    run: (work, { params, body }) => recover(work, params.id, body.since),
  }),
})

const logRoutes = ({
  DeliveryQuery,
  DeliveryRecord,
  EventQuery,
  EventRecord,
  StreamedEvent,
}: Schemas) => ({
  listWebhookDeliveries: ofWebhooks.get('/webhooks/events', {
    scope: 'read',
    summary: 'List webhook deliveries',
    description:
      'The delivery log, newest first: one entry per event and endpoint, with every try.',
    schema: { query: DeliveryQuery, data: Page(DeliveryRecord) },
    message: 'Webhook deliveries',
    read: (ctx, { query }) => listDeliveries(ctx, query),
  }),
  getWebhookDelivery: ofWebhooks.get('/webhooks/events/{id}', {
    scope: 'read',
    summary: 'Get a webhook delivery',
    description: 'With its latest tries, and when the next is due.',
    schema: { params: DeliveryParams, data: DeliveryRecord },
    message: 'Webhook delivery',
    read: (ctx, { params }) => getDelivery(ctx, params.id),
  }),
  resendEvent: ofWebhooks.post('/webhooks/events/resend', {
    scope: 'manage',
    summary: 'Send an event again',
    description:
      'At once, with the same bytes, whatever the endpoint subscribes to. A failure is retried as the first time.',
    example: { event_id: '6925f3a1c0ffee00c0ffee01', webhook_id: '6925f3a1c0ffee00c0ffee01' },
    schema: { body: Resend, data: DeliveryRecord },
    refuses: ['not_found', 'webhook_inactive'],
    message: 'Event queued',
    run: (work, { body }) => resend(work, body.event_id, body.webhook_id),
  }),
  listEvents: ofEvents.get('/events', {
    scope: 'read',
    summary: 'List events',
    description: 'Newest first, delivered or not.',
    schema: { query: EventQuery, data: Page(EventRecord) },
    message: 'Events',
    read: (ctx, { query }) => listEvents(ctx, query),
  }),
  streamEvents: ofEvents.get('/events/stream', {
    scope: 'read',
    summary: 'Follow events as they happen',
    description:
      'Server-sent events, for local development: what commits from now on, or after `Last-Event-ID` (or `after`), with nothing missed. `data` is the body that webhooks get, `id` the place to go on from. An event that is resent comes again. At most 10 streams a key and 250 a business.',
    stream: true,
    schema: { query: StreamQuery, data: StreamedEvent },
    refuses: ['too_many_streams'],
    message: 'Events',
    read: async (ctx, { query }, request) =>
      (await streamEvents(ctx, query.after, request as StreamRequest)) as never,
  }),
  getEvent: ofEvents.get('/events/{id}', {
    scope: 'read',
    summary: 'Get an event',
    description: 'What was, or would have been, sent to endpoints.',
    schema: { params: EventParams, data: EventRecord },
    message: 'Event',
    read: (ctx, { params }) => getEvent(ctx, params.id),
  }),
})

/** @param events the event types that endpoints can subscribe to */
export function webhookRoutes(events: EventDeclarations) {
  const schemas = webhookSchemas(Object.keys(events))
  return named({ ...endpointRoutes(schemas), ...actRoutes(events, schemas), ...logRoutes(schemas) })
}
