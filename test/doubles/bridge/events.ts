/**
 * Events of transfers: queued as they happen, delivered when a test says so, signed as Bridge
 * signs.
 */
import { createHash, createSign, generateKeyPairSync, type KeyObject } from 'node:crypto'
import type { Rules, WebhookFault } from '../paystack/faults.ts'
import { type Json, transferBody } from './api.ts'
import type { Books, Transfer } from './books.ts'

/** `live` is now the endpoint's, `previous` was, and `other` is another endpoint's. */
export type Keys = Record<
  'live' | 'previous' | 'other',
  { publicKey: string; privateKey: KeyObject }
>

export function makeKeys(): Keys {
  const make = () => {
    const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
    return { publicKey: publicKey.export({ type: 'spki', format: 'pem' }).toString(), privateKey }
  }
  return { live: make(), previous: make(), other: make() }
}

/**
 * @param isOfDigest as Bridge signs: the digest of what is signed, by RSA with SHA-256, which makes
 * a digest of it again
 */
export function signed(body: string, at: Date, key: KeyObject, isOfDigest = true): string {
  const text = `${at.getTime()}.${body}`
  const bytes = isOfDigest ? createHash('sha256').update(text).digest() : Buffer.from(text)
  return `t=${at.getTime()},v0=${createSign('sha256').update(bytes).sign(key, 'base64')}`
}

export type WaitingEvent = {
  id: number
  subject: string
  body: Json
  fault: WebhookFault | null
  due: Date
}
export type Delivery = { event: string; body: string; status: number }

const lateMs = 72 * 3_600_000
const mebibyte = 1024 * 1024
const eventType = 'transfer.updated.status_transitioned'

export function openEvents(keys: Keys, rules: Rules, books: Books) {
  let last = 0
  const events = {
    /** Where the endpoint is; null for nowhere: they are kept. */
    url: null as string | null,
    queue: [] as WaitingEvent[],
    deliveries: [] as Delivery[],

    emit(operation: string, transfer: Transfer): void {
      const fault = rules.ofEvent('live', operation)
      if (fault === 'webhook_never') return
      const due = new Date(books.now().getTime() + (fault === 'webhook_late' ? lateMs : 0))
      const body = {
        api_version: 'v0',
        event_id: `wh_${++last}_${transfer.id}`,
        event_category: 'transfer',
        event_type: eventType,
        event_object_id: transfer.id,
        event_object_status: transfer.state,
        event_object: transferBody(books, transfer),
        event_object_changes: {},
        event_created_at: books.now().toISOString(),
      }
      events.queue.push({ id: last, subject: transfer.reference, body, fault, due })
    },

    /**
     * Delivers what is due, one after the other. One out of order waits until another of its record
     * has happened, which goes first.
     */
    async deliver({ late = false } = {}): Promise<Delivery[]> {
      const isDue = (one: WaitingEvent): boolean => late || one.due <= books.now()
      const overtaken = (one: WaitingEvent): boolean =>
        events.queue.some((other) => other.subject === one.subject && other.id > one.id)
      const ready = events.queue.filter(
        (one) => isDue(one) && (one.fault !== 'webhook_out_of_order' || overtaken(one)),
      )
      events.queue = events.queue.filter((one) => !ready.includes(one))
      if (ready.some((one) => one.fault === 'webhook_out_of_order')) ready.reverse()
      const sent: Delivery[] = []
      for (const one of ready) sent.push(...(await deliverOne(one)))
      return sent
    },

    /** Sends a body as it is, signed at a time by a key. */
    async post(
      body: string,
      key: KeyObject = keys.live.privateKey,
      at = books.now(),
      isOfDigest = true,
    ): Promise<number> {
      if (events.url === null) return 0
      const headers = {
        'content-type': 'application/json',
        'x-webhook-signature': signed(body, at, key, isOfDigest),
      }
      const answer = await fetch(events.url, { method: 'POST', headers, body }).catch(() => null)
      await answer?.arrayBuffer()
      return answer?.status ?? 0
    },
  }

  async function deliverOne({ body, fault }: WaitingEvent): Promise<Delivery[]> {
    const more = {
      ...body,
      event_object: { ...body.event_object, amount: '9999.99', state: 'payment_processed' },
    }
    const send = async (what: Json, key = keys.live.privateKey): Promise<Delivery> => {
      const text = JSON.stringify(what)
      const delivery = { event: what.event_type, body: text, status: await events.post(text, key) }
      events.deliveries.push(delivery)
      return delivery
    }
    switch (fault) {
      case 'webhook_twice_at_once':
        return Promise.all([send(body), send(body)])
      case 'webhook_forged':
      case 'webhook_test_key':
        return [await send(more, keys.other.privateKey)]
      case 'webhook_changed_amount':
        return [await send(more)]
      case 'webhook_previous_secret':
        return [await send(body, keys.previous.privateKey)]
      case 'webhook_oversized':
        return [await send({ ...body, event_object_changes: { more: 'x'.repeat(mebibyte) } })]
      default:
        return [await send(body)]
    }
  }
  return events
}
export type Events = ReturnType<typeof openEvents>
