/**
 * Events, emitted in the transaction of what happened: an event is a row with its deliveries, or
 * nothing at all.
 */
import { EventEmitter } from 'node:events'
import type { Scope } from '../../core/app.ts'
import type { Work } from '../../core/inside.ts'
import type { EventDeclaration, EventDeclarations } from '../../core/module.ts'
import { rowsOf, sqlOfMany, type Tx } from '../../db/db.ts'
import { type Id, newId } from '../../lib/ids.ts'
import { toJson, withNumbers } from '../../lib/json.ts'
import type { Static } from '../../lib/schema.ts'
import type { Keyring } from '../../lib/secrets.ts'
import {
  type Kept,
  type Personal,
  type StandIns,
  sealPersonal,
} from '../customer-keys/customer-keys.ts'

/** Wakes the dispatcher of this process. */
export const dispatcherWakeUp = new EventEmitter().setMaxListeners(0)

/**
 * To be called when deliveries to send were committed, so that the dispatcher need not wait for its
 * next round.
 */
export function notifyDispatcher(): void {
  dispatcherWakeUp.emit('notify')
}

/**
 * With a delivery for each endpoint that wants an event, and its place in the queue. A business
 * without endpoints costs one index lookup. The ids of deliveries are made here, of the event's
 * second and of what is delivered to whom.
 */
const insertEvents = sqlOfMany<{ queued: boolean }>(
  'events.insert',
  `with given as materialized (
     select * from ${rowsOf(
       'business_id text, livemode boolean, id text, type text, body text, metadata jsonb, created_at timestamptz, customer_id text, sealed bytea, matched jsonb',
     )} as event
   ), emitted as (
     insert into events (business_id, livemode, id, type, body, metadata, created_at, customer_id, sealed)
     select business_id, livemode, id, type, body, metadata, created_at, customer_id, sealed from given
     returning business_id, livemode, id, type, created_at
   ), made as (
     insert into webhook_deliveries (business_id, livemode, id, event_id, webhook_id, type, url, status, next_attempt_at,
                                     created_at, updated_at)
     select e.business_id, e.livemode, left(e.id, 8) || left(encode(sha256((e.id || w.id)::bytea), 'hex'), 16), e.id, w.id,
            e.type, w.url, 'pending', e.created_at, e.created_at, e.created_at
       from emitted e
       join given g on g.id = e.id
       join webhooks w on w.business_id = e.business_id and w.livemode = e.livemode
      where w.active and w.deleted_at is null
        and w.events && array[e.type, '*'] and g.matched @> w.metadata_filter
     returning business_id, livemode, id, webhook_id, event_id
   ), queued as (
     insert into webhook_queue (business_id, livemode, delivery_id, webhook_id, event_id)
     select business_id, livemode, id, webhook_id, event_id from made
     returning delivery_id
   )
   select exists (select from queued) as queued`,
)

/** What an event type of a declaration carries. */
export type PayloadOf<D> = D extends EventDeclaration<infer Payload> ? Static<Payload> : never

/** What happened, and to which record: as the record's own GET would give it at that moment. */
export type News = {
  scope: Scope
  type: string
  record: { metadata: Record<string, unknown> }
  /** Whom it says something personal of, and where. */
  customer?: Id | null
  personal?: StandIns
}

/**
 * Something that happened, of a type that a module declares.
 * @param customer whom what is personal in it is of; left out, the record's `customer`
 */
export function news<E extends EventDeclarations, T extends keyof E & string>(
  scope: Scope,
  events: E,
  type: T,
  record: PayloadOf<E[T]>,
  customer: Id | null = ((record as { customer?: Id | null }).customer ?? null) as Id | null,
): News {
  return {
    scope,
    type,
    record: record as News['record'],
    customer,
    personal: events[type]?.personal ?? {},
  }
}

/** Emits an event in the transaction of what happened. @param customer as for `news` */
export function emit<E extends EventDeclarations, T extends keyof E & string>(
  work: Work,
  events: E,
  type: T,
  record: PayloadOf<E[T]>,
  customer?: Id | null,
): Promise<void> {
  return emitMany(work.tx, [news(work.scope, events, type, record, customer)], work.secrets)
}

/**
 * Emits events, of any number of businesses, in one statement. The body's text is made here, once:
 * every webhook sends and signs these bytes. What they say of customers as people is sealed under
 * the customers' keys, which another statement reads.
 * @param secrets left out: of types that say nothing personal
 */
export async function emitMany(
  tx: Tx,
  events: News[],
  secrets: Keyring | null = null,
): Promise<void> {
  if (events.length === 0) return
  const made = events.map((event) => ({
    ...event,
    id: newId(event.scope.now),
    sealed: null as Buffer | null,
  }))
  const personal = made.filter(
    ({ customer, personal = {} }) => customer && Object.keys(personal).length > 0,
  )
  if (personal.length > 0) {
    if (secrets === null)
      throw new Error(
        `${personal[0]?.type} says something personal, and nothing is at hand to seal it`,
      )
    const kept = await sealPersonal(tx, secrets, personal.map(personalIn))
    for (const [i, one] of personal.entries()) {
      const { payload, sealed } = kept[i] as Kept
      Object.assign(one, { record: payload, sealed })
    }
  }
  const named = new Set(personal)
  const emitted = await tx.row(insertEvents, [
    made.map(({ scope }) => scope.businessId),
    made.map(({ scope }) => scope.livemode),
    made.map(({ id }) => id),
    made.map(({ type }) => type),
    made.map(({ id, scope, type, record }) =>
      toJson({ id, type, timestamp: scope.now, payload: record }),
    ),
    made.map(({ record }) => toJson(record.metadata)),
    made.map(({ scope }) => scope.now),
    made.map((one) => (named.has(one) ? (one.customer ?? null) : null)),
    made.map(({ sealed }) => sealed),
    // Endpoints choose by what happened, whatever is kept of it.
    events.map(({ record }) => toJson(record.metadata)),
  ])
  if (emitted?.queued) tx.afterCommit(notifyDispatcher)
}

function personalIn({ id, scope, customer, personal, record }: News & { id: Id }): Personal {
  return {
    row: id,
    customer: {
      business_id: scope.businessId,
      livemode: scope.livemode,
      customer_id: customer as Id,
    },
    standIns: personal ?? {},
    payload: withNumbers(record) as Record<string, unknown>,
  }
}

/** What every made-up record has: an id that leads nowhere, and the scope's mode and time. */
export const sampleBase = ({ livemode, now }: Scope) => ({
  id: newId(now),
  livemode,
  metadata: {},
  created_at: now,
  updated_at: now,
})
