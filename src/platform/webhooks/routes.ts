import { type Ctx, route } from '../../core/context.ts'
import type { Route, StreamRequest } from '../../core/route.ts'
import { oneByOne } from '../../db/batch.ts'
import { Page, Type } from '../../lib/schema.ts'
import { getDelivery, getEvent, listDeliveries, listEvents } from './log.ts'
import { recover, resend, sendSample } from './resending.ts'
import {
  CreateWebhook,
  DeliveryParams,
  DeliveryQuery,
  DeliveryRecord,
  EventParams,
  EventQuery,
  EventRecord,
  Recovered,
  RecoverWebhook,
  Resend,
  StreamedEvent,
  StreamQuery,
  TestWebhook,
  UpdateWebhook,
  WebhookParams,
  WebhookQuery,
  WebhookRecord,
  WebhookWithSecretRecord,
} from './schema.ts'
import { streamEvents } from './stream.ts'
import { deleteWebhook, getWebhook, listWebhooks, prepareWebhook, rollSecret, updateWebhook } from './webhooks.ts'

const endpointRoutes: Route<Ctx>[] = [
  route({
    method: 'POST',
    path: '/webhooks',
    tag: 'Webhooks',
    summary: 'Register a webhook endpoint',
    description: 'The answer shows the signing secret; no later one does. At most 20 endpoints per business and mode.',
    status: 201,
    schema: { body: CreateWebhook, data: WebhookWithSecretRecord },
    batch: {
      message: 'Webhook endpoint registered',
      prepare: (ctx, { body }) => prepareWebhook(ctx, body),
      run: oneByOne,
    },
  }),
  route({
    method: 'GET',
    path: '/webhooks',
    tag: 'Webhooks',
    summary: 'List webhook endpoints',
    description: 'Newest first.',
    schema: { query: WebhookQuery, data: Page(WebhookRecord) },
    handler: async (ctx, { query }) => ({ message: 'Webhook endpoints', data: await listWebhooks(ctx, query) }),
  }),
  route({
    method: 'GET',
    path: '/webhooks/{id}',
    tag: 'Webhooks',
    summary: 'Get a webhook endpoint',
    schema: { params: WebhookParams, data: WebhookRecord },
    handler: async (ctx, { params }) => ({ message: 'Webhook endpoint', data: await getWebhook(ctx, params.id) }),
  }),
  route({
    method: 'PUT',
    path: '/webhooks/{id}',
    tag: 'Webhooks',
    summary: 'Change a webhook endpoint',
    description: 'Fields that are left out stay as they are. Pending deliveries follow a new URL.',
    schema: { params: WebhookParams, body: UpdateWebhook, data: WebhookRecord },
    handler: async (ctx, { params, body }) => ({
      message: 'Webhook endpoint changed',
      data: await updateWebhook(ctx, params.id, body),
    }),
  }),
  route({
    method: 'DELETE',
    path: '/webhooks/{id}',
    tag: 'Webhooks',
    summary: 'Delete a webhook endpoint',
    description: 'Nothing more is sent to it: what is pending fails. Its delivery log stays.',
    schema: { params: WebhookParams, data: Type.Null() },
    handler: async (ctx, { params }) => {
      await deleteWebhook(ctx, params.id)
      return { message: 'Webhook endpoint deleted', data: null }
    },
  }),
  route({
    method: 'POST',
    path: '/webhooks/{id}/roll-secret',
    tag: 'Webhooks',
    summary: 'Give a webhook endpoint a new secret',
    description:
      'The answer shows the new secret, which signs `X-Signature` from now on. For 24 hours the old one signs `X-Signature-Previous`.',
    schema: { params: WebhookParams, data: WebhookWithSecretRecord },
    handler: async (ctx, { params }) => ({ message: 'Webhook secret rolled', data: await rollSecret(ctx, params.id) }),
  }),
  route({
    method: 'POST',
    path: '/webhooks/{id}/test',
    tag: 'Webhooks',
    summary: 'Send a sample event to a webhook endpoint',
    description:
      'The payload is that of your newest event of the type, or a made-up record where there is none, with `test: true` added. Other endpoints do not get it; GET /events and the stream show it.',
    schema: { params: WebhookParams, body: TestWebhook, data: DeliveryRecord },
    handler: async (ctx, { params, body }) => ({
      message: 'Sample event queued',
      data: await sendSample(ctx, params.id, body.type),
    }),
  }),
  route({
    method: 'POST',
    path: '/webhooks/{id}/recover',
    tag: 'Webhooks',
    summary: 'Send failed deliveries again',
    description: 'Every failed delivery of this endpoint that was created at `since` or after gets all its tries anew.',
    schema: { params: WebhookParams, body: RecoverWebhook, data: Recovered },
    handler: async (ctx, { params, body }) => ({
      message: 'Deliveries queued',
      data: await recover(ctx, params.id, body.since),
    }),
  }),
]

const logRoutes: Route<Ctx>[] = [
  route({
    method: 'GET',
    path: '/webhooks/events',
    tag: 'Webhooks',
    summary: 'List webhook deliveries',
    description: 'The delivery log, newest first: one entry per event and endpoint, with every try.',
    schema: { query: DeliveryQuery, data: Page(DeliveryRecord) },
    handler: async (ctx, { query }) => ({ message: 'Webhook deliveries', data: await listDeliveries(ctx, query) }),
  }),
  route({
    method: 'GET',
    path: '/webhooks/events/{id}',
    tag: 'Webhooks',
    summary: 'Get a webhook delivery',
    schema: { params: DeliveryParams, data: DeliveryRecord },
    handler: async (ctx, { params }) => ({ message: 'Webhook delivery', data: await getDelivery(ctx, params.id) }),
  }),
  route({
    method: 'POST',
    path: '/webhooks/events/resend',
    tag: 'Webhooks',
    summary: 'Send an event again',
    description:
      'At once, with the same bytes, whatever the endpoint subscribes to. A failure is retried as the first time.',
    schema: { body: Resend, data: DeliveryRecord },
    handler: async (ctx, { body }) => ({
      message: 'Event queued',
      data: await resend(ctx, body.event_id, body.webhook_id),
    }),
  }),
  route({
    method: 'GET',
    path: '/events',
    tag: 'Events',
    summary: 'List events',
    description: 'Newest first, delivered or not.',
    schema: { query: EventQuery, data: Page(EventRecord) },
    handler: async (ctx, { query }) => ({ message: 'Events', data: await listEvents(ctx, query) }),
  }),
  route({
    method: 'GET',
    path: '/events/stream',
    tag: 'Events',
    summary: 'Follow events as they happen',
    description:
      'Server-sent events, for local development: what commits from now on, or after `Last-Event-ID` (or `after`), with nothing missed. `data` is the body that webhooks get, `id` the place to go on from. An event that is resent comes again. At most 10 streams a key.',
    stream: true,
    schema: { query: StreamQuery, data: StreamedEvent },
    handler: async (ctx, { query }, request) => ({
      message: 'Events',
      data: (await streamEvents(ctx, query.after, request as StreamRequest)) as never,
    }),
  }),
  route({
    method: 'GET',
    path: '/events/{id}',
    tag: 'Events',
    summary: 'Get an event',
    schema: { params: EventParams, data: EventRecord },
    handler: async (ctx, { params }) => ({ message: 'Event', data: await getEvent(ctx, params.id) }),
  }),
]

export const webhookRoutes: Route<Ctx>[] = [...endpointRoutes, ...logRoutes]
