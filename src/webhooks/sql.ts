import { sql } from '../db/db.ts'
import type { EventType } from '../events/events.ts'
import type { Id } from '../lib/ids.ts'
import type { deliveryStatuses, Webhook } from './schema.ts'

// Endpoints ----------------------------------------------------------------------------------------------------------

/** The columns are the record's fields. */
export type WebhookRow = Webhook

export const webhookColumns =
  'id, livemode, url, description, events, metadata_filter, active, metadata, created_at, updated_at'

/** Makes registrations of one business and mode wait for each other, so that the limit is not passed by two at once. */
export const lockWebhooks = sql(
  'webhooks.lock',
  `select pg_advisory_xact_lock(hashtextextended('webhooks ' || $1::text || ' ' || $2::boolean, 0))`,
)

export const insertWebhook = sql<WebhookRow>(
  'webhooks.insert',
  `insert into webhooks (business_id, livemode, id, url, description, events, metadata_filter, active, secret, metadata,
                         created_at, updated_at)
   select $1::text, $2::boolean, $3::text, $4::text, $5::text, $6::text[], $7::jsonb, $8::boolean, $9::bytea, $10::jsonb,
          $11::timestamptz, $11::timestamptz
    where (select count(*) from webhooks where business_id = $1 and livemode = $2 and deleted_at is null) < $12::int
   returning ${webhookColumns}`,
)

export const selectWebhook = sql<WebhookRow>(
  'webhooks.select',
  `select ${webhookColumns} from webhooks where business_id = $1 and livemode = $2 and id = $3 and deleted_at is null`,
)

/** What is null stays as it is; `$7` says whether the description changes, since it may become null. */
export const updateWebhook = sql<WebhookRow>(
  'webhooks.update',
  `update webhooks
      set url = coalesce($4::text, url), events = coalesce($5::text[], events),
          metadata_filter = coalesce($6::jsonb, metadata_filter),
          description = case when $7::boolean then $8::text else description end,
          active = coalesce($9::boolean, active), metadata = coalesce($10::jsonb, metadata), updated_at = $11
    where business_id = $1 and livemode = $2 and id = $3 and deleted_at is null
   returning ${webhookColumns}`,
)

export const deleteWebhook = sql<{ id: Id }>(
  'webhooks.delete',
  `update webhooks set deleted_at = $4, updated_at = $4
    where business_id = $1 and livemode = $2 and id = $3 and deleted_at is null returning id`,
)

export const rollSecret = sql<WebhookRow>(
  'webhooks.roll_secret',
  `update webhooks set previous_secret = secret, previous_secret_until = $5, secret = $4, updated_at = $6
    where business_id = $1 and livemode = $2 and id = $3 and deleted_at is null
   returning ${webhookColumns}`,
)

// Deliveries ---------------------------------------------------------------------------------------------------------

export type DeliveryRow = {
  id: Id
  livemode: boolean
  event_id: Id
  webhook_id: Id
  type: EventType
  url: string
  status: (typeof deliveryStatuses)[number]
  next_attempt_at: Date | null
  created_at: Date
  updated_at: Date
}

export const deliveryColumns =
  'id, livemode, event_id, webhook_id, type, url, status, next_attempt_at, created_at, updated_at'

/** A delivery that is due: what its job needs to name it. */
export type DueRow = { id: Id; webhook_id: Id; next_attempt_at: Date }

/** `$4` holds an id for each endpoint a business can have. */
export const insertDeliveries = sql<DueRow>(
  'webhooks.insert_deliveries',
  `insert into webhook_deliveries (business_id, livemode, id, event_id, webhook_id, type, url, status, next_attempt_at,
                                   created_at, updated_at)
   select e.business_id, e.livemode, ($4::text[])[(row_number() over (order by w.id))::int], e.id, w.id, e.type, w.url,
          'pending', $5::timestamptz, $5::timestamptz, $5::timestamptz
     from events e
     join webhooks w on w.business_id = e.business_id and w.livemode = e.livemode
    where e.business_id = $1 and e.livemode = $2 and e.id = $3
      and w.active and w.deleted_at is null
      and w.events && array[e.type, '*'] and e.metadata @> w.metadata_filter
   on conflict (business_id, livemode, event_id, webhook_id) do nothing
   returning id, webhook_id, next_attempt_at`,
)

export type ToDeliver = {
  webhook_id: Id
  event_id: Id
  type: string
  tries: number
  body: string
  url: string
  secret: Buffer
  previous_secret: Buffer | null
  previous_secret_until: Date | null
  open: boolean
}

/** Gives no row to a job that is late: the delivery has ended, or is due at another time. */
export const selectToDeliver = sql<ToDeliver>(
  'webhooks.select_to_deliver',
  `select d.webhook_id, d.event_id, d.type, d.tries, e.body, w.url, w.secret, w.previous_secret,
          w.previous_secret_until, w.active and w.deleted_at is null as open
     from webhook_deliveries d
     join events e on e.business_id = d.business_id and e.livemode = d.livemode and e.id = d.event_id
     join webhooks w on w.business_id = d.business_id and w.livemode = d.livemode and w.id = d.webhook_id
    where d.business_id = $1 and d.livemode = $2 and d.id = $3 and d.status = 'pending' and d.next_attempt_at = $4`,
)

/** Logs a try. The state changes, and a row comes back, unless the delivery was resent while the try ran. */
export const recordAttempt = sql<{ id: Id }>(
  'webhooks.record_attempt',
  `with attempt as (
     insert into webhook_attempts (business_id, livemode, delivery_id, number, at, response_status, response_body,
                                   duration_ms, error)
     select $1::text, $2::boolean, $3::text, coalesce(max(number), 0) + 1, $5::timestamptz, $6::int, $7::text, $8::int,
            $9::text
       from webhook_attempts where business_id = $1 and livemode = $2 and delivery_id = $3
   )
   update webhook_deliveries
      set status = $10, tries = tries + 1, url = $11, next_attempt_at = $12, updated_at = $13
    where business_id = $1 and livemode = $2 and id = $3 and status = 'pending' and next_attempt_at = $4
   returning id`,
)

export const closeDelivery = sql(
  'webhooks.close_delivery',
  `update webhook_deliveries set status = 'failed', next_attempt_at = null, updated_at = $5
    where business_id = $1 and livemode = $2 and id = $3 and status = 'pending' and next_attempt_at = $4`,
)

/**
 * `next_attempt_at` must differ from what a job under way carries, or the end of that job would count as the end of
 * this sending; hence the millisecond.
 */
export const upsertResend = sql<DeliveryRow & DueRow>(
  'webhooks.upsert_resend',
  `insert into webhook_deliveries as d (business_id, livemode, id, event_id, webhook_id, type, url, status,
                                        next_attempt_at, created_at, updated_at)
   values ($1, $2, $3, $4, $5, $6, $7, 'pending', $8, $8, $8)
   on conflict (business_id, livemode, event_id, webhook_id) do update
     set status = 'pending', tries = 0, url = excluded.url, updated_at = excluded.updated_at,
         next_attempt_at = case
           when d.next_attempt_at between excluded.next_attempt_at and excluded.next_attempt_at + interval '1 second'
           then d.next_attempt_at + interval '1 millisecond'
           else excluded.next_attempt_at end
   returning ${deliveryColumns}`,
)

export const recoverDeliveries = sql<DueRow>(
  'webhooks.recover_deliveries',
  `update webhook_deliveries set status = 'pending', tries = 0, next_attempt_at = $5, updated_at = $5
    where business_id = $1 and livemode = $2 and webhook_id = $3 and status = 'failed' and created_at >= $4
   returning id, webhook_id, next_attempt_at`,
)

export const selectDelivery = sql<DeliveryRow>(
  'webhooks.select_delivery',
  `select ${deliveryColumns} from webhook_deliveries where business_id = $1 and livemode = $2 and id = $3`,
)

export type AttemptRow = {
  delivery_id: Id
  at: Date
  response_status: number | null
  response_body: string | null
  duration_ms: number
  error: string | null
}

export const selectAttempts = sql<AttemptRow>(
  'webhooks.select_attempts',
  `select a.*
     from unnest($3::text[]) as delivery (id)
    cross join lateral (
      select delivery_id, number, at, response_status, response_body, duration_ms, error
        from webhook_attempts
       where business_id = $1 and livemode = $2 and delivery_id = delivery.id
       order by number desc limit 20
    ) a
    order by a.delivery_id, a.number`,
)

// Events -------------------------------------------------------------------------------------------------------------

export type EventRow = {
  id: Id
  livemode: boolean
  type: EventType
  body: string
  metadata: Record<string, unknown>
  created_at: Date
}

export const eventColumns = 'id, livemode, type, body, metadata, created_at'

export const selectEvents = sql<EventRow>(
  'webhooks.select_events',
  `select ${eventColumns} from events where business_id = $1 and livemode = $2 and id = any ($3::text[])`,
)

export const selectNewestEvent = sql<EventRow>(
  'webhooks.select_newest_event',
  `select ${eventColumns} from events where business_id = $1 and livemode = $2 and type = $3
    order by created_at desc, id desc limit 1`,
)

/** Without the job that would take it to every endpoint. */
export const insertSampleEvent = sql(
  'webhooks.insert_sample_event',
  `insert into events (business_id, livemode, id, type, body, metadata, created_at)
   values ($1, $2, $3, $4, $5, $6, $7)`,
)
