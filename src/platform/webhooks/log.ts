/**
 * What can be read: the delivery log, and the events themselves.
 */
import { type Ctx, reader } from '../../core/context.ts'
import { snapshot } from '../../db/db.ts'
import { listPage, mapPage, type PageOf } from '../../db/list.ts'
import { refuse } from '../../lib/errors.ts'
import type { Static } from '../../lib/schema.ts'
import type { Delivery, DeliveryQuery, Event, EventQuery } from './schema.ts'
import * as statements from './sql.ts'

/** The payload of an event, read from the bytes that are sent. */
export function payloadOf(event: { body: string }): Record<string, unknown> {
  return (JSON.parse(event.body) as { payload: Record<string, unknown> }).payload
}

export function listDeliveries(ctx: Ctx, query: Static<typeof DeliveryQuery>): Promise<PageOf<Delivery>> {
  return snapshot(ctx.db, (tx) => readDeliveries({ ...ctx, tx }, query))
}

async function readDeliveries(ctx: Ctx, query: Static<typeof DeliveryQuery>): Promise<PageOf<Delivery>> {
  const page = await listPage<statements.DeliveryRow>(
    reader(ctx),
    {
      table: 'webhook_deliveries',
      columns: statements.deliveryColumns,
      business: ctx.scope.businessId,
      livemode: ctx.scope.livemode,
      facets: { status: query.status, type: query.type },
      filters: [
        ['webhook_id = ?', query.webhook_id],
        ['event_id = ?', query.event_id],
      ],
    },
    query,
  )
  return { ...page, docs: await toDeliveries(ctx, page.docs) }
}

/**
 * One delivery with its tries.
 * @throws {Refusal} `not_found`
 */
export async function getDelivery(ctx: Ctx, id: string): Promise<Delivery> {
  const { businessId, livemode } = ctx.scope
  return snapshot(ctx.db, async (tx) => {
    const row = await tx.row(statements.selectDelivery, [businessId, livemode, id])
    if (!row) return refuse('not_found', `There is no webhook delivery '${id}'.`)
    const [delivery] = await toDeliveries({ ...ctx, tx }, [row])
    return delivery as Delivery
  })
}

/** Turns rows into records; payloads and tries are read for all of them at once. */
export async function toDeliveries(ctx: Ctx, rows: statements.DeliveryRow[]): Promise<Delivery[]> {
  if (rows.length === 0) return []
  const { businessId, livemode } = ctx.scope
  const eventIds = [...new Set(rows.map((row) => row.event_id))]
  const events = await reader(ctx).rows(statements.selectEvents, [businessId, livemode, eventIds])
  const deliveryIds = rows.map((row) => row.id)
  const attempts = await reader(ctx).rows(statements.selectAttempts, [businessId, livemode, deliveryIds])

  const eventOf = new Map(events.map((event) => [event.id, event]))
  const attemptsOf = Map.groupBy(attempts, (attempt) => attempt.delivery_id)
  return rows.map((row) => {
    const event = eventOf.get(row.event_id)
    if (!event) throw new Error(`delivery ${row.id} has no event`)
    return { ...row, payload: payloadOf(event), metadata: event.metadata, attempts: attemptsOf.get(row.id) ?? [] }
  })
}

export async function listEvents(ctx: Ctx, query: Static<typeof EventQuery>): Promise<PageOf<Event>> {
  const page = await listPage<statements.EventRow>(
    reader(ctx),
    {
      table: 'events',
      columns: statements.eventColumns,
      business: ctx.scope.businessId,
      livemode: ctx.scope.livemode,
      facets: { type: query.type },
    },
    query,
  )
  return mapPage(page, toEvent)
}

/**
 * One event.
 * @throws {Refusal} `not_found`
 */
export async function getEvent(ctx: Ctx, id: string): Promise<Event> {
  return toEvent(await getEventRow(ctx, id))
}

/**
 * One event as it is stored.
 * @throws {Refusal} `not_found`
 */
export async function getEventRow(ctx: Ctx, id: string): Promise<statements.EventRow> {
  const { businessId, livemode } = ctx.scope
  const row = await reader(ctx).row(statements.selectEvents, [businessId, livemode, [id]])
  return row ?? refuse('not_found', `There is no event '${id}'.`)
}

function toEvent({ body, ...row }: statements.EventRow): Event {
  return { ...row, timestamp: row.created_at, payload: payloadOf({ body }), updated_at: row.created_at }
}
