/**
 * Sending by hand: one event again, all that failed, or a sample to try an endpoint out.
 */
import { type Ctx, inTransaction } from '../../core/context.ts'
import type { Tx } from '../../db/db.ts'
import { refuse, refuseInput } from '../../lib/errors.ts'
import { type Id, newId } from '../../lib/ids.ts'
import { toJson } from '../../lib/json.ts'
import { deliveriesBell, type EventType } from '../events/events.ts'
import { getEventRow, payloadOf, toDeliveries } from './log.ts'
import { sampleRecord } from './samples.ts'
import type { Delivery, Webhook } from './schema.ts'
import * as statements from './sql.ts'
import { getWebhook } from './webhooks.ts'

/**
 * Sends an event to an endpoint now, with the same bytes, whether it was sent there before or not. Tries count anew.
 * @throws {Refusal} `not_found`, `webhook_inactive`
 */
export function resend(ctx: Ctx, eventId: string, webhookId: string): Promise<Delivery> {
  return inTransaction(ctx, async (tx) => {
    const inside = { ...ctx, tx }
    const webhook = await getActiveWebhook(inside, webhookId)
    const event = await getEventRow(inside, eventId)
    await noteResends(inside, [event.id])
    return sendNow(inside, event, webhook)
  })
}

/**
 * Sends every failed delivery of an endpoint again that was created at `since` or after, and says how many they are.
 * @throws {Refusal} `not_found`, `webhook_inactive`, `validation_failed`
 */
export function recover(ctx: Ctx, webhookId: string, since: string): Promise<{ recovered: number }> {
  const from = new Date(since)
  if (Number.isNaN(from.getTime()))
    refuseInput([{ path: 'since', message: 'since must be a date and time', location: 'body' }])
  const { businessId, livemode, now } = ctx.scope
  return inTransaction(ctx, async (tx) => {
    await getActiveWebhook({ ...ctx, tx }, webhookId)
    const due = await tx.rows(statements.recoverDeliveries, [businessId, livemode, webhookId, from, now])
    await noteResends(
      { ...ctx, tx },
      due.map((delivery) => delivery.event_id),
    )
    ringAfter(tx)
    return { recovered: due.length }
  })
}

/**
 * Sends a sample event of a type to one endpoint, whatever it subscribes to. The payload is that of the newest event of
 * the type, or a made-up record, with `test: true` added, so that no receiver takes it for news.
 * @throws {Refusal} `not_found`, `webhook_inactive`
 */
export function sendSample(ctx: Ctx, webhookId: string, type: EventType): Promise<Delivery> {
  const { businessId, livemode, now } = ctx.scope
  return inTransaction(ctx, async (tx) => {
    const inside = { ...ctx, tx }
    const webhook = await getActiveWebhook(inside, webhookId)
    const newest = await tx.row(statements.selectNewestEvent, [businessId, livemode, type])
    const id = newId(now)
    const model = newest ? payloadOf(newest) : sampleRecord(ctx.scope, type)
    const body = toJson({ id, type, timestamp: now, payload: { ...model, test: true } })
    await tx.rows(statements.insertSampleEvent, [
      businessId,
      livemode,
      id,
      type,
      body,
      toJson(newest?.metadata ?? {}),
      now,
    ])
    return sendNow(inside, { id, type }, webhook)
  })
}

/** Has the pump of this process look as soon as the transaction has committed. */
function ringAfter(tx: Tx): void {
  tx.afterCommit(() => {
    deliveriesBell.emit('ring')
  })
}

/** Has the stream of events show them once more. */
async function noteResends(ctx: Ctx & { tx: Tx }, eventIds: Id[]): Promise<void> {
  const { businessId, livemode, now } = ctx.scope
  await ctx.tx.rows(statements.insertResends, [businessId, livemode, eventIds.map(() => newId(now)), eventIds])
}

async function sendNow(ctx: Ctx & { tx: Tx }, event: { id: Id; type: EventType }, webhook: Webhook): Promise<Delivery> {
  const { businessId, livemode, now } = ctx.scope
  const row = await ctx.tx.row(statements.upsertResend, [
    businessId,
    livemode,
    newId(now),
    event.id,
    webhook.id,
    event.type,
    webhook.url,
    now,
  ])
  if (!row) throw new Error('a resend always gives its row')
  ringAfter(ctx.tx)
  const [delivery] = await toDeliveries(ctx, [row])
  return delivery as Delivery
}

async function getActiveWebhook(ctx: Ctx, id: string): Promise<Webhook> {
  const webhook = await getWebhook(ctx, id)
  if (!webhook.active) refuse('webhook_inactive', `The webhook endpoint '${id}' is inactive; activate it first.`)
  return webhook
}
