/**
 * What befalls webhooks, for every part of the matrix: what their sender is answered, what is kept
 * of them, and that each that is Paystack's has its record asked about at once. Of the others
 * nothing is kept, and timers find what happened.
 */
import assert from 'node:assert/strict'
import { listIncidents } from '../../src/platform/incidents/incidents.ts'
import { type Fault, webhookFaults } from '../doubles/paystack.ts'
import { type Json, until } from './harness.ts'
import type { openTill, Till } from './paystack.ts'

export type WebhookFault = (typeof webhookFaults)[number]

export const isOfWebhooks = (fault: Fault): fault is WebhookFault =>
  (webhookFaults as readonly string[]).includes(fault)

const keyBefore = 'sk_live_before'

/** What a till needs to be opened with, whose account has a key that it had before. */
export const rolled = {
  account: { secret_key_previous: 'env:KEY_BEFORE' },
  env: { KEY_BEFORE: keyBefore },
} satisfies Parameters<typeof openTill>[0]

/** Has the double send its webhooks to the till, some of them signed with the key before. */
export function listen<T extends Till>(till: T): T {
  till.double.live.events.url = `${till.server.url}/rails/paystack/live/webhook`
  till.double.keys.previous.live = keyBefore
  return till
}

/** Has a fault befall the webhooks that an operation leads to; those of before are forgotten. */
export async function befall(
  { double }: Till,
  operation: Parameters<Till['double']['fault']>[0],
  fault: WebhookFault,
) {
  double.live.events.queue.splice(0)
  // The second overtakes the first, so it is the first alone that waits.
  await double.fault(operation, fault, { times: fault === 'webhook_out_of_order' ? 1 : 9 })
}

const refused: Partial<Record<WebhookFault, number>> = {
  webhook_forged: 401,
  webhook_test_key: 401,
  webhook_oversized: 413,
}
const unsent: WebhookFault[] = ['webhook_never', 'webhook_late']

const keptOf = ({ server }: Till, reference: string): Promise<Json[]> =>
  server.app.db.query<Json>(
    'select type, deliveries, outcome from provider_events where reference = $1 order by id',
    [reference],
  )

/**
 * Delivers what is due about a record, and waits until it was looked at.
 * @param reference what the webhooks name it by
 * @returns whether anything was heard, so that the record must stand as the double says
 */
export async function hear(till: Till, fault: WebhookFault, reference: string): Promise<boolean> {
  const { events } = till.double.live
  await events.deliver()
  const sent = events.deliveries.filter(({ body }) => body.includes(`"${reference}"`))
  const answers = [...new Set(sent.map(({ status }) => status))]
  assert.deepEqual(
    answers,
    unsent.includes(fault) ? [] : [refused[fault] ?? 200],
    'what was answered',
  )
  const heard = answers.includes(200)
  const kept = await until(async () => {
    const rows = await keptOf(till, reference)
    return rows.every(({ outcome }) => outcome !== null) ? rows : null
  })
  const types = [...new Set(sent.map(({ event }) => event))]
  assert.deepEqual(kept.map(({ type }) => type).sort(), heard ? types.sort() : [], 'what is kept')
  for (const { deliveries, outcome } of kept) {
    assert.match(outcome, /^(applied|nothing_to_do)$/)
    assert.equal(deliveries, fault === 'webhook_twice_at_once' ? 2 : 1)
  }
  return heard
}

/** Delivers what was held back for three days: it is taken, and there is nothing left to do. */
export async function hearLate(till: Till, fault: WebhookFault, reference: string): Promise<void> {
  await till.double.clearFaults()
  const late = await till.double.live.events.deliver({ late: true })
  if (fault !== 'webhook_late') return assert.deepEqual(late, [])
  assert.ok(late.length > 0 && late.every(({ status }) => status === 200))
  const kept = await until(async () => {
    const rows = await keptOf(till, reference)
    return rows.length > 0 && rows.every(({ outcome }) => outcome !== null) ? rows : null
  })
  assert.ok(kept.every(({ outcome }) => outcome === 'nothing_to_do'))
}

/** How many incidents there are: none of these faults opens one, as each ends by itself. */
export const incidentsIn = async ({ server }: Till): Promise<number> =>
  (await listIncidents(server.app.db, { closed: true })).length
