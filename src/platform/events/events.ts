/**
 * Emits events in the transaction of their cause: an event's row and its deliveries are committed
 * together.
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

/** Call after committing deliveries, so that the dispatcher need not wait for its next round. */
export function notifyDispatcher(): void {
  dispatcherWakeUp.emit('notify')
}

/**
 * Inserts events with a delivery and a queue place per subscribed endpoint. A business without
 * endpoints costs one index lookup. Delivery ids are derived here from the event's second and the
 * event-endpoint pair.
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

/** The payload of a declared event type. */
export type PayloadOf<D> = D extends EventDeclaration<infer Payload> ? Static<Payload> : never

/** An event and its record, as the record's GET would return it at that moment. */
export type News = {
  scope: Scope
  type: string
  record: { metadata: Record<string, unknown> }
  /** The customer whose personal data it has. */
  customer?: Id | null
  personal?: StandIns
}

/**
 * Builds an event of a declared type.
 * @param customer of the personal data in it; omitted: the record's `customer`
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

/** Emits an event in the transaction of its cause. @param customer as for `news` */
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
 * Emits events of any businesses in one statement. The body's text is built once here: every
 * webhook sends and signs these bytes. Personal data are encrypted under the customers' keys, which
 * another statement reads.
 * @param secrets may be omitted for types without personal data
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
        `${personal[0]?.type} has personal data, and no keyring was passed to encrypt it`,
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
    // Endpoints filter by the actual metadata, whatever is stored.
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

/** The common fields of made-up records: an id without a record, and the scope's mode and time. */
export const sampleBase = ({ livemode, now }: Scope) => ({
  id: newId(now),
  livemode,
  metadata: {},
  created_at: now,
  updated_at: now,
})
