/**
 * The targets of webhooks: they keep what they have taken, and misbehave while faults are on.
 */
import { createHmac, hash } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { type Chance, chance } from '../test/support/chance.ts'
import { type Received, startReceiver } from '../test/support/receiver.ts'
import type { MovedClock } from './clock.ts'
import { targetName } from './names.ts'
import type { Tally } from './tally.ts'

export type Endpoint = {
  url: string
  /** The secrets that sign now. */
  secrets: string[]
  /** What it has answered with success, and so has: a digest of its bytes by each event's id. */
  taken: Map<string, string>
  /** The bytes of those that nobody has looked at yet. */
  fresh: Map<string, string>
}

export type Targets = {
  caFile: string
  open(name: string): Endpoint
  /** How many of its answers are faulty. */
  share: number
  stop(): Promise<void>
}

type Misbehaviour = (response: ServerResponse) => void

/** How far the time of a signature may be from now. */
const toleranceMs = 300_000

const big = Buffer.alloc(64 * 1024, 'x')

/** What a target does instead of taking an event. */
const misbehaviours: Record<string, Misbehaviour> = {
  'receiver: 500': (response) => response.writeHead(500).end('no'),
  'receiver: 404': (response) => response.writeHead(404).end(),
  'receiver: hangs': () => {},
  'receiver: redirects': (response) =>
    response.writeHead(302, { location: 'https://localhost:1/' }).end(),
  'receiver: resets': (response) => response.destroy(),
  'receiver: half an answer': (response) => {
    response.writeHead(200, { 'content-length': '1000' }).write('x')
    setTimeout(() => response.destroy(), 20)
  },
  'receiver: endless error': (response) => {
    response.writeHead(500)
    const more = (): void => {
      if (!response.destroyed) response.write(big, () => setImmediate(more))
    }
    more()
    setTimeout(() => response.destroy(), 300)
  },
}

export async function startTargets(
  seed: number,
  tally: Tally,
  clock: MovedClock,
): Promise<Targets> {
  const by: Chance = chance(seed)
  const receiver = await startReceiver(targetName)
  const endpoints = new Map<string, Endpoint>()
  const targets: Targets = {
    caFile: receiver.caFile,
    share: 0,
    open(name) {
      const endpoint: Endpoint = {
        url: `${receiver.url}/${name}`,
        secrets: [],
        taken: new Map(),
        fresh: new Map(),
      }
      endpoints.set(`/${name}`, endpoint)
      return endpoint
    },
    stop: () => receiver.stop(),
  }
  const take = (endpoint: Endpoint, { headers, body }: Received): void => {
    const text = body.toString()
    const [name, sentAt] = [String(headers['webhook-id']), String(headers['webhook-timestamp'])]
    const signed = (secret: string): string =>
      `v1,${createHmac('sha256', secret).update(`${name}.${sentAt}.`).update(body).digest('base64')}`
    // The secret that signs may be so new that its answer is still on its way: then the one before
    // signs beside it.
    const signatures = String(headers['webhook-signature']).split(' ')
    if (!endpoint.secrets.some((secret) => signatures.includes(signed(secret))))
      tally.finding(
        'webhook signature',
        `${headers['x-event-id']} is signed by none of the endpoint's secrets`,
      )
    if (!clock.isRecent(new Date(Number(sentAt) * 1_000), toleranceMs))
      tally.finding('webhook timestamp', `${headers['x-event-id']} came with the time ${sentAt}`)
    const id = String(headers['x-event-id'])
    const digest = hash('sha1', text)
    const known = endpoint.taken.get(id)
    if (known !== undefined && known !== digest)
      tally.finding('webhook bytes', `event ${id} came with other bytes the second time`)
    if (known !== undefined) return
    endpoint.taken.set(id, digest)
    endpoint.fresh.set(id, text)
  }
  receiver.answer = (received, response) => {
    // Kept by endpoint instead.
    receiver.requests.length = 0
    const endpoint = endpoints.get(received.path)
    if (!endpoint) return response.writeHead(200).end()
    if (by.happens(targets.share)) {
      const name = by.one(Object.keys(misbehaviours))
      tally.fault(name)
      return (misbehaviours[name] as Misbehaviour)(response)
    }
    take(endpoint, received)
    if (by.happens(targets.share)) {
      tally.fault('receiver: taken, and not answered')
      return response.destroy()
    }
    response.writeHead(200).end('ok')
  }
  return targets
}
