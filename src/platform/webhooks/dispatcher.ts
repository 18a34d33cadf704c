/**
 * Takes deliveries from the queue to their endpoints. A worker claims many in one statement, sends
 * them with no transaction open, and records their attempts in batches; the claims of a worker that
 * dies are released, as jobs are.
 */
import type { App } from '../../core/app.ts'
import { type PeriodicTask, whenAborted } from '../../lib/periodic.ts'
import { openBodies } from '../customer-keys/customer-keys.ts'
import { dispatcherWakeUp, notifyDispatcher } from '../events/events.ts'
import type { ClaimingTask } from '../jobs/jobs.ts'
import { OrphanedClaims } from '../jobs/orphaned-claims.ts'
import { type Endpoint, hangsAfterMs, makeConcurrencyLimits, type Place } from './concurrency.ts'
import { type Attempt, attemptDelivery, recordAttempts } from './deliveries.ts'
import * as queue from './queue.ts'

const everyMs = 250
/** Places that come free within it are filled by one claim. */
const cooldownMs = 20
const endpointsPerRound = 256
/** Deliveries that a process holds, sent or waiting for their record, besides those that hang. */
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
  const orphans = new OrphanedClaims()

  /** How many deliveries may begin. */
  const capacityOf = (): number => mostInFlight - (inFlight.size - limits.hanging())

  const send = async (
    worker: string,
    delivery: queue.ClaimedDelivery,
    place: Place,
  ): Promise<void> => {
    const hangs = setTimeout(() => {
      limits.markHanging(place)
      notifyDispatcher()
    }, hangsAfterMs)
    try {
      let attempt: Attempt | undefined
      let changed: boolean | null
      try {
        attempt = await attemptDelivery(app, worker, delivery, stopping.signal)
      } finally {
        clearTimeout(hangs)
        changed = limits.adjust(place, attempt?.status === 'succeeded')
        limits.release(place)
      }
      notifyDispatcher()
      await recordAttempts(app.db, attempt)
      if (changed !== null)
        await app.db.rows(queue.updateHangs, [
          place.business_id,
          place.livemode,
          place.webhook_id,
          changed,
        ])
    } catch (error) {
      orphans.mark()
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
    let capacity = capacityOf()
    if (capacity <= 0) return
    const from = [last.business_id, last.livemode, last.webhook_id, endpointsPerRound]
    const ready = await app.db.rows(queue.selectReady, from)
    const wanted: (Endpoint & { places: number })[] = []
    const held = new Map<string, Place[]>()
    last = ready.length < endpointsPerRound ? beforeAll : (ready.at(-1) as Endpoint)
    for (const endpoint of ready) {
      if (capacity === 0) break
      const places = limits.acquire(endpoint, capacity)
      if (places.length > 0) wanted.push({ ...endpoint, places: places.length })
      held.set(endpoint.webhook_id, places)
      capacity -= places.filter(({ pool }) => pool !== 'hanging').length
      if (capacity === 0) last = endpoint
    }
    if (wanted.length === 0) return
    const claimed: [queue.ClaimedDelivery, Place][] = []
    try {
      const rows = await queue.claimDeliveries(app.db, worker, wanted)
      const bodies = await openBodies(
        app.db,
        app.secrets,
        rows.map((one) => ({ ...one, row: one.event_id })),
      )
      for (const [i, row] of rows.entries())
        claimed.push([
          { ...row, body: bodies[i] as string },
          held.get(row.webhook_id)?.pop() as Place,
        ])
    } catch (error) {
      orphans.mark()
      throw error
    } finally {
      for (const place of [...held.values()].flat()) limits.release(place)
    }
    for (const [delivery, place] of claimed) inFlight.set(delivery, send(worker, delivery, place))
  }

  return {
    name: 'send webhooks',
    everyMs,
    cooldownMs,
    wakeUp: dispatcherWakeUp,
    claims: {
      claimants: async () => (await app.db.rows(queue.selectClaimants)).map(({ name }) => name),
      release: (dead) => app.db.rows(queue.releaseClaims, [dead]),
    },
    async run(worker) {
      await orphans.release(() => {
        const sending = [...inFlight.keys()].map(({ delivery_id }) => delivery_id)
        return app.db.rows(queue.releaseUnsent, [worker, sending])
      })
      const first = last
      do await dispatchRound(worker)
      while (last !== beforeAll && capacityOf() > 0)
      // Those before the first one have not been served.
      if (first !== beforeAll) notifyDispatcher()
    },
    settle,
    async finish(worker, giveUp) {
      void whenAborted(giveUp).then(() => stopping.abort())
      await settle()
      await app.db.rows(queue.releaseUnsent, [worker, []])
    },
  }
}
