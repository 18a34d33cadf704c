/** Reads the delivery log and the events. */
import type { View } from '../../core/inside.ts'
import type { Ctx } from '../../core/outside.ts'
import { listPage, mapPage, type PageOf } from '../../db/lists/list.ts'
import { refuse } from '../../lib/errors.ts'
import { idBound, isId } from '../../lib/ids.ts'
import { openBodies } from '../customer-keys/customer-keys.ts'
import { undealt } from '../team/team.ts'
import { droppedOf, keptNoLonger } from './retention.ts'
import type { Delivery, DeliveryQuery, Event, EventQuery } from './schema.ts'
import * as statements from './sql.ts'

/** The payload of an event, parsed from its body. */
export function payloadOf(event: { body: string }): Record<string, unknown> {
  return (JSON.parse(event.body) as { payload: Record<string, unknown> }).payload
}

export function listDeliveries(ctx: Ctx, query: DeliveryQuery): Promise<PageOf<Delivery>> {
  return ctx.snapshot((view) => readDeliveries(view, query))
}

async function readDeliveries(view: View, query: DeliveryQuery): Promise<PageOf<Delivery>> {
  const page = await listPage<statements.DeliveryRow>(view, statements.deliveries, query, {
    facets: { status: query.status, type: query.type },
    filters: [
      ['webhook_id = ?', query.webhook_id],
      ['event_id = ?', query.event_id],
    ],
  })
  return { ...page, docs: await toDeliveries(view, page.docs) }
}

/** @throws {Refusal} `not_found` */
export function getDelivery(ctx: Ctx, id: string): Promise<Delivery> {
  return ctx.snapshot(async (view) => {
    const row = await view.row(statements.selectDelivery, [id])
    if (!row) return refuseUnknown(view, 'webhook delivery', id)
    const [delivery] = await toDeliveries(view, [row])
    return delivery as Delivery
  })
}

/** Turns rows into records. Reads payloads and attempts for all rows at once. */
export async function toDeliveries(
  view: View,
  rows: statements.DeliveryRow[],
): Promise<Delivery[]> {
  if (rows.length === 0) return []
  const eventIds = [...new Set(rows.map((row) => row.event_id))]
  const events = await opened(view, await view.rows(statements.selectSent, [eventIds]))
  const deliveryIds = rows.map((row) => row.id)
  const attempts = await view.rows(statements.selectAttempts, [deliveryIds])

  const eventOf = new Map(events.map((event) => [event.id, event]))
  const attemptsOf = Map.groupBy(attempts, (attempt) => attempt.delivery_id)
  return rows.map((row) => {
    const event = eventOf.get(row.event_id)
    if (!event) throw new Error(`delivery ${row.id} has no event`)
    return {
      ...row,
      payload: payloadOf(event),
      metadata: event.metadata,
      attempts: attemptsOf.get(row.id) ?? [],
    }
  })
}

export async function listEvents(view: View, query: EventQuery): Promise<PageOf<Event>> {
  const page = await listPage<statements.EventRow>(view, statements.events, query, {
    facets: { type: query.type },
  })
  return mapPage({ ...page, docs: await opened(view, page.docs) }, toEvent)
}

/** Returns the newest events of a type that no person has dealt with. */
export async function findUndealtEvents(
  view: View,
  type: NonNullable<EventQuery['type']>,
  limit: number,
): Promise<Event[]> {
  const narrowed = { counted: false, where: undealt('events'), facets: { type } } as const
  const page = await listPage<statements.EventRow>(view, statements.events, { limit }, narrowed)
  return (await opened(view, page.docs)).map(toEvent)
}

/** @throws {Refusal} `not_found`, also for a sample */
export async function getEvent(view: View, id: string): Promise<Event> {
  const row = await view.row(statements.selectEvent, [id])
  const [event] = await opened(view, [row ?? (await refuseUnknown(view, 'event', id))])
  return toEvent(event as statements.EventRow)
}

/**
 * Returns an event or a sample.
 * @throws {Refusal} `not_found`
 */
export async function getSent(view: View, id: string): Promise<statements.EventRow> {
  return (await view.row(statements.selectSent, [[id]])) ?? refuseUnknown(view, 'event', id)
}

/** Decrypts the personal data of events, unless the customer is erased. */
export async function opened(
  view: View,
  events: statements.EventRow[],
): Promise<statements.EventRow[]> {
  const { businessId: business_id, livemode } = view.scope
  const kept = events.map(({ id, ...event }) => ({ ...event, business_id, livemode, row: id }))
  const bodies = await openBodies(view.reader, view.secrets, kept)
  return events.map((event, i) => {
    const body = bodies[i] as string
    if (event.sealed === null) return event
    return { ...event, body, metadata: payloadOf({ body }).metadata as Record<string, unknown> }
  })
}

async function refuseUnknown(view: View, what: string, id: string): Promise<never> {
  const { before } = await droppedOf(view.reader)
  if (isId(id) && before !== null && id < idBound(before))
    refuse('not_found', keptNoLonger(what, id, before))
  return refuse('not_found', `There is no ${what} '${id}'.`)
}

function toEvent({
  body,
  customer_id: _customer,
  sealed: _sealed,
  ...row
}: statements.EventRow): Event {
  return {
    ...row,
    timestamp: row.created_at,
    payload: payloadOf({ body }),
    updated_at: row.created_at,
  }
}
