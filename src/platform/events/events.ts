/**
 * Events, emitted in the transaction of what happened: an event is a row with its deliveries, or nothing at all.
 */
import { EventEmitter } from 'node:events'
import type { Scope } from '../../core/app.ts'
import type { Work } from '../../core/inside.ts'
import type { EventDeclaration, EventDeclarations } from '../../core/room.ts'
import { rowsOf, sqlOfMany, type Tx } from '../../db/db.ts'
import { newId } from '../../lib/ids.ts'
import { toJson } from '../../lib/json.ts'
import type { Static } from '../../lib/schema.ts'

/** Wakes the dispatcher of this process. */
export const dispatcherWakeUp = new EventEmitter().setMaxListeners(0)

/** To be called when deliveries to send were committed, so that the dispatcher need not wait for its next round. */
export function notifyDispatcher(): void {
  dispatcherWakeUp.emit('notify')
}

/**
 * With a delivery for each endpoint that wants an event, and its place in the queue. A business without endpoints costs one index lookup. The
 * ids of deliveries are made here, of the event's second and of what is delivered to whom.
 */
const insertEvents = sqlOfMany<{ queued: boolean }>(
  'events.insert',
  `with emitted as (
     insert into events (business_id, livemode, id, type, body, metadata, created_at)
     ${rowsOf('business_id text, livemode boolean, id text, type text, body text, metadata jsonb, created_at timestamptz')}
     returning business_id, livemode, id, type, metadata, created_at
   ), made as (
     insert into webhook_deliveries (business_id, livemode, id, event_id, webhook_id, type, url, status, next_attempt_at,
                                     created_at, updated_at)
     select e.business_id, e.livemode, left(e.id, 8) || left(encode(sha256((e.id || w.id)::bytea), 'hex'), 16), e.id, w.id,
            e.type, w.url, 'pending', e.created_at, e.created_at, e.created_at
       from emitted e
       join webhooks w on w.business_id = e.business_id and w.livemode = e.livemode
      where w.active and w.deleted_at is null
        and w.events && array[e.type, '*'] and e.metadata @> w.metadata_filter
     returning business_id, livemode, id, webhook_id
   ), queued as (
     insert into webhook_queue (business_id, livemode, delivery_id, webhook_id)
     select business_id, livemode, id, webhook_id from made
     returning delivery_id
   )
   select exists (select from queued) as queued`,
)

/** What an event type of a declaration carries. */
export type PayloadOf<D> = D extends EventDeclaration<infer Payload> ? Static<Payload> : never

/** What happened, and to which record: as the record's own GET would give it at that moment. */
export type News = { scope: Scope; type: string; record: { metadata: Record<string, unknown> } }

/** Something that happened, of a type that a room declares. */
export function news<E extends EventDeclarations, T extends keyof E & string>(
  scope: Scope,
  _events: E,
  type: T,
  record: PayloadOf<E[T]>,
): News {
  return { scope, type, record: record as News['record'] }
}

/** Emits an event in the transaction of what happened. */
export function emit<E extends EventDeclarations, T extends keyof E & string>(
  { tx, scope }: Work,
  events: E,
  type: T,
  record: PayloadOf<E[T]>,
): Promise<void> {
  return emitMany(tx, [news(scope, events, type, record)])
}

/**
 * Emits events, of any number of businesses, in one statement. The body's text is made here, once: every webhook
 * sends and signs these bytes.
 */
export async function emitMany(tx: Tx, events: News[]): Promise<void> {
  if (events.length === 0) return
  const ids = events.map(({ scope }) => newId(scope.now))
  const emitted = await tx.row(insertEvents, [
    events.map(({ scope }) => scope.businessId),
    events.map(({ scope }) => scope.livemode),
    ids,
    events.map(({ type }) => type),
    events.map(({ scope, type, record }, i) => toJson({ id: ids[i], type, timestamp: scope.now, payload: record })),
    events.map(({ record }) => toJson(record.metadata)),
    events.map(({ scope }) => scope.now),
  ])
  if (emitted?.queued) tx.afterCommit(notifyDispatcher)
}

/** What every made-up record has: an id that leads nowhere, and the scope's mode and time. */
export const sampleBase = ({ livemode, now }: Scope) => ({
  id: newId(now),
  livemode,
  metadata: {},
  created_at: now,
  updated_at: now,
})
