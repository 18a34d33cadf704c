/**
 * What happened, told in the transaction in which it happened: an event is a row and a job, or nothing at all.
 */
import type { Ctx, Scope } from '../context.ts'
import { sql, type Tx } from '../db/db.ts'
import { addWaiting } from '../jobs/timers.ts'
import { type Id, newId } from '../lib/ids.ts'
import { toJson } from '../lib/json.ts'

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

/** The task that hands a new event to its webhook endpoints. */
export const dispatchTask = 'webhooks.dispatch'

/** Gives the events that somebody may want: most businesses have no endpoint, and a job for each would find that out dearly. */
const insertEvents = sql<{ id: Id }>(
  'events.insert',
  `with told as (
     insert into events (business_id, livemode, id, type, body, metadata, created_at)
     select * from unnest($1::text[], $2::boolean[], $3::text[], $4::text[], $5::text[], $6::jsonb[], $7::timestamptz[])
     returning business_id, livemode, id
   )
   select id from told
    where exists (select from webhooks w
                   where w.business_id = told.business_id and w.livemode = told.livemode and w.deleted_at is null)`,
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
  const scopes = new Map(news.map(({ scope }) => [newId(scope.now), scope]))
  const ids = [...scopes.keys()]
  const heard = await tx.rows(insertEvents, [
    news.map(({ scope }) => scope.businessId),
    news.map(({ scope }) => scope.livemode),
    ids,
    news.map(({ type }) => type),
    news.map(({ scope, type, record }, i) => toJson({ id: ids[i], type, timestamp: scope.now, payload: record })),
    news.map(({ record }) => toJson(record.metadata)),
    news.map(({ scope }) => scope.now),
  ])
  await addWaiting(
    tx,
    heard.map(({ id }) => ({
      scope: scopes.get(id) as Scope,
      dueAt: null,
      task: dispatchTask,
      subject: id,
      payload: { event_id: id },
    })),
  )
}
