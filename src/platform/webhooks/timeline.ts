/** Timeline entries of events and deliveries, and the events and deliveries of other records. */
import type { View } from '../../core/inside.ts'
import { momentsOf, type Sought, type TimelineSource } from '../../core/timeline.ts'
import { later } from '../../lib/clock.ts'
import { type Id, idBound } from '../../lib/ids.ts'
import * as statements from './sql.ts'

/** An event, with its deliveries and their attempts. */
export type EventEntry = statements.EventAbout & {
  deliveries: (statements.DeliveryRow & { attempts: statements.LoggedAttempt[] })[]
}

/** Per type, in the requested time: a business emits few in one moment. */
const mostLookedThrough = 1_000

/**
 * Returns events about the given records by id, the newest `limit` of each, with their deliveries
 * and the latest 20 attempts of each.
 */
export async function eventsAbout(
  view: View,
  sought: Sought[],
  limit: number,
): Promise<EventEntry[]> {
  const spans = sought.flatMap((one) => ('type' in one ? [one] : []))
  const ids = sought.flatMap((one) => ('event' in one ? [one.event] : []))
  const found = [
    ...(await view.rows(statements.selectEventsAbout, [
      spans.map(({ type }) => type),
      spans.map(({ about }) => about),
      spans.map(({ between: [first] }) => idBound(first)),
      spans.map(({ between: [, last] }) => idBound(later(last, 1))),
      mostLookedThrough,
      limit,
    ])),
    ...(ids.length > 0 ? await view.rows(statements.selectEventsOnly, [ids]) : []),
  ]
  const events = [...new Map(found.map((event) => [event.id, event])).values()].sort((a, b) =>
    a.id < b.id ? -1 : 1,
  )
  if (events.length === 0) return []
  const deliveries = await view.rows(statements.selectDeliveriesOf, [events.map(({ id }) => id)])
  const attempts =
    deliveries.length > 0
      ? await view.rows(statements.selectAttempts, [deliveries.map(({ id }) => id)])
      : []
  const attemptsOf = Map.groupBy(attempts, (attempt) => attempt.delivery_id)
  const deliveriesOf = Map.groupBy(
    deliveries.map((delivery) => ({ ...delivery, attempts: attemptsOf.get(delivery.id) ?? [] })),
    (delivery) => delivery.event_id,
  )
  return events.map((event) => ({ ...event, deliveries: deliveriesOf.get(event.id) ?? [] }))
}

export const eventTimeline: TimelineSource = {
  kind: 'event',
  async read(view, id) {
    const [event] = await view.rows(statements.selectEventsOnly, [[id]])
    if (!event) return null
    return { status: null, moments: [], events: [{ event: id }], parts: partOf(event.about) }
  },
}

const partOf = (id: Id | null) => (id === null ? [] : [{ id }])

export const deliveryTimeline: TimelineSource = {
  kind: 'webhook_delivery',
  async read(view, id) {
    const delivery = await view.row(statements.selectDelivery, [id])
    if (!delivery) return null
    const { status, event_id, webhook_id } = delivery
    return {
      status,
      moments: [],
      related: { event: event_id, webhook: webhook_id },
      parts: [{ kind: 'event', id: event_id }],
    }
  },
}

export const webhookTimeline: TimelineSource = {
  kind: 'webhook',
  async read(view, id) {
    const row = await view.row(statements.selectWithDeleted, [id])
    if (!row) return null
    const { url, events, active, created_at, deleted_at } = row
    return {
      status: deleted_at !== null ? 'deleted' : active ? 'active' : 'inactive',
      moments: momentsOf([
        { at: created_at, title: 'The endpoint was registered', detail: { url, events } },
        { at: deleted_at, title: 'The endpoint was deleted' },
      ]),
    }
  },
}
