/**
 * Takes deliveries from the queue to their endpoints. A worker claims many in one statement, sends them with no transaction open,
 * and records their attempts in batches; the claims of a worker that dies are released, as jobs are.
 */
import type { App } from '../../core/app.ts'
import type { PeriodicTask } from '../../lib/periodic.ts'
import { openBodies } from '../customer-keys/customer-keys.ts'
import { dispatcherWakeUp, notifyDispatcher } from '../events/events.ts'
import type { ClaimingTask } from '../jobs/jobs.ts'
import { type Endpoint, makeConcurrencyLimits } from './concurrency.ts'
import { type Attempt, attemptDelivery, recordAttempts } from './deliveries.ts'
import * as queue from './queue.ts'

const everyMs = 250
/** Places that come free within it are filled by one claim. */
const cooldownMs = 10
const endpointsPerRound = 256
/** Deliveries a process holds, sent or waiting for their record. */
const mostInFlight = 256
/** Waits that one statement ends. */
const mostWoken = 1_000

const beforeAll: Endpoint = { business_id: '', livemode: false, webhook_id: '' }

/** The periodic tasks that send what is ready, and make ready what has waited. */
export function deliveryTasks(app: App): ClaimingTask[] {
  return [dispatchTask(app), wakeTask(app)]
}

function wakeTask(app: App): PeriodicTask {
  return {
    name: 'wake webhook deliveries',
    everyMs,
    async run() {
      let woken: queue.Woken[]
      do {
        woken = await app.db.rows(queue.wakeDue, [app.clock.now(), mostWoken])
        if (woken.length > 0) notifyDispatcher()
      } while (woken.length >= mostWoken)
    },
  }
}

function dispatchTask(app: App): ClaimingTask {
  const limits = makeConcurrencyLimits()
  const inFlight = new Map<queue.ClaimedDelivery, Promise<void>>()
  const stopping = new AbortController()
  /** The last endpoint of the round before. */
  let last = beforeAll
  /** Whether the database may know of claims that nobody here is sending. */
  let mayHaveOrphanedClaims = false

  const send = async (worker: string, delivery: queue.ClaimedDelivery): Promise<void> => {
    try {
      let attempt: Attempt | undefined
      try {
        attempt = await attemptDelivery(app, worker, delivery, stopping.signal)
      } finally {
        limits.adjust(delivery, attempt?.status === 'succeeded')
        limits.release(delivery, 1)
      }
      notifyDispatcher()
      await recordAttempts(app.db, attempt)
    } catch (error) {
      mayHaveOrphanedClaims = true
      if (!stopping.signal.aborted)
        app.log.error({ err: error }, 'a webhook delivery could not be recorded and is sent again')
    } finally {
      inFlight.delete(delivery)
      notifyDispatcher()
    }
  }

  const settle = async (): Promise<void> => void (await Promise.all(inFlight.values()))

  /** Serves the endpoints after the last one, as far as there is capacity. */
  const dispatchRound = async (worker: string): Promise<void> => {
    let capacity = mostInFlight - inFlight.size
    if (capacity === 0) return
    const from = [last.business_id, last.livemode, last.webhook_id, endpointsPerRound]
    const ready = await app.db.rows(queue.selectReady, from)
    const wanted: (Endpoint & { places: number })[] = []
    last = ready.length < endpointsPerRound ? beforeAll : (ready.at(-1) as Endpoint)
    for (const endpoint of ready) {
      if (capacity === 0) break
      const places = limits.acquire(endpoint, capacity)
      if (places > 0) wanted.push({ ...endpoint, places })
      capacity -= places
      if (capacity === 0) last = endpoint
    }
    if (wanted.length === 0) return
    const claimed: queue.ClaimedDelivery[] = []
    try {
      const rows = await app.db.rows(queue.claimReady, [worker, ...queue.places.arrays(wanted)])
      const bodies = await openBodies(
        app.db,
        app.secrets,
        rows.map((one) => ({ ...one, row: one.event_id })),
      )
      claimed.push(...rows.map((one, i) => ({ ...one, body: bodies[i] as string })))
    } catch (error) {
      mayHaveOrphanedClaims = true
      throw error
    } finally {
      const found = Map.groupBy(claimed, ({ webhook_id }) => webhook_id)
      for (const endpoint of wanted)
        limits.release(endpoint, endpoint.places - (found.get(endpoint.webhook_id)?.length ?? 0))
    }
    for (const delivery of claimed) inFlight.set(delivery, send(worker, delivery))
  }

  return {
    name: 'send webhooks',
    everyMs,
    cooldownMs,
    wakeUp: dispatcherWakeUp,
    claims: { claimants: queue.selectClaimants, release: queue.releaseClaims },
    async run(worker) {
      if (mayHaveOrphanedClaims) {
        const sending = [...inFlight.keys()].map(({ delivery_id }) => delivery_id)
        // Before, not after: one of those that are being sent may end without a record meanwhile.
        mayHaveOrphanedClaims = false
        await app.db.rows(queue.releaseUnsent, [worker, sending]).catch((error: unknown) => {
          mayHaveOrphanedClaims = true
          throw error
        })
      }
      const first = last
      do await dispatchRound(worker)
      while (last !== beforeAll && inFlight.size < mostInFlight)
      // Those before the first one have not been served.
      if (first !== beforeAll) notifyDispatcher()
    },
    settle,
    async finish(worker, giveUp) {
      giveUp.addEventListener('abort', () => stopping.abort(), { once: true })
      await settle()
      await app.db.rows(queue.releaseUnsent, [worker, []])
    },
  }
}
