/**
 * What each receiver of `examples/receivers` is sent, and what it must answer: events as the server
 * makes them, signed as the server signs them.
 */
import { paymentEvents } from '../../src/collecting/payments/payments.ts'
import type { Scope } from '../../src/core/app.ts'
import { newId } from '../../src/lib/ids.ts'
import { toJson } from '../../src/lib/json.ts'
import { deliveryHeaders, type SigningSecrets } from '../../src/platform/webhooks/signing.ts'

export type Delivery = {
  name: string
  headers: Record<string, string>
  body: string
  /** Whether it is answered 2xx, or 401. */
  taken: boolean
  /**
   * What the receiver's program says when it acts on it; null when it must not, since it is refused
   * or a repeat.
   */
  says: string | null
  /** How often it comes at once. */
  times?: number
}

type Event = { id: string; body: string; says: string }
const type = 'payment.completed'

function eventOf(scope: Scope, reference: string): Event {
  const payload = {
    ...paymentEvents[type].sample(scope),
    reference,
    description: 'Ọ̀fẹ́ – 日本 “ò” \u2028 <b>',
  }
  const id = newId(scope.now)
  return {
    id,
    body: toJson({ id, type, timestamp: scope.now, payload }),
    says: `${type} ${reference} ${payload.amount} ${payload.currency}`,
  }
}

/**
 * What is left of a delivery when somebody takes the headers of Standard Webhooks away, and with
 * them its age.
 */
function withoutTime({
  headers,
  body,
}: Pick<Delivery, 'headers' | 'body'>): Pick<Delivery, 'headers' | 'body'> {
  return {
    body,
    headers: Object.fromEntries(
      Object.entries(headers).filter(([name]) => !name.startsWith('webhook-')),
    ),
  }
}

/**
 * The table, in the order in which it is sent.
 * @param secret the one that the receiver has
 */
export function deliveriesFor(scope: Scope, secret: string, another: string): Delivery[] {
  const at = (event: Event, secrets: SigningSecrets = [secret], ageSeconds = 0) => ({
    body: event.body,
    headers: deliveryHeaders(
      { event_id: event.id, type, body: event.body, attempt: 1, sample: false },
      secrets,
      new Date(scope.now.getTime() - ageSeconds * 1_000),
    ),
  })
  const [first, rolled, twice, refused] = ['order-1', 'order-2', 'order-3', 'order-4'].map(
    (reference) => eventOf(scope, reference),
  ) as [Event, Event, Event, Event]
  const good = at(first)
  const unhandled = { taken: false, says: null }
  return [
    { name: 'a good delivery', ...good, taken: true, says: first.says },
    { name: 'its repeat', ...good, taken: true, says: null },
    { name: 'its repeat, signed anew', ...at(first, [secret], 60), taken: true, says: null },
    {
      name: 'a tampered body',
      ...at(refused),
      body: refused.body.replace('250000', '950000'),
      ...unhandled,
    },
    {
      name: 'another id under the same signature',
      body: first.body,
      headers: { ...good.headers, 'webhook-id': newId(scope.now), 'X-Signature': '' },
      ...unhandled,
    },
    { name: 'an old timestamp', ...at(refused, [secret], 400), ...unhandled },
    { name: 'a timestamp ahead', ...at(refused, [secret], -400), ...unhandled },
    { name: 'a wrong secret', ...at(refused, [another]), ...unhandled },
    {
      name: 'no signature',
      body: refused.body,
      headers: { 'Content-Type': 'application/json' },
      ...unhandled,
    },
    { name: 'X-Signature alone, which covers no time', ...withoutTime(at(refused)), ...unhandled },
    {
      name: 'a rolled secret with two signatures',
      ...at(rolled, [another, secret]),
      taken: true,
      says: rolled.says,
    },
    { name: 'five at once', ...at(twice), taken: true, says: twice.says, times: 5 },
  ]
}
