/**
 * Requests and records. Those that name event types are made of the catalogue of them, which the rooms above declare.
 */
import {
  Body,
  IdText,
  MetadataIn,
  Nullable,
  OneOf,
  pageQuery,
  RecordOf,
  type Static,
  Text,
  Timestamp,
  Type,
} from '../../lib/schema.ts'

const JsonObject = (description: string) =>
  Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: true, description })

// Endpoints ----------------------------------------------------------------------------------------------------------

const Url = Text(1, 2_000, {
  description: 'Where events are sent: https only, no credentials, a public address.',
  examples: ['https://example.com/hooks/bursar'],
})

const filterShape = {
  type: 'object',
  additionalProperties: { type: ['string', 'number', 'boolean'] },
  description: 'Only events of records whose metadata holds these pairs.',
  examples: [{ shop: 'ikeja' }],
}
type MetadataFilter = Record<string, string | number | boolean>
const FilterIn = (options: Record<string, unknown> = {}) =>
  Type.Unsafe<MetadataFilter>({ ...filterShape, maxProperties: 20, 'x-max-bytes': 16_384, ...options })

const Description = Nullable(Text(1, 500, { description: 'A note for yourself.' }))
const Active = (options: Record<string, unknown> = {}) =>
  Type.Boolean({
    description: 'Whether it gets events. Events that come while it is inactive are not kept for it.',
    ...options,
  })

function endpointSchemas(types: string[]) {
  const Subscription = OneOf([...types, '*'])
  const Subscriptions = (options: Record<string, unknown> = {}) =>
    Type.Array(Subscription, {
      minItems: 1,
      uniqueItems: true,
      description: 'The event types it gets; `*` stands for all, now and later.',
      ...options,
    })
  const endpointFields = {
    url: Type.String({ description: 'Where events are sent.' }),
    events: Type.Array(Subscription, { description: 'The event types it gets; `*` stands for all.' }),
    metadata_filter: Type.Unsafe<MetadataFilter>(filterShape),
    active: Active(),
    description: Description,
  }
  return {
    WebhookRecord: RecordOf('Webhook', 'An address of yours that events are sent to.', endpointFields),
    WebhookWithSecretRecord: RecordOf(
      'WebhookWithSecret',
      'The endpoint with its signing secret. No other answer shows the secret: keep it now.',
      {
        ...endpointFields,
        secret: Type.String({ description: 'Keys the HMAC-SHA256 of `X-Signature`.', examples: ['weh_…'] }),
      },
    ),
    CreateWebhook: Body({
      url: Url,
      events: Type.Optional(Subscriptions({ default: ['*'] })),
      metadata_filter: Type.Optional(FilterIn({ default: {} })),
      description: Type.Optional(Description),
      active: Type.Optional(Active({ default: true })),
      metadata: Type.Optional(MetadataIn),
    }),
    UpdateWebhook: Body({
      url: Type.Optional(Url),
      events: Type.Optional(Subscriptions()),
      metadata_filter: Type.Optional(FilterIn()),
      description: Type.Optional(Description),
      active: Type.Optional(Active()),
      metadata: Type.Optional(MetadataIn),
    }),
  }
}

export const WebhookParams = Body({ id: Type.String({ description: 'The endpoint.' }) })
export const WebhookQuery = Body(pageQuery)

export const RecoverWebhook = Body({
  since: Type.String({
    format: 'date-time',
    description: 'Deliveries created at this time or after.',
    examples: ['2026-11-21T09:30:00.000Z'],
  }),
})

export const Recovered = Type.Object({
  recovered: Type.Integer({ description: 'How many deliveries are sent again.' }),
})

// Deliveries ---------------------------------------------------------------------------------------------------------

export const deliveryStatuses = ['pending', 'succeeded', 'failed'] as const

const Attempt = Type.Object({
  at: Timestamp('When it was sent.'),
  response_status: Nullable(Type.Integer({ description: 'The HTTP status that came back; null: none came.' })),
  response_body: Nullable(Type.String({ description: 'The first KiB of what came back.' })),
  duration_ms: Type.Integer({ description: 'How long the exchange took, in milliseconds.' }),
  error: Nullable(Type.String({ description: 'Why there was no answer, or why it does not count.' })),
})

function deliverySchemas(typeName: TypeName) {
  return {
    TestWebhook: Body({ type: typeName('Which event to send a sample of.') }),
    DeliveryRecord: RecordOf(
      'WebhookDelivery',
      'One event on its way to one endpoint. `metadata` is that of the record the event is about.',
      {
        event_id: IdText('The event; the `id` of the body and `X-Event-Id`.'),
        webhook_id: IdText('The endpoint.'),
        type: typeName('The event’s type.'),
        url: Type.String({ description: 'Where it was sent last, or is to be sent.' }),
        status: OneOf(deliveryStatuses, {
          description: '`pending`: a try is running or due; `failed`: no try is left.',
        }),
        payload: JsonObject('The event’s payload.'),
        attempts: Type.Array(Attempt, { description: 'The latest 20 tries, oldest first, resends included.' }),
        next_attempt_at: Nullable(Timestamp('When the next try is due; null: none is.')),
      },
    ),
    DeliveryQuery: Body({
      ...pageQuery,
      type: Type.Optional(typeName('Only this event type.')),
      status: Type.Optional(OneOf(deliveryStatuses, { description: 'Only this status.' })),
      webhook_id: Type.Optional(IdText('Only to this endpoint.')),
      event_id: Type.Optional(IdText('Only of this event.')),
    }),
  }
}

export const DeliveryParams = Body({ id: Type.String({ description: 'The delivery.' }) })

export const Resend = Body({
  event_id: Type.String({ maxLength: 100, description: 'The event to send.' }),
  webhook_id: Type.String({ maxLength: 100, description: 'The endpoint to send it to.' }),
})

// Events -------------------------------------------------------------------------------------------------------------

function eventSchemas(typeName: TypeName) {
  const happened = {
    type: typeName('What happened.'),
    timestamp: Timestamp('When it happened.'),
    payload: JsonObject('The record as its own GET would have returned it at that moment.'),
  }
  return {
    EventRecord: RecordOf(
      'Event',
      'Something that happened, whether it was delivered anywhere or not. `metadata` is that of the record it is about.',
      happened,
    ),
    EventQuery: Body({ ...pageQuery, type: Type.Optional(typeName('Only this type.')) }),
    StreamedEvent: Type.Object(
      { id: IdText('The event.'), ...happened },
      { title: 'StreamedEvent', description: 'The `data` of one server-sent event: the body that webhooks get.' },
    ),
  }
}

export const EventParams = Body({ id: Type.String({ description: 'The event.' }) })

export const StreamQuery = Body({
  after: Type.Optional(
    Text(1, 100, {
      description:
        'Where to go on: the `id` of the last event you had, where a header cannot be sent. `0`: from the first event.',
    }),
  ),
})

const typeNameOf = (types: string[]) => (description: string) =>
  OneOf(types, { description, examples: ['payout.completed'] })
type TypeName = ReturnType<typeof typeNameOf>

/** The schemas that name event types. */
export function webhookSchemas(types: string[]) {
  const typeName = typeNameOf(types)
  return { ...endpointSchemas(types), ...deliverySchemas(typeName), ...eventSchemas(typeName) }
}

type Schemas = ReturnType<typeof webhookSchemas>

export type NewWebhook = Static<Schemas['CreateWebhook']>
export type WebhookChanges = Static<Schemas['UpdateWebhook']>
export type Webhook = Static<Schemas['WebhookRecord']>
export type WebhookWithSecret = Static<Schemas['WebhookWithSecretRecord']>
export type DeliveryQuery = Static<Schemas['DeliveryQuery']>
export type Delivery = Static<Schemas['DeliveryRecord']>
export type EventQuery = Static<Schemas['EventQuery']>
export type Event = Static<Schemas['EventRecord']>
