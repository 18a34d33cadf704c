/** Sends by hand: resends an event, recovers failed deliveries, or sends a sample. */
import type { View, Work } from '../../core/inside.ts'
import type { EventDeclarations } from '../../core/module.ts'
import { refuseInput } from '../../lib/errors.ts'
import { type Id, newId } from '../../lib/ids.ts'
import { toJson } from '../../lib/json.ts'
import { notifyDispatcher } from '../events/events.ts'
import { getSent, payloadOf, toDeliveries } from './log.ts'
import { refuse } from './refusals.ts'
import { closedBefore, keptNoLonger, timeOf } from './retention.ts'
import type { Delivery, Webhook } from './schema.ts'
import * as statements from './sql.ts'
import { getWebhook } from './webhooks.ts'

/**
 * Sends an event or a sample to an endpoint now, with the same bytes, even if it was never sent
 * there. Retries start again from the first.
 * @throws {Refusal} `not_found`, `webhook_inactive`
 */
export async function resend(work: Work, eventId: string, webhookId: string): Promise<Delivery> {
  const webhook = await getActiveWebhook(work, webhookId)
  const event = await getSent(work, eventId)
  const closed = await closedBefore(work)
  if (event.id < closed) refuse('not_found', keptNoLonger('event', event.id, timeOf(closed)))
  await logResends(work, [event.id])
  return sendNow(work, event, webhook)
}

/**
 * Resends every failed delivery of an endpoint that was created at `since` or later, and returns
 * their number.
 * @throws {Refusal} `not_found`, `webhook_inactive`, `validation_failed`
 */
export async function recover(
  work: Work,
  webhookId: string,
  since: string,
): Promise<{ recovered: number }> {
  const from = new Date(since)
  if (Number.isNaN(from.getTime()))
    refuseInput([{ path: 'since', message: 'since must be a date and time', location: 'body' }])
  await getActiveWebhook(work, webhookId)
  const due = await work.rows(statements.recoverDeliveries, [
    webhookId,
    from,
    work.scope.now,
    await closedBefore(work),
  ])
  await logResends(
    work,
    due.map((delivery) => delivery.event_id),
  )
  work.afterCommit(notifyDispatcher)
  return { recovered: due.length }
}

/**
 * Sends a sample event of a type to one endpoint, whatever it subscribes to. The payload copies the
 * newest event of the type or a made-up record, with `test: true` added so that no receiver
 * mistakes it for a real event. Only the delivery log shows it.
 * @throws {Refusal} `not_found`, `webhook_inactive`
 */
export async function sendSample(
  work: Work,
  events: EventDeclarations,
  webhookId: string,
  type: string,
): Promise<Delivery> {
  const { now } = work.scope
  const webhook = await getActiveWebhook(work, webhookId)
  const newest = await work.row(statements.selectNewestEvent, [type])
  const id = newId(now)
  const model = newest ? payloadOf(newest) : events[type]?.sample(work.scope)
  const body = toJson({ id, type, timestamp: now, payload: { ...(model as object), test: true } })
  await work.rows(statements.insertSample, [id, type, body, toJson(newest?.metadata ?? {}), now])
  return sendNow(work, { id, type }, webhook)
}

/** Makes the event stream show resent events again. It never shows samples. */
async function logResends(work: Work, eventIds: Id[]): Promise<void> {
  await work.rows(statements.insertResends, [eventIds.map(() => newId(work.scope.now)), eventIds])
}

async function sendNow(
  work: Work,
  event: { id: Id; type: string },
  webhook: Webhook,
): Promise<Delivery> {
  const { now } = work.scope
  const row = await work.row(statements.upsertResend, [
    newId(now),
    event.id,
    webhook.id,
    event.type,
    webhook.url,
    now,
  ])
  if (!row) throw new Error('a resend always gives its row')
  work.afterCommit(notifyDispatcher)
  const [delivery] = await toDeliveries(work, [row])
  return delivery as Delivery
}

async function getActiveWebhook(view: View, id: string): Promise<Webhook> {
  const webhook = await getWebhook(view, id)
  if (!webhook.active)
    refuse('webhook_inactive', `The webhook endpoint '${id}' is inactive; activate it first.`)
  return webhook
}
