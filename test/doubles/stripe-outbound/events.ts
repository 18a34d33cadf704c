/**
 * Thin events of payments: queued as they happen, delivered when a test says so, signed as Stripe
 * signs.
 */
import { createHmac } from 'node:crypto'
import type { Stripe } from 'stripe'
import type { Rules, WebhookFault } from '../paystack/faults.ts'

type Event = Pick<Stripe.V2.Core.Event, 'id' | 'object' | 'type' | 'created' | 'livemode'> & {
  related_object: { id: string; type: string; url: string }
}

const lateMs = 72 * 3_600_000
const mebibyte = 1024 * 1024

type Parts = {
  rules: Rules
  secrets: Record<'live' | 'previous' | 'other', string>
  now(): Date
  id(prefix: string): string
}

export function openEvents({ rules, secrets, now, id }: Parts) {
  const events = {
    /** Every event that there was, as it is listed. */
    all: [] as Event[],
    url: null as string | null,
    queue: [] as { event: Event; fault: WebhookFault | null; due: Date }[],
    deliveries: [] as { body: string; status: number }[],
    emit(payment: { id: string; status: string }): void {
      const fault = rules.ofEvent('live', 'create_payment')
      const event: Event = {
        id: id('evt'),
        object: 'v2.core.event',
        created: now().toISOString(),
        livemode: true,
        type: `v2.money_management.outbound_payment.${payment.status}` as Event['type'],
        related_object: {
          id: payment.id,
          type: 'v2.money_management.outbound_payment',
          url: `/v2/money_management/outbound_payments/${payment.id}`,
        },
      }
      events.all.push(event)
      const due = new Date(now().getTime() + (fault === 'webhook_late' ? lateMs : 0))
      if (fault !== 'webhook_never') events.queue.push({ event, fault, due })
    },
    async post(body: string, secret = secrets.live, at = now()): Promise<number> {
      if (events.url === null) return 0
      const time = Math.floor(at.getTime() / 1_000)
      const signature = createHmac('sha256', secret).update(`${time}.${body}`).digest('hex')
      const headers = {
        'content-type': 'application/json',
        'stripe-signature': `t=${time},v1=${signature},v0=00`,
      }
      const answer = await fetch(events.url, { method: 'POST', headers, body }).catch(() => null)
      await answer?.arrayBuffer()
      const status = answer?.status ?? 0
      events.deliveries.push({ body, status })
      return status
    },
    /**
     * Delivers what is due, one after the other. One out of order waits until another of its
     * payment has happened, which goes first.
     */
    async deliver({ late = false } = {}): Promise<void> {
      const ready = events.queue.filter(
        ({ event, fault, due }, i) =>
          (late || due <= now()) &&
          (fault !== 'webhook_out_of_order' ||
            events.queue.some(
              (other, j) => j > i && other.event.related_object.id === event.related_object.id,
            )),
      )
      events.queue = events.queue.filter((one) => !ready.includes(one))
      if (ready.some(({ fault }) => fault === 'webhook_out_of_order')) ready.reverse()
      for (const { event, fault } of ready) {
        const body = JSON.stringify(event)
        const more = JSON.stringify({
          ...event,
          data: { status: 'posted', amount: { value: 99_999, currency: 'usd' } },
        })
        if (fault === 'webhook_twice_at_once')
          await Promise.all([events.post(body), events.post(body)])
        else if (fault === 'webhook_forged' || fault === 'webhook_test_key')
          await events.post(more, secrets.other)
        else if (fault === 'webhook_changed_amount') await events.post(more)
        else if (fault === 'webhook_previous_secret') await events.post(body, secrets.previous)
        else if (fault === 'webhook_oversized') await events.post(`${body}${' '.repeat(mebibyte)}`)
        else await events.post(body)
      }
    },
  }
  return events
}
