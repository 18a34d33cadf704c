/** Statements on the delivery queue: ready endpoints, claims, and attempt results, in batches. */
import { batchOf, type Queryable, replanned, sql, sqlOfAll, sqlOfMany } from '../../db/db.ts'
import { type Id, idsEnd } from '../../lib/ids.ts'
import type { Endpoint, KnownEndpoint } from './concurrency.ts'

/**
 * Finds the next `$4` endpoints of all businesses after `$1`, `$2`, `$3` with ready deliveries. One
 * index step per endpoint, so its cost does not depend on how many deliveries are queued before.
 */
export const selectReady = replanned(
  sqlOfAll<KnownEndpoint>(
    'webhooks.select_ready',
    `with recursive ready as (
       (select business_id, livemode, webhook_id
          from webhook_queue
         where due_at is null and claimed_by is null
           and (business_id, livemode, webhook_id) > ($1::text, $2::boolean, $3::text)
         order by business_id, livemode, webhook_id limit 1)
       union all
       select next.*
         from ready r
        cross join lateral (
          select business_id, livemode, webhook_id
            from webhook_queue
           where due_at is null and claimed_by is null
             and (business_id, livemode, webhook_id) > (r.business_id, r.livemode, r.webhook_id)
           order by business_id, livemode, webhook_id limit 1) next
     )
     select r.business_id, r.livemode, r.webhook_id, w.hangs
       from (select business_id, livemode, webhook_id from ready limit $4) r
       left join webhooks w on w.business_id = r.business_id and w.livemode = r.livemode and w.id = r.webhook_id
      order by r.business_id, r.livemode, r.webhook_id`,
  ),
)

/** Records whether an endpoint hangs. */
export const updateHangs = sqlOfMany(
  'webhooks.update_hangs',
  `update webhooks set hangs = $4
    where business_id = $1 and livemode = $2 and id = $3 and hangs is distinct from $4::boolean`,
)

/** The number of deliveries to claim for an endpoint. */
const places = batchOf<Endpoint & { places: number }>(
  'business_id text, livemode boolean, webhook_id text, places int',
)

/** A delivery's place in the queue, claimed by this process. */
type ClaimedPlace = Endpoint & { delivery_id: Id; event_id: Id | null }

/**
 * Claims deliveries for the worker `$1`: of each endpoint the number in `$5`. Planned at each
 * execution, like all that runs per delivery, because the queue grows from empty to thousands
 * quickly.
 */
const claimReady = replanned(
  sqlOfMany<ClaimedPlace>(
    'webhooks.claim_ready',
    `with taken as materialized (
     select q.business_id, q.livemode, q.delivery_id
       from ${places.rows(2)} as wanted
      cross join lateral (
        select business_id, livemode, delivery_id
          from webhook_queue
         where business_id = wanted.business_id and livemode = wanted.livemode and webhook_id = wanted.webhook_id
           and due_at is null and claimed_by is null
         order by business_id, livemode, webhook_id, delivery_id limit wanted.places
           for update skip locked) q
   )
   update webhook_queue q set claimed_by = $1
     from taken t
    where q.business_id = t.business_id and q.livemode = t.livemode and q.delivery_id = t.delivery_id
   returning q.business_id, q.livemode, q.webhook_id, q.delivery_id, q.event_id`,
  ),
)

/** A claimed delivery with all data for its attempt. */
export type ClaimedDelivery = Endpoint & {
  delivery_id: Id
  event_id: Id
  type: string
  /** Whether it is a sample instead of an event. */
  sample: boolean
  tries: number
  /** As stored when claimed; decrypted before it is sent. */
  body: string
  customer_id: Id | null
  sealed: Buffer | null
  url: string
  secret: Buffer
  previous_secret: Buffer | null
  previous_secret_until: Date | null
  /** Whether the endpoint exists and is active. */
  active: boolean
  /** How far the test clock is ahead. */
  offset_ms: bigint
}

const claimedPlaces = batchOf<ClaimedPlace>('business_id text, livemode boolean, delivery_id text')

/**
 * Reads claimed deliveries whose event ids are between `$1` and `$2`, so that PostgreSQL opens only
 * their partitions. The `limit 1` forces an index lookup for each, whatever the plan.
 */
const selectClaimed = sqlOfMany<ClaimedDelivery>(
  'webhooks.select_claimed',
  `select d.business_id, d.livemode, d.webhook_id, d.id as delivery_id, d.event_id, d.type, d.tries, e.id is null as sample,
          coalesce(e.body, (select body from sample_events s
                             where s.business_id = d.business_id and s.livemode = d.livemode and s.id = d.event_id)) as body,
          e.customer_id, e.sealed,
          w.url, w.secret, w.previous_secret, w.previous_secret_until, w.active and w.deleted_at is null as active,
          coalesce(c.offset_ms, 0) as offset_ms
     from ${claimedPlaces.rows(3)} q
    cross join lateral (
      select business_id, livemode, id, webhook_id, event_id, type, tries from webhook_deliveries
       where business_id = q.business_id and livemode = q.livemode and id = q.delivery_id
         and event_id between $1 and $2 limit 1) d
     left join lateral (
      select id, body, customer_id, sealed from events
       where business_id = d.business_id and livemode = d.livemode and id = d.event_id
         and id between $1 and $2 limit 1) e on true
    cross join lateral (
      select url, secret, previous_secret, previous_secret_until, active, deleted_at from webhooks
       where business_id = d.business_id and livemode = d.livemode and id = d.webhook_id limit 1) w
     left join lateral (
      select offset_ms from test_clocks where business_id = d.business_id and not d.livemode limit 1) c on true`,
)

/** Returns the lowest and highest of some ids; if one is unknown (null), the bounds of all ids. */
function boundsOf(ids: (Id | null)[]): [string, string] {
  let [lowest, highest] = ['', '']
  for (const [i, id] of ids.entries()) {
    if (id === null) return ['', idsEnd]
    if (i === 0 || id < lowest) lowest = id
    if (id > highest) highest = id
  }
  return [lowest, highest]
}

/** Claims deliveries for a worker and reads the data for their attempts. */
export async function claimDeliveries(
  db: Queryable,
  worker: string,
  wanted: (Endpoint & { places: number })[],
): Promise<ClaimedDelivery[]> {
  const claimed = await db.rows(claimReady, [worker, ...places.arrays(wanted)])
  if (claimed.length === 0) return []
  const bounds = boundsOf(claimed.map(({ event_id }) => event_id))
  return db.rows(selectClaimed, [...bounds, ...claimedPlaces.arrays(claimed)])
}

/**
 * The result of an attempt. `at` null: nothing was sent; `status` null: nothing is decided either.
 */
export type AttemptResult = {
  business_id: Id
  livemode: boolean
  delivery_id: Id
  /** Determines the delivery's partition. */
  event_id: Id
  at: Date | null
  response_status: number | null
  response_body: string | null
  duration_ms: number | null
  error: string | null
  status: 'pending' | 'succeeded' | 'failed' | null
  url: string | null
  due_at: Date | null
  ended_at: Date
}

const attemptResults = batchOf<AttemptResult>(
  `business_id text, livemode boolean, delivery_id text, event_id text, at timestamptz, response_status int, response_body text,
   duration_ms int, error text, status text, url text, due_at timestamptz, ended_at timestamptz`,
)

/**
 * Logs attempts of the worker `$1` and either schedules the next or ends the delivery. A delivery
 * that was resent meanwhile, or that another worker claimed, is only logged. Locks deliveries
 * before queue places, as a resend does. `$2` to `$3` bound the event ids and `$4` to `$5` the
 * delivery ids, so that PostgreSQL plans only for their partitions.
 */
const applyAttempts = replanned(
  sqlOfMany(
    'webhooks.apply_attempts',
    `with results as materialized (
     ${attemptResults.rows(6)}
   ), locked as materialized (
     select r.*
       from results r
       join webhook_deliveries d
         on d.business_id = r.business_id and d.livemode = r.livemode and d.id = r.delivery_id and d.event_id = r.event_id
      where d.event_id between $2 and $3
      order by d.business_id, d.livemode, d.id
        for no key update of d
   ), mine as materialized (
     select r.*, q.again
       from locked r
       join webhook_queue q
         on q.business_id = r.business_id and q.livemode = r.livemode and q.delivery_id = r.delivery_id
      where q.claimed_by = $1
      order by q.business_id, q.livemode, q.delivery_id
        for update of q
   ), logged as (
     insert into webhook_attempts (business_id, livemode, delivery_id, number, at, response_status, response_body,
                                   duration_ms, error)
     select r.business_id, r.livemode, r.delivery_id, coalesce(last.number, 0) + 1, r.at, r.response_status,
            r.response_body, r.duration_ms, r.error
       from locked r
       left join lateral (
         select number from webhook_attempts a
          where a.business_id = r.business_id and a.livemode = r.livemode and a.delivery_id = r.delivery_id
            and a.delivery_id between $4 and $5
          order by number desc limit 1) last on true
      where r.at is not null
   ), decided as (
     update webhook_deliveries d
        set status = r.status, tries = d.tries + (r.at is not null)::int, url = coalesce(r.url, d.url),
            next_attempt_at = r.due_at, updated_at = r.ended_at
       from mine r
      where d.business_id = r.business_id and d.livemode = r.livemode and d.id = r.delivery_id and d.event_id = r.event_id
        and d.event_id between $2 and $3 and not r.again and r.status is not null
   ), ended as (
     delete from webhook_queue q using mine r
      where q.business_id = r.business_id and q.livemode = r.livemode and q.delivery_id = r.delivery_id
        and not r.again and r.due_at is null
   )
   update webhook_queue q
      set claimed_by = null, again = false, due_at = case when not r.again then r.due_at end
     from mine r
    where q.business_id = r.business_id and q.livemode = r.livemode and q.delivery_id = r.delivery_id
      and (r.again or r.due_at is not null)`,
  ),
)

/** Applies the attempt results of a worker. */
export async function recordResults(
  db: Queryable,
  worker: string,
  results: AttemptResult[],
): Promise<void> {
  const events = boundsOf(results.map(({ event_id }) => event_id))
  const deliveries = boundsOf(results.map(({ delivery_id }) => delivery_id))
  await db.rows(applyAttempts, [
    worker,
    ...events,
    ...deliveries,
    ...attemptResults.arrays(results),
  ])
}

const wake = `
   locked as (
     select ctid, delivery_id, due_at
       from webhook_queue
      where ctid = any (array(select ctid from due)) and due_at is not null
        for update skip locked
   ), woken as (
     update webhook_queue set due_at = null where ctid = any (array(select ctid from locked))
   )
   select delivery_id, due_at from locked`

/** A delivery that became due. */
export type Woken = { delivery_id: Id; due_at: Date }

/**
 * Makes deliveries due at `$1` ready, of all businesses, at most `$2`. Test clocks only run ahead;
 * moving one wakes its own deliveries. Planned at each execution, and joined by position, as timers
 * are.
 */
export const wakeDue = replanned(
  sqlOfAll<Woken>(
    'webhooks.wake_due',
    `with due as (
     (select ctid from webhook_queue where due_at <= $1 order by due_at limit $2)
     union
     select q.ctid
       from test_clocks c
       join lateral (select ctid from webhook_queue
                      where business_id = c.business_id and not livemode
                        and due_at <= $1::timestamptz + c.offset_ms * interval '1 millisecond'
                      order by due_at limit $2) q on true
      where c.offset_ms > 0 and (c.moving_until is null or c.moving_until <= $1)
   ), ${wake}`,
  ),
)

export const wakeOwn = replanned(
  sql<Woken>(
    'webhooks.wake_own',
    `with due as (
     select ctid from webhook_queue where business_id = $1 and livemode = $2 and due_at <= $3
   ), ${wake}`,
  ),
)

/** Workers that hold claims, of all businesses. */
export const selectClaimants = sqlOfAll<{ name: string }>(
  'webhooks.select_claimants',
  'select distinct claimed_by as name from webhook_queue where claimed_by is not null',
)

const release = (which: string): string => `
  with released as (
    select business_id, livemode, delivery_id from webhook_queue where ${which} for update skip locked
  )
  update webhook_queue q set claimed_by = null, again = false
    from released r
   where q.business_id = r.business_id and q.livemode = r.livemode and q.delivery_id = r.delivery_id`

/** Releases the claims of the workers `$1`, of all businesses. */
export const releaseClaims = sqlOfAll(
  'webhooks.release_claims',
  release('claimed_by = any ($1::text[])'),
)

/** Releases the claims of the worker `$1`, of all businesses, except deliveries in flight. */
export const releaseUnsent = sqlOfAll(
  'webhooks.release_unsent',
  release('claimed_by = $1 and delivery_id <> all ($2::text[])'),
)
