/**
 * What happened, told in the transaction in which it happened: an event is a row with its deliveries, or nothing at all.
 */
import { EventEmitter } from 'node:events'
import type { Ctx, Scope } from '../../core/context.ts'
import { rowsOf, sql, type Tx } from '../../db/db.ts'
import { newId } from '../../lib/ids.ts'
import { toJson } from '../../lib/json.ts'

/** Every event type, with what it tells. */
export const eventTypes = {
  'virtual_account.deposit': 'Money arrived on a virtual account.',
  'crypto.deposit': 'A stablecoin deposit was credited.',
  'payment.completed': 'A payment was paid.',
  'payment.failed': 'A payment was declined for good.',
  'payment.expired': 'A payment was not paid in time.',
  'payment.canceled': 'A payment was canceled.',
  'collection.completed': 'A collection was paid once more.',
  'collection.canceled': 'A collection was canceled.',
  'refund.initiated': 'A refund was started; its money is reserved.',
  'refund.completed': 'A refund reached the payer.',
  'refund.failed': 'A refund failed; its money is back in the wallet.',
  'payout.initiated': 'A payout was created; its amount is reserved.',
  'payout.completed': 'A payout arrived.',
  'payout.failed': 'A payout failed; its amount is back in the wallet.',
  'payout.canceled': 'A payout was canceled; its amount is back in the wallet.',
  'invoice.finalized': 'An invoice was finalized and can be paid.',
  'invoice.sent': 'An invoice was mailed.',
  'invoice.paid': 'An invoice was paid.',
  'invoice.voided': 'An invoice was voided.',
} as const

export type EventType = keyof typeof eventTypes

/** Rings when this process has committed deliveries to send, so that its pump need not wait for the next tick. */
export const deliveriesBell = new EventEmitter().setMaxListeners(0)

/**
 * With a delivery for each endpoint that wants an event, and its place in the queue. A business without endpoints costs one look. The
 * ids of deliveries are made here, of the event's second and of what is delivered to whom.
 */
const insertEvents = sql<{ queued: boolean }>(
  'events.insert',
  `with told as (
     insert into events (business_id, livemode, id, type, body, metadata, created_at)
     ${rowsOf('business_id text, livemode boolean, id text, type text, body text, metadata jsonb, created_at timestamptz')}
     returning business_id, livemode, id, type, metadata, created_at
   ), made as (
     insert into webhook_deliveries (business_id, livemode, id, event_id, webhook_id, type, url, status, next_attempt_at,
                                     created_at, updated_at)
     select e.business_id, e.livemode, left(e.id, 8) || left(encode(sha256((e.id || w.id)::bytea), 'hex'), 16), e.id, w.id,
            e.type, w.url, 'pending', e.created_at, e.created_at, e.created_at
       from told e
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

/** What happened, and to which record: as the record's own GET would give it at that moment. */
export type News = { scope: Scope; type: EventType; record: { metadata: Record<string, unknown> } }

/** Tells of something in the same transaction. */
export function emit(tx: Tx, { scope }: Ctx, type: EventType, record: News['record']): Promise<void> {
  return emitMany(tx, [{ scope, type, record }])
}

/**
 * Tells of many things, of any number of businesses, in one statement. The body's text is made here, once: every webhook
 * sends and signs these bytes.
 */
export async function emitMany(tx: Tx, news: News[]): Promise<void> {
  if (news.length === 0) return
  const ids = news.map(({ scope }) => newId(scope.now))
  const told = await tx.row(insertEvents, [
    news.map(({ scope }) => scope.businessId),
    news.map(({ scope }) => scope.livemode),
    ids,
    news.map(({ type }) => type),
    news.map(({ scope, type, record }, i) => toJson({ id: ids[i], type, timestamp: scope.now, payload: record })),
    news.map(({ record }) => toJson(record.metadata)),
    news.map(({ scope }) => scope.now),
  ])
  if (told?.queued)
    tx.afterCommit(() => {
      deliveriesBell.emit('ring')
    })
}
