/**
 * What happened, told in the transaction in which it happened: an event is a row and a job, or nothing at all.
 */
import type { Ctx } from '../context.ts'
import { sql, type Tx } from '../db/db.ts'
import { enqueue } from '../jobs/timers.ts'
import { newId } from '../lib/ids.ts'
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

const insertEvent = sql(
  'events.insert',
  `insert into events (business_id, livemode, id, type, body, metadata, created_at)
   values ($1, $2, $3, $4, $5, $6, $7)`,
)

/**
 * Tells of something in the same transaction. `record` is what the record's own GET would give at this moment.
 * The body's text is made here, once: every webhook sends and signs these bytes.
 */
export async function emit(
  tx: Tx,
  { scope }: Ctx,
  type: EventType,
  record: { metadata: Record<string, unknown> },
): Promise<void> {
  const id = newId(scope.now)
  const body = toJson({ id, type, timestamp: scope.now, payload: record })
  await tx.rows(insertEvent, [scope.businessId, scope.livemode, id, type, body, toJson(record.metadata), scope.now])
  await enqueue(tx, scope, [{ task: dispatchTask, subject: id, payload: { event_id: id } }])
}
