import { replanned, rowsOf, sql, sqlOfAll, sqlOfMany } from '../../db/db.ts'
import { sealedColumn } from '../../db/sealed.ts'
import * as t from '../../db/table.ts'
import type { Id } from '../../lib/ids.ts'
import { intoNotices } from '../notices/notices.ts'
import type { deliveryStatuses, Webhook } from './schema.ts'

// Endpoints
// -------------------------------------------------------------------------------------------------

export const webhooks = t.table('webhooks', {
  id: t.text<Id>(),
  url: t.text(),
  description: t.nullable(t.text()),
  events: t.texts(),
  metadata_filter: t.json<Webhook['metadata_filter']>(),
  active: t.boolean(),
  /** Encrypted, and in no record. */
  secret: t.bytes(),
  metadata: t.json<Record<string, unknown>>(),
  created_at: t.time(),
  updated_at: t.time(),
})

/** Without the secret: the columns are the record's fields. */
export type WebhookRow = Webhook

export const webhookColumns =
  'id, livemode, url, description, events, metadata_filter, active, metadata, created_at, updated_at'

/**
 * Serializes registrations of one business and mode, so that concurrent ones cannot pass the limit.
 */
export const lockWebhooks = sql(
  'webhooks.lock',
  `select pg_advisory_xact_lock(hashtextextended('webhooks ' || $1::text || ' ' || $2::boolean, 0))`,
)

export const countWebhooks = sql<{ count: bigint }>(
  'webhooks.count',
  'select count(*) as count from webhooks where business_id = $1 and livemode = $2 and deleted_at is null',
)

export const selectWebhook = sql<WebhookRow>(
  'webhooks.select',
  `select ${webhookColumns} from webhooks where business_id = $1 and livemode = $2 and id = $3 and deleted_at is null`,
)

export const lockWebhook = sql<WebhookRow>(
  'webhooks.lock_one',
  `select ${webhookColumns} from webhooks
    where business_id = $1 and livemode = $2 and id = $3 and deleted_at is null for no key update`,
)

export const deleteWebhook = sql<WebhookRow>(
  'webhooks.delete',
  `update webhooks set deleted_at = $4, updated_at = $4
    where business_id = $1 and livemode = $2 and id = $3 and deleted_at is null returning ${webhookColumns}`,
)

export const rollSecret = sql<WebhookRow>(
  'webhooks.roll_secret',
  `update webhooks set previous_secret = secret, previous_secret_until = $5, secret = $4, updated_at = $6
    where business_id = $1 and livemode = $2 and id = $3 and deleted_at is null
   returning ${webhookColumns}`,
)

/** Each ciphertext is bound to its endpoint. */
export const sealedSecrets = ['secret', 'previous_secret'].map((column) =>
  sealedColumn({
    table: 'webhooks',
    column,
    key: ['id'],
    purpose: 'webhook secret',
    ownerOf: ({ id }) => id,
  }),
)

// Deliveries
// -------------------------------------------------------------------------------------------------

export const deliveries = t.table('webhook_deliveries', {
  id: t.text<Id>(),
  event_id: t.text<Id>(),
  webhook_id: t.text<Id>(),
  type: t.text(),
  url: t.text(),
  status: t.text<(typeof deliveryStatuses)[number]>(),
  next_attempt_at: t.nullable(t.time()),
  created_at: t.time(),
  updated_at: t.time(),
})
export type DeliveryRow = t.RowOf<typeof deliveries>
const deliveryColumns = t.columnsOf(deliveries)

/**
 * Sends an event again. The result of an attempt in flight is ignored; the next attempt starts
 * after it.
 */
export const upsertResend = sql<DeliveryRow>(
  'webhooks.upsert_resend',
  `with delivery as (
     insert into webhook_deliveries as d (business_id, livemode, id, event_id, webhook_id, type, url, status,
                                          next_attempt_at, created_at, updated_at)
     values ($1, $2, $3, $4, $5, $6, $7, 'pending', $8, $8, $8)
     on conflict (business_id, livemode, event_id, webhook_id) do update
       set status = 'pending', tries = 0, url = excluded.url, next_attempt_at = excluded.next_attempt_at,
           updated_at = excluded.updated_at
     returning business_id, ${deliveryColumns}
   ), queued as (
     insert into webhook_queue as q (business_id, livemode, delivery_id, webhook_id, event_id)
     select business_id, livemode, id, webhook_id, event_id from delivery
     on conflict (business_id, livemode, delivery_id) do update set due_at = null, again = q.claimed_by is not null
   )
   select ${deliveryColumns} from delivery`,
)

/** `$6`: events with lower ids are not resent. */
export const recoverDeliveries = sql<{ event_id: Id }>(
  'webhooks.recover_deliveries',
  `with recovered as (
     update webhook_deliveries set status = 'pending', tries = 0, next_attempt_at = $5, updated_at = $5
      where business_id = $1 and livemode = $2 and webhook_id = $3 and status = 'failed' and created_at >= $4 and event_id >= $6
     returning business_id, livemode, id, webhook_id, event_id
   ), queued as (
     insert into webhook_queue as q (business_id, livemode, delivery_id, webhook_id, event_id)
     select business_id, livemode, id, webhook_id, event_id from recovered
     on conflict (business_id, livemode, delivery_id) do update set due_at = null, again = q.claimed_by is not null
   )
   select event_id from recovered`,
)

export const selectDelivery = t.byId(deliveries)

/**
 * Endpoints of all businesses with no success and at least one attempt among their newest `$2`
 * deliveries since `$1`.
 */
export const selectFailing = sqlOfAll<FailingEndpoint>(
  'webhooks.select_failing',
  `select w.business_id, w.livemode, w.id, w.url, newest.failed, newest.waiting, newest.since
     from webhooks w
    cross join lateral (
      select count(*) filter (where status = 'failed') as failed, count(*) filter (where status = 'pending') as waiting,
             count(*) filter (where status = 'succeeded') as succeeded, count(*) filter (where tries > 0) as tried,
             min(created_at) as since
        from (select status, tries, created_at from webhook_deliveries d
               where d.business_id = w.business_id and d.livemode = w.livemode and d.webhook_id = w.id and d.created_at >= $1
               order by created_at desc, id desc limit $2) d
    ) newest
    where w.active and w.deleted_at is null and newest.succeeded = 0 and newest.tried > 0
    order by w.livemode desc, newest.failed desc, w.id limit 100`,
)
/**
 * Records endpoints that start to fail, once per outage, with the details for the team's notice.
 */
export const openOutages = sqlOfMany<{ webhook_id: Id }>(
  'webhooks.open_outages',
  `with opened as (
     insert into webhook_outages (business_id, livemode, webhook_id, opened_at)
     ${rowsOf('business_id text, livemode boolean, webhook_id text, opened_at timestamptz')}
     on conflict (business_id, livemode, webhook_id) do nothing
     returning business_id, livemode, webhook_id, opened_at
   ), notified as (
     ${intoNotices}
     select o.business_id, o.livemode, 'endpoint_failing', o.webhook_id, w.url, o.opened_at
       from opened o
       join webhooks w on w.business_id = o.business_id and w.livemode = o.livemode and w.id = o.webhook_id
     on conflict (business_id, livemode, kind, id) do nothing
   )
   select webhook_id from opened`,
)

/**
 * Ends outages whose endpoint succeeded since or gets no more events. Looks at the newest `$1`
 * deliveries since `$2`, as above.
 */
export const closeOutages = sqlOfAll<{ webhook_id: Id }>(
  'webhooks.close_outages',
  `delete from webhook_outages o
    using webhooks w
    where w.business_id = o.business_id and w.livemode = o.livemode and w.id = o.webhook_id
      and (not w.active or w.deleted_at is not null or exists (
        select from (select status from webhook_deliveries d
                      where d.business_id = o.business_id and d.livemode = o.livemode and d.webhook_id = o.webhook_id
                        and d.created_at >= $1
                      order by created_at desc, id desc limit $2) newest
         where newest.status = 'succeeded'))
   returning o.webhook_id`,
)

/** Active endpoints of a business with failed deliveries among their newest `$4` since `$3`. */
export const selectFailingOwn = sql<{ id: Id; url: string; failed: bigint; last_at: Date }>(
  'webhooks.select_failing_own',
  `select w.id, w.url, newest.failed, newest.last_at
     from webhooks w
    cross join lateral (
      select count(*) as failed, max(updated_at) as last_at
        from (select status, updated_at from webhook_deliveries d
               where d.business_id = $1 and d.livemode = $2 and d.webhook_id = w.id and d.created_at >= $3
               order by created_at desc, id desc limit $4) d
       where status = 'failed'
    ) newest
    where w.business_id = $1 and w.livemode = $2 and w.active and w.deleted_at is null and newest.failed > 0
    order by newest.failed desc, w.id limit $5`,
)

export type FailingEndpoint = {
  business_id: Id
  livemode: boolean
  id: Id
  url: string
  failed: bigint
  waiting: bigint
  since: Date
}

export type LoggedAttempt = {
  delivery_id: Id
  number: number
  at: Date
  response_status: number | null
  response_body: string | null
  duration_ms: number
  error: string | null
}

export const selectAttempts = sql<LoggedAttempt>(
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

// Events
// -------------------------------------------------------------------------------------------------

export const events = t.table('events', {
  id: t.text<Id>(),
  type: t.text(),
  body: t.text(),
  metadata: t.json<Record<string, unknown>>(),
  customer_id: t.nullable(t.text<Id>()),
  sealed: t.nullable(t.bytes()),
  created_at: t.time(),
})
export type EventRow = t.RowOf<typeof events>
const eventColumns = t.columnsOf(events)

export const selectEvent = t.byId(events)

export const selectNewestEvent = sql<EventRow>(
  'webhooks.select_newest_event',
  `select ${eventColumns} from events where business_id = $1 and livemode = $2 and type = $3
    order by id desc limit 1`,
)

/** Events and samples: everything that was ever sent. */
export const selectSent = sql<EventRow>(
  'webhooks.select_sent',
  `select ${eventColumns} from events where business_id = $1 and livemode = $2 and id = any ($3::text[])
    union all
   select id, livemode, type, body, metadata, null, null::bytea, created_at from sample_events where business_id = $1 and livemode = $2 and id = any ($3::text[])`,
)

export const insertSample = sql(
  'webhooks.insert_sample',
  `insert into sample_events (business_id, livemode, id, type, body, metadata, created_at)
   values ($1, $2, $3, $4, $5, $6, $7)`,
)

// The stream
// -------------------------------------------------------------------------------------------------

/** Logs resends of the events `$4`, with an id for each in `$3`. Leaves out samples. */
export const insertResends = sql(
  'webhooks.insert_resends',
  `insert into event_resends (business_id, livemode, id, event_id)
   select $1, $2, resent.id, e.id
     from unnest($3::text[], $4::text[]) as resent (id, event_id)
     join events e on e.business_id = $1 and e.livemode = $2 and e.id = resent.event_id`,
)

/**
 * The end of the commit order, which all businesses share, and the position up to which events were
 * dropped.
 */
export const selectHorizon = sqlOfAll<{
  horizon: bigint
  dropped_position: bigint
  dropped_before: string
}>(
  'webhooks.select_horizon',
  'select event_horizon() as horizon, dropped_position, dropped_before from event_retention',
)

export type StreamedEvent = {
  position: bigint
  id: Id
  event_id: Id
  body: string
  customer_id: Id | null
  sealed: Buffer | null
}

/**
 * Reads the next events and resends of the business `$1` in the mode `$2` after the cursor `$3`,
 * `$4`, in commit order. It scans at most `$5` events of all businesses, so its cost is bounded
 * however far behind a client is; `end_position` and `end_id` say how far it got. Always returns a
 * row.
 */
export const selectStreamed = replanned(
  sqlOfAll<{
    horizon: bigint
    dropped_position: bigint
    dropped_before: string
    end_position: bigint
    end_id: Id | ''
    position: bigint | null
    id: Id | null
    event_id: Id | null
    body: string | null
    customer_id: Id | null
    sealed: Buffer | null
  }>(
    'webhooks.select_streamed',
    `with seen as materialized (select event_horizon() as horizon),
   passed as materialized (
     select business_id, livemode, position, id
       from events
      where (position, id) > ($3::bigint, $4::text) and position < (select horizon from seen)
      order by position, id limit $5::int
   ), reached as materialized (
     select horizon, coalesce(last.position, horizon) as end_position, coalesce(last.id, '') as end_id
       from seen left join (select position, id from passed order by position, id offset $5::int - 1) last on true
   ), found as (
     (select position, id, id as event_id
        from passed where business_id = $1 and livemode = $2 order by position, id limit $6::int)
     union all
     (select r.position, r.id, r.event_id
        from event_resends r
       where r.business_id = $1 and r.livemode = $2 and (r.position, r.id) > ($3::bigint, $4::text)
         and (r.position, r.id) <= (select end_position, end_id from reached)
         and exists (select from events where business_id = $1 and livemode = $2 and id = r.event_id)
       order by r.position, r.id limit $6::int)
     order by position, id limit $6::int
   )
   select horizon, dropped_position, dropped_before, end_position, end_id, found.position, found.id, found.event_id, e.body, e.customer_id, e.sealed
     from reached
    cross join event_retention
     left join found on true
     left join lateral (select body, customer_id, sealed from events
                         where business_id = $1 and livemode = $2 and id = found.event_id limit 1) e on true
    order by found.position, found.id`,
  ),
)

/**
 * Returns which of the given businesses committed events or resends between `$1` and the horizon.
 * One scan serves all streams. Always returns a row.
 */
export const selectNews = sqlOfAll<{
  horizon: bigint
  business_id: Id | null
  livemode: boolean | null
}>(
  'webhooks.select_news',
  `with seen as materialized (select event_horizon() as horizon),
   asked as materialized (
     select distinct business_id, livemode from unnest($2::text[], $3::boolean[]) as asked (business_id, livemode)
   ), recent as materialized (
     select distinct business_id, livemode
       from events
      where position >= coalesce($1::bigint, (select horizon from seen)) and position < (select horizon from seen)
   ), news as (
     select business_id, livemode from recent join asked using (business_id, livemode)
     union
     select business_id, livemode
       from asked
      where exists (select from event_resends r
                     where r.business_id = asked.business_id and r.livemode = asked.livemode
                       and r.position >= coalesce($1::bigint, (select horizon from seen))
                       and r.position < (select horizon from seen))
   )
   select seen.horizon, news.business_id, news.livemode from seen left join news on true`,
)

// Stories
// -------------------------------------------------------------------------------------------------

export type EventAbout = { id: Id; type: string; about: Id | null; created_at: Date }

/**
 * Scans the newest `$7` events of each type between two id bounds for those that mention an id, and
 * returns the newest `$8` of these.
 */
export const selectEventsAbout = sql<EventAbout>(
  'webhooks.select_events_about',
  `select found.id, found.type, sought.about, found.created_at
     from unnest($3::text[], $4::text[], $5::text[], $6::text[]) as sought (type, about, first, bound)
    cross join lateral (
      select id, type, created_at from (
        select id, type, created_at, body from events
         where business_id = $1 and livemode = $2 and type = sought.type and id >= sought.first and id < sought.bound
         order by id desc limit $7) newest
       where position(sought.about in body) > 0 order by id desc limit $8
    ) found`,
)

/** Events by their ids, samples included, with their payload. */
export const selectEventsOnly = sql<EventAbout>(
  'webhooks.select_events_only',
  `select id, type, coalesce(body::jsonb #>> '{payload,id}', body::jsonb #>> '{payload,customer}') as about, created_at
     from events where business_id = $1 and livemode = $2 and id = any ($3::text[])
    union all
   select id, type, null, created_at from sample_events where business_id = $1 and livemode = $2 and id = any ($3::text[])`,
)

/** At most one delivery per endpoint, so the result is small. */
export const selectDeliveriesOf = sql<DeliveryRow>(
  'webhooks.select_deliveries_of',
  `select d.*
     from unnest($3::text[]) as asked (event_id)
    cross join lateral (select ${deliveryColumns} from webhook_deliveries
                         where business_id = $1 and livemode = $2 and event_id = asked.event_id order by webhook_id limit 50) d
    order by d.event_id, d.webhook_id`,
)

export const selectWithDeleted = sql<WebhookRow & { deleted_at: Date | null }>(
  'webhooks.select_with_deleted',
  `select ${webhookColumns}, deleted_at from webhooks where business_id = $1 and livemode = $2 and id = $3`,
)

/** Counts the deliveries of each day of UTC since the day `$3`, by status, from the counts of lists. */
export const selectDeliveriesByDay = sql<{ day: string; status: string; count: bigint }>(
  'webhooks.select_deliveries_by_day',
  `select to_char(day, 'YYYY-MM-DD') as day, facets->>'status' as status, sum(rows)::bigint as count
     from (select day, facets, rows from list_counts
            where business_id = $1 and livemode = $2 and list = 'webhook_deliveries' and day >= $3::date and day < 'infinity'
            union all
           select day, facets, change from list_changes
            where business_id = $1 and livemode = $2 and list = 'webhook_deliveries' and day >= $3::date) counted
    group by 1, 2 having sum(rows) <> 0`,
)
