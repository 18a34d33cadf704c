/**
 * Takes deliveries from the queue to their endpoints. A worker claims many in one statement, sends them with no transaction open,
 * and records them in company; the claims of a worker that dies are given back, as jobs are.
 */
import type { App } from '../../core/context.ts'
import { deliveriesBell } from '../events/events.ts'
import type { Chore } from '../jobs/jobs.ts'
import { deliver, type Result, record } from './deliveries.ts'
import * as queue from './queue.ts'
import { type Endpoint, makeWindows } from './windows.ts'

const tickMs = 250
/** Places that come free within it are filled by one claim. */
const restMs = 10
/** Endpoints that one look finds. */
const span = 256
/** Deliveries a process holds, sent or waiting for their record. */
const mostHeld = 256
/** Waits that one statement ends. */
const mostWoken = 1_000

const beforeAll: Endpoint = { business_id: '', livemode: false, webhook_id: '' }

/** The chores that send what is ready, and make ready what has waited. */
export function deliveryChores(app: App): Chore[] {
  return [sendChore(app), wakeChore(app)]
}

function wakeChore(app: App): Chore {
  return {
    name: 'wake webhook deliveries',
    everyMs: tickMs,
    async run() {
      let woken: queue.Woken[]
      do {
        woken = await app.db.rows(queue.wakeDue, [app.clock.now(), mostWoken])
        if (woken.length > 0) ring()
      } while (woken.length >= mostWoken)
    },
  }
}

function ring(): void {
  deliveriesBell.emit('ring')
}

function sendChore(app: App): Chore {
  const windows = makeWindows()
  const held = new Map<queue.Claimed, Promise<void>>()
  const stopping = new AbortController()
  /** The endpoint whose turn it was last. */
  let last = beforeAll
  /** Whether the database may know of claims that nobody here is sending. */
  let doubt = false

  const send = async (worker: string, delivery: queue.Claimed): Promise<void> => {
    try {
      let result: Result | undefined
      try {
        result = await deliver(app, worker, delivery, stopping.signal)
      } finally {
        windows.learn(delivery, result?.status === 'succeeded')
        windows.free(delivery, 1)
      }
      ring()
      await record(app.db, result)
    } catch (error) {
      doubt = true
      if (!stopping.signal.aborted)
        app.log.error({ err: error }, 'a webhook delivery could not be recorded and is sent again')
    } finally {
      held.delete(delivery)
      ring()
    }
  }

  /** Gives the endpoints after the last one their turn. */
  const turn = async (worker: string): Promise<void> => {
    let room = mostHeld - held.size
    if (room === 0) return
    const ready = await app.db.rows(queue.selectReady, [last.business_id, last.livemode, last.webhook_id, span])
    const wanted: { endpoint: Endpoint; places: number }[] = []
    last = ready.length < span ? beforeAll : (ready.at(-1) as Endpoint)
    for (const endpoint of ready) {
      if (room === 0) break
      const places = windows.take(endpoint, room)
      if (places > 0) wanted.push({ endpoint, places })
      room -= places
      if (room === 0) last = endpoint
    }
    if (wanted.length === 0) return
    const claimed: queue.Claimed[] = []
    try {
      claimed.push(
        ...(await app.db.rows(queue.claimReady, [
          worker,
          wanted.map(({ endpoint }) => endpoint.business_id),
          wanted.map(({ endpoint }) => endpoint.livemode),
          wanted.map(({ endpoint }) => endpoint.webhook_id),
          wanted.map(({ places }) => places),
        ])),
      )
    } catch (error) {
      doubt = true
      throw error
    } finally {
      const found = Map.groupBy(claimed, ({ webhook_id }) => webhook_id)
      for (const { endpoint, places } of wanted)
        windows.free(endpoint, places - (found.get(endpoint.webhook_id)?.length ?? 0))
    }
    for (const delivery of claimed) held.set(delivery, send(worker, delivery))
  }

  return {
    name: 'send webhooks',
    everyMs: tickMs,
    restMs,
    bell: deliveriesBell,
    claims: { claimants: queue.selectClaimants, giveBack: queue.giveBackOf },
    async run(worker) {
      if (doubt) {
        await app.db.rows(queue.giveBackUnsent, [worker, [...held.keys()].map(({ delivery_id }) => delivery_id)])
        doubt = false
      }
      const first = last
      do await turn(worker)
      while (last !== beforeAll && held.size < mostHeld)
      // Those before the first one have not had their turn.
      if (first !== beforeAll) ring()
    },
    async finish(worker, giveUp) {
      giveUp.addEventListener('abort', () => stopping.abort(), { once: true })
      await Promise.all(held.values())
      await app.db.rows(queue.giveBackUnsent, [worker, []])
    },
  }
}
