/**
 * Snapshot events of API v1: queued as they happen, delivered when a test says so, signed as Stripe
 * signs.
 */
import { createHmac } from 'node:crypto'
import type { Rules, WebhookFault } from '../paystack/faults.ts'

// biome-ignore lint/suspicious/noExplicitAny: bodies of every shape
type Json = any
type Event = {
  id: string
  type: string
  created: number
  livemode: boolean
  data: { object: Json }
}

const lateMs = 72 * 3_600_000
const mebibyte = 1024 * 1024

type Parts = {
  rules: Rules
  secrets: Record<'live' | 'previous' | 'other', string>
  now(): Date
  id(prefix: string): string
  livemode: boolean
}

export function openSnapshots({ rules, secrets, now, id, livemode }: Parts) {
  const events = {
    /** Every event that there was, as it is listed. */
    all: [] as Event[],
    url: null as string | null,
    queue: [] as { event: Event; reference: string; fault: WebhookFault | null; due: Date }[],
    deliveries: [] as { type: string; reference: string; status: number }[],
    /** @param about as it is then */
    emit(type: string, reference: string, about: Json): void {
      const fault = rules.ofEvent('live', 'create_session')
      const object = structuredClone(about)
      // Events expand nothing.
      if (object.payment_intent) object.payment_intent = object.payment_intent.id
      const event = {
        id: id('evt'),
        object: 'event',
        type,
        created: Math.floor(now().getTime() / 1_000),
      }
      const whole = { ...event, livemode, api_version: '2026-10-28.endive', data: { object } }
      events.all.push(whole)
      const due = new Date(now().getTime() + (fault === 'webhook_late' ? lateMs : 0))
      if (fault !== 'webhook_never') events.queue.push({ event: whole, reference, fault, due })
    },
    async post(
      event: Event,
      reference: string,
      { secret = secrets.live, padding = 0 } = {},
    ): Promise<number> {
      if (events.url === null) return 0
      const body = JSON.stringify(event) + ' '.repeat(padding)
      const time = Math.floor(now().getTime() / 1_000)
      const signature = createHmac('sha256', secret).update(`${time}.${body}`).digest('hex')
      const headers = {
        'content-type': 'application/json',
        'stripe-signature': `t=${time},v1=${signature},v0=00`,
      }
      const answer = await fetch(events.url, { method: 'POST', headers, body }).catch(() => null)
      await answer?.arrayBuffer()
      const status = answer?.status ?? 0
      events.deliveries.push({ type: event.type, reference, status })
      return status
    },
    /** Delivers what is due, one after the other; of those out of order the last first. */
    async deliver({ late = false } = {}): Promise<number> {
      const ready = events.queue.filter(({ due }) => late || due <= now())
      events.queue = events.queue.filter((one) => !ready.includes(one))
      if (ready.some(({ fault }) => fault === 'webhook_out_of_order')) ready.reverse()
      for (const { event, reference, fault } of ready) {
        const object = {
          ...event.data.object,
          amount_total: 99_999,
          amount: 99_999,
          payment_status: 'paid',
        }
        const changed = { ...event, data: { object } }
        if (fault === 'webhook_twice_at_once')
          await Promise.all([events.post(event, reference), events.post(event, reference)])
        else if (fault === 'webhook_forged' || fault === 'webhook_test_key')
          await events.post(changed, reference, { secret: secrets.other })
        else if (fault === 'webhook_changed_amount') await events.post(changed, reference)
        else if (fault === 'webhook_previous_secret')
          await events.post(event, reference, { secret: secrets.previous })
        else if (fault === 'webhook_oversized')
          await events.post(event, reference, { padding: mebibyte })
        else await events.post(event, reference)
      }
      return ready.length
    },
  }
  return events
}
