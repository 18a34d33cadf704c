import type { PersonalPart } from '../../core/personal.ts'
import { sql } from '../../db/db.ts'
import type { Id } from '../../lib/ids.ts'
import { opened, payloadOf } from './log.ts'
import type { EventRow } from './sql.ts'

const selectEvents = sql<EventRow>(
  'webhooks.select_events_of_customer',
  `select id, livemode, type, body, metadata, customer_id, sealed, created_at from events
    where business_id = $1 and livemode = $2 and customer_id = $3 order by id desc limit $4`,
)

const eraseAnswers = sql<{ id: Id }>(
  'webhooks.erase_answers',
  `update webhook_attempts a set response_body = null
     from events e
     join webhook_deliveries d on d.business_id = e.business_id and d.livemode = e.livemode and d.event_id = e.id
    where e.business_id = $1 and e.livemode = $2 and e.customer_id = $3
      and a.business_id = d.business_id and a.livemode = d.livemode and a.delivery_id = d.id and a.response_body is not null`,
)

/**
 * Answers of endpoints to events about the customer: an answer may quote the event. Erasing the
 * customer's key makes the events themselves unreadable.
 */
export const personalEvents: PersonalPart = {
  name: 'events',
  async records(view, { id }, most) {
    const rows = await opened(view, await view.rows(selectEvents, [id, most + 1]))
    return rows.map(({ id: event_id, type, created_at, ...event }) => ({
      id: event_id,
      type,
      created_at,
      payload: payloadOf(event),
    }))
  },
  async erase(work, { id }) {
    await work.rows(eraseAnswers, [id])
  },
}
