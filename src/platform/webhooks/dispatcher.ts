/**
 * Dispatches queued deliveries to their endpoints. A worker claims many in one statement, sends
 * them outside a transaction, and records attempts in batches. Claims of a dead worker are
 * released.
 */
import type { App } from '../../core/app.ts'
import { type PeriodicTask, whenAborted } from '../../lib/periodic.ts'
import { openBodies } from '../customer-keys/customer-keys.ts'
import { dispatcherWakeUp, notifyDispatcher } from '../events/events.ts'
import type { ClaimingTask } from '../jobs/jobs.ts'
import { OrphanedClaims } from '../jobs/orphaned-claims.ts'
import { ConcurrencyLimits, type Endpoint, hangsAfterMs, type Place } from './concurrency.ts'
import { type Attempt, attemptDelivery, recordAttempts } from './deliveries.ts'
import * as queue from './queue.ts'

const everyMs = 250
/** Places that become free within this time are filled by one claim. */
const cooldownMs = 20
const endpointsPerRound = 256
/**
 * The most deliveries in flight in a process (sending or not yet recorded), hanging ones not
 * counted.
 */
const mostInFlight = 256
/** The most deliveries that one statement wakes. */
const mostWoken = 1_000

const beforeAll: Endpoint = { business_id: '', livemode: false, webhook_id: '' }

/** The periodic tasks that send ready deliveries and wake those that are due. */
export function deliveryTasks(app: App): ClaimingTask[] {
  return [new Dispatcher(app).task(), wakeTask(app)]
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

/** Dispatches ready deliveries for one process. */
class Dispatcher {
  private readonly limits = new ConcurrencyLimits()
  private readonly inFlight = new Map<queue.ClaimedDelivery, Promise<void>>()
  private readonly stopping = new AbortController()
  /** The last endpoint of the previous round. */
  private last = beforeAll
  private readonly orphans = new OrphanedClaims()
  private readonly app: App

  constructor(app: App) {
    this.app = app
  }

  task(): ClaimingTask {
    const { app } = this
    return {
      name: 'send webhooks',
      everyMs,
      cooldownMs,
      wakeUp: dispatcherWakeUp,
      claims: {
        claimants: async () => (await app.db.rows(queue.selectClaimants)).map(({ name }) => name),
        release: (dead) => app.db.rows(queue.releaseClaims, [dead]),
      },
      run: (worker) => this.run(worker),
      settle: () => this.settle(),
      finish: async (worker, giveUp) => {
        void whenAborted(giveUp).then(() => this.stopping.abort())
        await this.settle()
        await app.db.rows(queue.releaseUnsent, [worker, []])
      },
    }
  }

  private async run(worker: string): Promise<void> {
    await this.orphans.release(() => {
      const sending = [...this.inFlight.keys()].map(({ delivery_id }) => delivery_id)
      return this.app.db.rows(queue.releaseUnsent, [worker, sending])
    })
    const first = this.last
    do await this.dispatchRound(worker)
    while (this.last !== beforeAll && this.capacity() > 0)
    // This run has not served the endpoints before its first one.
    if (first !== beforeAll) notifyDispatcher()
  }

  /** The number of deliveries that may start now. */
  private capacity(): number {
    return mostInFlight - (this.inFlight.size - this.limits.hanging())
  }

  private async settle(): Promise<void> {
    await Promise.all(this.inFlight.values())
  }

  /** Serves the endpoints after the last one, within capacity. */
  private async dispatchRound(worker: string): Promise<void> {
    let capacity = this.capacity()
    if (capacity <= 0) return
    const { last } = this
    const from = [last.business_id, last.livemode, last.webhook_id, endpointsPerRound]
    const ready = await this.app.db.rows(queue.selectReady, from)
    const claims: (Endpoint & { places: number })[] = []
    const reserved = new Map<string, Place[]>()
    this.last = ready.length < endpointsPerRound ? beforeAll : (ready.at(-1) as Endpoint)
    for (const endpoint of ready) {
      if (capacity === 0) break
      const places = this.limits.acquire(endpoint, capacity)
      if (places.length > 0) claims.push({ ...endpoint, places: places.length })
      reserved.set(endpoint.webhook_id, places)
      capacity -= places.filter(({ pool }) => pool !== 'hanging').length
      if (capacity === 0) this.last = endpoint
    }
    if (claims.length === 0) return
    for (const [delivery, place] of await this.claim(worker, claims, reserved))
      this.inFlight.set(delivery, this.send(worker, delivery, place))
  }

  /** Claims deliveries for the reserved places, and releases the places that are left. */
  private async claim(
    worker: string,
    claims: (Endpoint & { places: number })[],
    reserved: Map<string, Place[]>,
  ): Promise<[queue.ClaimedDelivery, Place][]> {
    const { db, secrets } = this.app
    try {
      const rows = await queue.claimDeliveries(db, worker, claims)
      const bodies = await openBodies(
        db,
        secrets,
        rows.map((one) => ({ ...one, row: one.event_id })),
      )
      return rows.map((row, i) => [
        { ...row, body: bodies[i] as string },
        reserved.get(row.webhook_id)?.pop() as Place,
      ])
    } catch (error) {
      this.orphans.mark()
      throw error
    } finally {
      for (const place of [...reserved.values()].flat()) this.limits.release(place)
    }
  }

  private async send(worker: string, delivery: queue.ClaimedDelivery, place: Place): Promise<void> {
    const { app, stopping } = this
    try {
      const { attempt, changed } = await this.attempt(worker, delivery, place)
      notifyDispatcher()
      await recordAttempts(app.db, attempt)
      const { business_id, livemode, webhook_id } = place
      if (changed !== null)
        await app.db.rows(queue.updateHangs, [business_id, livemode, webhook_id, changed])
    } catch (error) {
      this.orphans.mark()
      if (!stopping.signal.aborted)
        app.log.error({ err: error }, 'a webhook delivery could not be recorded and is sent again')
    } finally {
      this.inFlight.delete(delivery)
      notifyDispatcher()
    }
  }

  /**
   * Sends a delivery and frees its place. @property changed the `hangs` to record, from `adjust`
   */
  private async attempt(
    worker: string,
    delivery: queue.ClaimedDelivery,
    place: Place,
  ): Promise<{ attempt: Attempt; changed: boolean | null }> {
    const hangs = setTimeout(() => {
      this.limits.markHanging(place)
      notifyDispatcher()
    }, hangsAfterMs)
    let attempt: Attempt | undefined
    let changed: boolean | null
    try {
      attempt = await attemptDelivery(this.app, worker, delivery, this.stopping.signal)
    } finally {
      clearTimeout(hangs)
      changed = this.limits.adjust(place, attempt?.status === 'succeeded')
      this.limits.release(place)
    }
    return { attempt, changed }
  }
}
