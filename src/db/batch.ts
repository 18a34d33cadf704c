/**
 * Gathers concurrent requests into small batches. A batch of writes is one transaction and one
 * commit, so one fsync; a batch of reads is one round trip. `docs/scaling.md` describes the queue.
 */
import { type Outcome, refuse } from '../lib/errors.ts'
import { follow, type Step } from '../lib/steps.ts'
import { type Database, isLost, isUnavailable } from './db.ts'

export type GatherOptions<Item> = {
  /**
   * The key of the locks that an item needs, such as its business. Two lanes never run items of one
   * group at once, because the second would only wait for the first one's locks. Without it, items
   * never contend.
   */
  groupOf?: (item: Item) => string
  /** The largest batch. */
  max?: number
  /** Batches that one process runs at once; each uses one connection of the pool. */
  lanes?: number
  /** The longest queue; further items are rejected (backpressure). */
  maxQueued?: number
}

type QueuedItem<Item, Answer> = {
  item: Item
  resolve(answer: Answer): void
  reject(error: unknown): void
  step: Step | null
}

/**
 * Returns a function that runs an item in a batch with others, one queue per database.
 * @param run processes the items in order, in one transaction, and returns one outcome each;
 * throwing fails all
 * @returns a function that rejects with the item's refusal, or with `overloaded` if the queue is
 * full
 */
export function gathered<Item, Answer>(
  run: (db: Database, items: Item[]) => Promise<Outcome<Answer>[]>,
  options: GatherOptions<Item> = {},
): (db: Database, item: Item) => Promise<Answer> {
  const queues = new WeakMap<Database, (item: Item) => Promise<Answer>>()
  return (db, item) => {
    let push = queues.get(db)
    if (!push) {
      push = gather((items) => run(db, items), options)
      queues.set(db, push)
    }
    return push(item)
  }
}

/**
 * Returns the same for reads, which refuse nothing.
 * @param read answers the items in order, with one statement for all
 */
export function gatheredReads<Item, Answer>(
  read: (db: Database, items: Item[]) => Promise<Answer[]>,
): (db: Database, item: Item) => Promise<Answer> {
  return gathered(async (db, items) => (await read(db, items)).map((answer) => ({ answer })))
}

/**
 * Puts rows in the order of their requests by `asker`, which counts from 1; null where no row was
 * found.
 */
export function byAsker<Row>(
  rows: (Row & { asker: number })[],
  askers: number,
): (Omit<Row, 'asker'> | null)[] {
  const found: (Omit<Row, 'asker'> | null)[] = Array.from({ length: askers }, () => null)
  for (const { asker, ...row } of rows) found[asker - 1] = row
  return found
}

/** How long all lanes may be blocked before another lane opens. */
const blockedAfterMs = 50

/**
 * Creates a queue over `run`, which must be atomic. It must decide each item as if it were alone, in
 * their order, and lock in the global lock order.
 */
export function gather<Item, Answer>(
  run: (items: Item[]) => Promise<Outcome<Answer>[]>,
  options: GatherOptions<Item>,
): (item: Item) => Promise<Answer> {
  const queue = new BatchQueue(run, options)
  return (item) => follow('batch', batchStep, (step) => queue.enqueue(item, step))
}

/** The trace step from queueing to commit. */
const batchStep = () => ({ name: 'database batch', attributes: {} })

/**
 * A queue and its lanes. A lone item starts at once. Items queue only while a lane is committing,
 * and leave together as the next batch. Another lane opens only for a full batch, because every
 * transaction has a fixed cost, or when the open lanes wait for locks.
 */
class BatchQueue<Item, Answer> {
  private queued: QueuedItem<Item, Answer>[] = []
  private openLanes = 0
  private endedBatches = 0
  private isWatching = false
  private readonly runningGroups = new Set<string>()
  private readonly run: (items: Item[]) => Promise<Outcome<Answer>[]>
  private readonly groupOf: ((item: Item) => string) | undefined
  private readonly max: number
  private readonly lanes: number
  private readonly maxQueued: number

  constructor(
    run: (items: Item[]) => Promise<Outcome<Answer>[]>,
    { groupOf, max = 128, lanes = 2, maxQueued = 20_000 }: GatherOptions<Item>,
  ) {
    this.run = run
    this.groupOf = groupOf
    this.max = max
    this.lanes = lanes
    this.maxQueued = maxQueued
  }

  enqueue(item: Item, step: Step | null): Promise<Answer> {
    return new Promise((resolve, reject) => {
      if (this.queued.length >= this.maxQueued)
        refuse('overloaded', 'The server has more requests than it can process. Retry shortly.')
      this.queued.push({ item, resolve, reject, step })
      if (this.needsLane(this.openLanes)) this.openLane()
      else this.watchForBlockedLanes()
    })
  }

  /** Whether the queue justifies a lane beside `others`. */
  private needsLane(others: number): boolean {
    return others === 0 || (others < this.lanes && this.queued.length >= this.max)
  }

  private openLane(): void {
    this.openLanes++
    // Waits until the requests that have already arrived are read, so that they join this batch.
    setImmediate(() => this.runLane())
  }

  /** Opens another lane if no batch ends for a while: the open lanes then wait for locks. */
  private watchForBlockedLanes(): void {
    if (this.isWatching || this.openLanes >= this.lanes) return
    this.isWatching = true
    const before = this.endedBatches
    setTimeout(() => {
      this.isWatching = false
      if (this.queued.length === 0) return
      if (this.endedBatches === before && this.openLanes < this.lanes) this.openLane()
      this.watchForBlockedLanes()
    }, blockedAfterMs).unref()
  }

  private async runLane(): Promise<void> {
    const { groupOf, runningGroups } = this
    let batch = this.takeBatch()
    while (batch.length > 0) {
      const groups = new Set(groupOf ? batch.map(({ item }) => groupOf(item)) : [])
      for (const group of groups) runningGroups.add(group)
      for (const { step } of batch) if (step) step.attributes['bursar.batch.items'] = batch.length
      const outcomes = await this.runBatch(batch.map(({ item }) => item))
      this.endedBatches++
      for (const group of groups) runningGroups.delete(group)
      // Starts the next batch first: the database works while the answers of this one are written.
      setImmediate(settleItems, batch, outcomes)
      batch = this.needsLane(this.openLanes - 1) ? this.takeBatch() : []
    }
    this.openLanes--
    if (this.queued.length > 0) this.watchForBlockedLanes()
  }

  /** Takes the next batch in order of arrival, without groups that another lane is running. */
  private takeBatch(): QueuedItem<Item, Answer>[] {
    const { groupOf, runningGroups } = this
    const batch: QueuedItem<Item, Answer>[] = []
    const left: QueuedItem<Item, Answer>[] = []
    for (const one of this.queued) {
      const isFree = batch.length < this.max && !(groupOf && runningGroups.has(groupOf(one.item)))
      ;(isFree ? batch : left).push(one)
    }
    this.queued = left
    return batch
  }

  /** Runs a batch. If it fails as a whole (a deadlock, a constraint), retries its items one by one. */
  private async runBatch(items: Item[]): Promise<Outcome<Answer>[]> {
    try {
      const outcomes = await this.run(items)
      if (outcomes.length !== items.length) throw new Error('a batch must answer each of its items')
      return outcomes
    } catch (refusal) {
      // A lost database may have committed the batch, so a retry could execute items twice.
      if (items.length === 1 || isLost(refusal) || isUnavailable(refusal))
        return items.map(() => ({ refusal }))
      const outcomes: Outcome<Answer>[] = []
      for (const item of items) outcomes.push(...(await this.runBatch([item])))
      return outcomes
    }
  }
}

function settleItems<Item, Answer>(
  batch: QueuedItem<Item, Answer>[],
  outcomes: Outcome<Answer>[],
): void {
  outcomes.forEach((outcome, i) => {
    const { resolve, reject } = batch[i] as QueuedItem<Item, Answer>
    if ('refusal' in outcome) reject(outcome.refusal)
    else resolve(outcome.answer)
  })
}
