/**
 * Events: queued as they happen, delivered when a test says so, signed as Paystack signs: hex
 * HMAC-SHA512 of the raw body with the secret key.
 */
import { createHmac } from 'node:crypto'
import { request as requestPlain } from 'node:http'
import { request as requestTls } from 'node:https'
import type { Mode } from './books.ts'
import type { Rules, WebhookFault } from './faults.ts'
import type { Settings } from './settings.ts'
import type { Json } from './shapes.ts'

/**
 * Secret keys, which sign webhooks too. A key that was rolled signs for a while what was under way.
 */
export type Keys = { live: string; test: string; previous: Record<Mode, string | null> }

/** `operation` is what made the subject; `subject` tells the events of one record. */
export type WaitingEvent = {
  id: number
  operation: string
  subject: string
  event: string
  data: Json
  fault: WebhookFault | null
  /** Not delivered before then, unless what is late is asked for. */
  due: Date
  deliveries: number
}

/** One delivery. `status` is what the receiver answered, 0 where there was no answer. */
export type Delivery = {
  event: string
  subject: string
  body: string
  signature: string
  status: number
}

const lateMs = 72 * 3_600_000
const mebibyte = 1024 * 1024

export const sign = (body: string | Buffer, secret: string): string =>
  createHmac('sha512', secret).update(body).digest('hex')

/**
 * POSTs a body and resolves with the status, 0 for none within 30 s, which is how long Paystack
 * waits.
 */
export function post(
  url: string,
  body: string,
  signature: string,
  ca: string | undefined,
): Promise<number> {
  return new Promise((resolve) => {
    const target = new URL(url)
    const headers = {
      'content-type': 'application/json',
      'x-paystack-signature': signature,
      'user-agent': 'Paystack/2.0',
    }
    const request = target.protocol === 'https:' ? requestTls : requestPlain
    const sent = request(
      target,
      { method: 'POST', headers, timeout: 30_000, ...(ca ? { ca } : {}) },
      (response) => {
        response.resume()
        response.on('end', () => resolve(response.statusCode ?? 0))
        response.on('error', () => resolve(0))
      },
    )
    sent.on('timeout', () => sent.destroy())
    sent.on('error', () => resolve(0))
    sent.end(body)
  })
}

/** The same event with more money in it, wherever it has an amount. */
function withMoreMoney(data: Json): Json {
  const more = (value: unknown): unknown =>
    typeof value === 'string' ? String(Number(value) * 10) : Number(value) * 10
  const changed = { ...data }
  for (const field of ['amount', 'requested_amount'])
    if (field in changed) changed[field] = more(changed[field])
  return changed
}

export function openEvents(
  mode: Mode,
  keys: Keys,
  rules: Rules,
  settings: Settings,
  now: () => Date,
) {
  let last = 0
  const events = {
    /** Where Paystack's dashboard says that events go; null for nowhere: they are kept. */
    url: null as string | null,
    /** The authority of that address's certificate. */
    ca: undefined as string | undefined,
    queue: [] as WaitingEvent[],
    /** What was never to be delivered. */
    lost: [] as WaitingEvent[],
    deliveries: [] as Delivery[],

    emit(operation: string, subject: string, event: string, data: Json): void {
      const fault = rules.ofEvent(mode, operation)
      const due = new Date(now().getTime() + (fault === 'webhook_late' ? lateMs : 0))
      const waiting = { id: ++last, operation, subject, event, data, fault, due, deliveries: 0 }
      if (fault === 'webhook_never') events.lost.push(waiting)
      else events.queue.push(waiting)
      if (settings.autopilot) setImmediate(() => void events.deliver())
    },

    /**
     * Sends anything at all, signed as it should be or by another key. It answers the receiver's
     * status.
     */
    async inject(event: string, data: Json, secret = keys[mode]): Promise<number> {
      const [delivery] = await send(
        {
          id: ++last,
          operation: '',
          subject: '',
          event,
          data,
          fault: null,
          due: now(),
          deliveries: 0,
        },
        secret,
      )
      return delivery.status
    },

    /**
     * Delivers what is due, in the order in which it happened unless a fault says otherwise, one
     * after the other, and answers what was sent. An event out of order waits until another of its
     * record has happened, which goes first.
     * @param late deliver also what comes 72 hours late
     */
    async deliver({ late = false } = {}): Promise<Delivery[]> {
      const isDue = (one: WaitingEvent): boolean => late || one.due <= now()
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

    /** Delivers again what the receiver did not answer with 200, as Paystack does for 72 hours. */
    async retry(): Promise<Delivery[]> {
      const ended = events.deliveries.filter((one) => one.status === 200).map((one) => one.body)
      const failed = new Map(
        events.deliveries.filter((one) => !ended.includes(one.body)).map((one) => [one.body, one]),
      )
      const sent: Delivery[] = []
      for (const one of failed.values()) sent.push(await sendBody(one))
      return sent
    },
  }

  async function sendBody({
    event,
    subject,
    body,
    signature,
  }: Omit<Delivery, 'status'>): Promise<Delivery> {
    const status = events.url === null ? 0 : await post(events.url, body, signature, events.ca)
    const delivery = { event, subject, body, signature, status }
    events.deliveries.push(delivery)
    return delivery
  }

  async function send(
    one: WaitingEvent,
    secret: string | null,
    copies = 1,
  ): Promise<[Delivery, ...Delivery[]]> {
    one.deliveries += copies
    const body = JSON.stringify({ event: one.event, data: one.data })
    const signature = secret === null ? sign(body, 'nobody has this key') : sign(body, secret)
    const { event, subject } = one
    const sent = Array.from({ length: copies }, () => sendBody({ event, subject, body, signature }))
    return (await Promise.all(sent)) as [Delivery, ...Delivery[]]
  }

  function deliverOne(one: WaitingEvent): Promise<Delivery[]> {
    const changed = { ...one, data: withMoreMoney(one.data) }
    switch (one.fault) {
      case 'webhook_twice_at_once':
        return send(one, keys[mode], 2)
      case 'webhook_forged':
        return send(changed, null)
      case 'webhook_changed_amount':
        return send(changed, keys[mode])
      case 'webhook_test_key':
        return send(changed, keys.test)
      case 'webhook_previous_secret':
        return send(one, keys.previous[mode] ?? keys[mode])
      case 'webhook_oversized':
        return send({ ...one, data: { ...one.data, metadata: 'x'.repeat(mebibyte) } }, keys[mode])
      default:
        return send(one, keys[mode])
    }
  }
  return events
}
export type Events = ReturnType<typeof openEvents>
