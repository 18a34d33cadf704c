/**
 * Requests and records. Those with event types are built from the catalogue of event types that
 * higher modules declare.
 */
import * as s from '../../lib/schema.ts'

// Endpoints
// -------------------------------------------------------------------------------------------------

const Url = s.Documented(
  s.Text(1, 2_000, {
    format: 'uri',
    description:
      'Where events are sent: https only, no credentials, a public address, port 443 or 8443 unless the server allows others.',
    examples: ['https://example.com/hooks/bursar'],
  }),
  { pattern: '^https://' },
)

const filterShape = {
  type: 'object',
  maxProperties: 20,
  additionalProperties: { type: ['string', 'number', 'boolean'] },
  title: 'MetadataFilter',
  description:
    'Only events of records whose metadata holds these pairs; all, when there are none. Values are texts, numbers or booleans.',
  examples: [{ shop: 'ikeja' }],
  // Few languages have a type for the union of the three, or read an object as a default.
  'x-document': { additionalProperties: true, default: null },
}
type MetadataFilter = Record<string, string | number | boolean>
const FilterIn = (options: Record<string, unknown> = {}) =>
  s.Type.Unsafe<MetadataFilter>({ ...filterShape, 'x-max-bytes': 16_384, ...options })

const Description = s.Nullable(s.Text(1, 500, { description: 'A note for yourself.' }))
const Active = (options: Record<string, unknown> = {}) =>
  s.Type.Boolean({
    description:
      'Whether it gets events. Events that come while it is inactive are not kept for it.',
    ...options,
  })

function endpointSchemas(types: string[]) {
  const Subscription = s.OneOf([...types, '*'], { title: 'EventSubscription' })
  const Subscriptions = (options: Record<string, unknown> = {}) =>
    s.Type.Array(Subscription, {
      minItems: 1,
      maxItems: types.length + 1,
      uniqueItems: true,
      description: 'The event types it gets; `*` stands for all, now and later.',
      ...options,
    })
  const endpointFields = {
    url: s.Type.String({ description: 'Where events are sent.' }),
    events: s.Type.Array(Subscription, {
      description: 'The event types it gets; `*` stands for all.',
    }),
    metadata_filter: s.Type.Unsafe<MetadataFilter>(filterShape),
    active: Active(),
    description: Description,
  }
  return {
    WebhookRecord: s.RecordOf(
      'Webhook',
      'An address of yours that events are sent to.',
      endpointFields,
    ),
    WebhookWithSecretRecord: s.RecordOf(
      'WebhookWithSecret',
      'The endpoint with its signing secret, in two spellings. No other answer shows it: keep it now.',
      {
        ...endpointFields,
        secret: s.Type.String({
          description:
            'Keys the HMAC-SHA256 of `X-Signature` and of `webhook-signature`: its bytes, `weh_` included.',
          examples: ['weh_…'],
        }),
        standard_secret: s.Type.String({
          description:
            'The same key as libraries of Standard Webhooks take it: `whsec_` and the base64 of the secret.',
          examples: ['whsec_…'],
        }),
        warnings: s.Warnings,
      },
    ),
    WebhookWithWarningsRecord: s.RecordOf(
      'WebhookWithWarnings',
      'The endpoint, and what the check of a new URL warns of. No other answer repeats the warnings.',
      { ...endpointFields, warnings: s.Warnings },
    ),
    CreateWebhook: s.Body({
      url: Url,
      events: s.Type.Optional(Subscriptions({ default: ['*'] })),
      metadata_filter: s.Type.Optional(FilterIn({ default: {} })),
      description: s.Type.Optional(Description),
      active: s.Type.Optional(Active({ default: true })),
      metadata: s.Type.Optional(s.MetadataIn),
    }),
    UpdateWebhook: s.Body({
      url: s.Type.Optional(Url),
      events: s.Type.Optional(Subscriptions()),
      metadata_filter: s.Type.Optional(FilterIn()),
      description: s.Type.Optional(Description),
      active: s.Type.Optional(Active()),
      metadata: s.Type.Optional(s.MetadataIn),
    }),
  }
}

export const WebhookParams = s.Body({ id: s.Type.String({ description: 'The endpoint.' }) })
export const WebhookQuery = s.Body(s.pageQuery)

export const RecoverWebhook = s.Body({
  since: s.Type.String({
    format: 'date-time',
    description: 'Deliveries created at this time or after.',
    examples: ['2026-11-21T09:30:00.000Z'],
  }),
})

export const Recovered = s.Type.Object(
  { recovered: s.Count('How many deliveries are sent again.') },
  { title: 'RecoveredDeliveries', description: 'What is sent again.' },
)

// Deliveries
// -------------------------------------------------------------------------------------------------

export const deliveryStatuses = s.Named('WebhookDeliveryStatus', ['pending', 'succeeded', 'failed'])

const Attempt = s.Type.Object(
  {
    at: s.Timestamp('When it was sent.'),
    response_status: s.Nullable(s.Small('The HTTP status that came back; null: none came.')),
    response_body: s.Nullable(s.Type.String({ description: 'The first KiB of what came back.' })),
    duration_ms: s.Count('How long the exchange took, in milliseconds.'),
    error: s.Nullable(
      s.Type.String({ description: 'Why there was no answer, or why it does not count.' }),
    ),
  },
  { title: 'WebhookAttempt', description: 'One try to deliver an event.' },
)

function deliverySchemas(typeName: TypeName) {
  return {
    TestWebhook: s.Body({ type: typeName('Which event to send a sample of.') }),
    DeliveryRecord: s.RecordOf(
      'WebhookDelivery',
      'One event on its way to one endpoint. `metadata` is that of the record the event is about.',
      {
        event_id: s.IdText('The event; the `id` of the body and `X-Event-Id`.'),
        webhook_id: s.IdText('The endpoint.'),
        type: typeName('The event’s type.'),
        url: s.Type.String({ description: 'Where it was sent last, or is to be sent.' }),
        status: s.OneOf(deliveryStatuses, {
          description: '`pending`: a try is running or due; `failed`: no try is left.',
        }),
        payload: s.OpenObject('EventPayload', 'The event’s payload.'),
        attempts: s.Type.Array(Attempt, {
          description: 'The latest 20 tries, oldest first, resends included.',
        }),
        next_attempt_at: s.Nullable(s.Timestamp('When the next try is due; null: none is.')),
      },
    ),
    DeliveryQuery: s.Body({
      ...s.pageQuery,
      type: s.Type.Optional(typeName('Only this event type.')),
      status: s.Type.Optional(s.OneOf(deliveryStatuses, { description: 'Only this status.' })),
      webhook_id: s.Type.Optional(s.IdText('Only to this endpoint.')),
      event_id: s.Type.Optional(s.IdText('Only of this event.')),
    }),
  }
}

export const DeliveryParams = s.Body({ id: s.Type.String({ description: 'The delivery.' }) })

export const Resend = s.Body({
  event_id: s.Type.String({ maxLength: 100, description: 'The event to send.' }),
  webhook_id: s.Type.String({ maxLength: 100, description: 'The endpoint to send it to.' }),
})

// Events
// -------------------------------------------------------------------------------------------------

function eventSchemas(typeName: TypeName) {
  const happened = {
    type: typeName('What happened.'),
    timestamp: s.Timestamp('When it happened.'),
    payload: s.OpenObject(
      'EventPayload',
      'The record as its own GET would have returned it at that moment.',
    ),
  }
  return {
    EventRecord: s.RecordOf(
      'Event',
      'Something that happened, whether it was delivered anywhere or not. `metadata` is that of the record it is about.',
      happened,
    ),
    EventQuery: s.Body({ ...s.pageQuery, type: s.Type.Optional(typeName('Only this type.')) }),
    StreamedEvent: s.Type.Object(
      { id: s.IdText('The event.'), ...happened },
      {
        title: 'StreamedEvent',
        description: 'The `data` of one server-sent event: the body that webhooks get.',
      },
    ),
  }
}

export const EventParams = s.Body({ id: s.Type.String({ description: 'The event.' }) })

export const StreamQuery = s.Body({
  after: s.Type.Optional(
    s.Text(1, 100, {
      description:
        'Where to go on: the `id` of the last event you had, where a header cannot be sent. `0`: from the first event.',
    }),
  ),
})

const typeNameOf = (types: string[]) => (description: string) =>
  s.OneOf(types, { title: 'EventType', description, examples: ['payout.completed'] })
type TypeName = ReturnType<typeof typeNameOf>

/** The schemas that name event types. */
export function webhookSchemas(types: string[]) {
  const typeName = typeNameOf(types)
  return { ...endpointSchemas(types), ...deliverySchemas(typeName), ...eventSchemas(typeName) }
}

type Schemas = ReturnType<typeof webhookSchemas>

export type NewWebhook = s.Static<Schemas['CreateWebhook']>
export type WebhookChanges = s.Static<Schemas['UpdateWebhook']>
export type Webhook = s.Static<Schemas['WebhookRecord']>
export type WebhookWithWarnings = s.Static<Schemas['WebhookWithWarningsRecord']>
export type WebhookWithSecret = s.Static<Schemas['WebhookWithSecretRecord']>
export type DeliveryQuery = s.Static<Schemas['DeliveryQuery']>
export type Delivery = s.Static<Schemas['DeliveryRecord']>
export type EventQuery = s.Static<Schemas['EventQuery']>
export type Event = s.Static<Schemas['EventRecord']>
