/**
 * Webhooks of transfers: queued as they happen, delivered when a test says so, signed as Monnify
 * signs. They have no id.
 */
import type { Rules, WebhookFault } from '../paystack/faults.ts'

// biome-ignore lint/suspicious/noExplicitAny: bodies of every shape
type Json = any
type Transfer = { reference: string; status: string }

const lateMs = 72 * 3_600_000
const mebibyte = 1024 * 1024

type Parts<T extends Transfer> = {
  rules: Rules
  secrets: Record<'secret' | 'previous' | 'other', string>
  /** Whether it signs: the sandbox does not. */
  signs: boolean
  now(): Date
  sign(raw: string, secret: string): string
  bodyOf(transfer: T): Json
}

const types: Record<string, string> = {
  SUCCESS: 'SUCCESSFUL_DISBURSEMENT',
  FAILED: 'FAILED_DISBURSEMENT',
  REVERSED: 'REVERSED_DISBURSEMENT',
}

export function openEvents<T extends Transfer>({
  rules,
  secrets,
  now,
  sign,
  signs,
  bodyOf,
}: Parts<T>) {
  const events = {
    url: null as string | null,
    queue: [] as { event: Json; reference: string; fault: WebhookFault | null; due: Date }[],
    deliveries: [] as { body: string; status: number }[],
    emit(transfer: T): void {
      const fault = rules.ofEvent('live', 'create_transfer')
      const { reference } = transfer
      const event = { eventType: types[transfer.status], eventData: bodyOf(transfer) }
      const due = new Date(now().getTime() + (fault === 'webhook_late' ? lateMs : 0))
      if (fault !== 'webhook_never' && event.eventType !== undefined)
        events.queue.push({ event, reference, fault, due })
    },
    /** Of what is no transfer. */
    tell(eventType: string, eventData: Json, reference: string): void {
      events.queue.push({ event: { eventType, eventData }, reference, fault: null, due: now() })
    },
    async post(body: string, secret = secrets.secret): Promise<number> {
      if (events.url === null) return 0
      const signature: Record<string, string> = signs
        ? { 'monnify-signature': sign(body, secret) }
        : {}
      const headers = { 'content-type': 'application/json', ...signature }
      const answer = await fetch(events.url, { method: 'POST', headers, body }).catch(() => null)
      await answer?.arrayBuffer()
      const status = answer?.status ?? 0
      events.deliveries.push({ body, status })
      return status
    },
    /**
     * Delivers what is due, one after the other. One out of order waits until another of its
     * transfer has happened, which goes first.
     */
    async deliver({ late = false } = {}): Promise<void> {
      const ready = events.queue.filter(
        ({ reference, fault, due }, i) =>
          (late || due <= now()) &&
          (fault !== 'webhook_out_of_order' ||
            events.queue.some((other, j) => j > i && other.reference === reference)),
      )
      events.queue = events.queue.filter((one) => !ready.includes(one))
      if (ready.some(({ fault }) => fault === 'webhook_out_of_order')) ready.reverse()
      for (const { event, fault } of ready) {
        const body = JSON.stringify(event)
        const more = JSON.stringify({
          ...event,
          eventData: { ...event.eventData, amount: 77.77, status: 'FAILED' },
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
