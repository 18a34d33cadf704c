/**
 * Gathers requests into small batches, each one database transaction: one commit, and so one wait
 * for the disk, for all that write; one round trip for all that read.
 *
 * A batch is taken as soon as the first lane is free. A lone request goes at once; a batch gathers
 * only while the lane is busy committing what came before. Another lane is for whole batches: half
 * of one costs a transaction of its own, and nearly as much. And for who has nothing to do with the
 * locks that the first lane waits for. What goes wrong with one item is that item's own: `run`
 * answers for each of them, and where the batch as a whole fails (a deadlock, a constraint), its
 * items run again one by one. Only where the database itself was lost do they all get that error.
 *
 * `run` must do with many items what it would do with each of them alone, in their order: lock in
 * the one order that everything locks in, decide item by item, write in sets.
 *
 * A batch holds items of many businesses, and every row it touches is named by its business. Over a
 * database that is sharded by business, `run` is given to one queue per shard, and the caller
 * chooses by the item's business: no batch then spans two shards, and nothing else changes.
 */
import { type Outcome, refuse } from '../lib/errors.ts'
import { follow, type Step } from '../lib/steps.ts'
import { type Database, isLost, isUnavailable } from './db.ts'

export type GatherOptions<Item> = {
  /**
   * What items contend for, such as the business whose wallets they lock. Items of one group never
   * run in two lanes at once, where the second would only wait for the first's locks. Without it,
   * nothing contends.
   */
  groupOf?: (item: Item) => string
  /** Most items of a batch. */
  max?: number
  /** Batches that run at once in one process; each uses one connection of the pool. */
  lanes?: number
  /** Most items that may wait. */
  waiting?: number
}

type Waiting<Item, Answer> = {
  item: Item
  resolve(answer: Answer): void
  reject(error: unknown): void
  step: Step | null
}

/**
 * Makes a function that runs an item in a batch with others of its kind, per database.
 * @param run answers its items in their order, in one transaction of the database; what it throws
 * has become of all of them
 * @returns rejects with what the item was refused with, or with `overloaded` when too many wait
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
 * The same for reads, which refuse nothing. @param read answers its items in their order, by one
 * statement for all
 */
export function gatheredReads<Item, Answer>(
  read: (db: Database, items: Item[]) => Promise<Answer[]>,
): (db: Database, item: Item) => Promise<Answer> {
  return gathered(async (db, items) => (await read(db, items)).map((answer) => ({ answer })))
}

/** Rows in the places, from 1, of those who asked for them; null where there is none. */
export function byAsker<Row>(
  rows: (Row & { asker: number })[],
  askers: number,
): (Omit<Row, 'asker'> | null)[] {
  const found: (Omit<Row, 'asker'> | null)[] = Array.from({ length: askers }, () => null)
  for (const { asker, ...row } of rows) found[asker - 1] = row
  return found
}

/** How long batches may take to end before others go past them. */
const patienceMs = 50

/** The queue and its lanes, over anything that runs a batch, all or none. */
export function gather<Item, Answer>(
  run: (items: Item[]) => Promise<Outcome<Answer>[]>,
  { groupOf, max = 128, lanes = 2, waiting = 20_000 }: GatherOptions<Item>,
): (item: Item) => Promise<Answer> {
  let queue: Waiting<Item, Answer>[] = []
  const running = new Set<string>()
  let busy = 0
  let ended = 0
  let watched = false

  /** The next batch, in the order of arrival; what another lane's groups hold stays. */
  const take = (): Waiting<Item, Answer>[] => {
    const batch: Waiting<Item, Answer>[] = []
    const left: Waiting<Item, Answer>[] = []
    for (const one of queue) {
      const free = batch.length < max && !(groupOf && running.has(groupOf(one.item)))
      ;(free ? batch : left).push(one)
    }
    queue = left
    return batch
  }

  /** Whether what waits is worth a lane beside `others`. */
  const fills = (others: number): boolean => others === 0 || (others < lanes && queue.length >= max)

  const begin = (): void => {
    busy++
    // After the requests that have arrived already were read: they go with this one.
    setImmediate(work)
  }

  /** Where something waits and nothing ends for a while, the lanes wait for somebody's locks. */
  const watch = (): void => {
    if (watched || busy >= lanes) return
    watched = true
    const before = ended
    setTimeout(() => {
      watched = false
      if (queue.length === 0) return
      if (ended === before && busy < lanes) begin()
      watch()
    }, patienceMs).unref()
  }

  const work = async (): Promise<void> => {
    for (let batch = take(); batch.length > 0; batch = fills(busy - 1) ? take() : []) {
      const groups = new Set(groupOf ? batch.map(({ item }) => groupOf(item)) : [])
      for (const group of groups) running.add(group)
      for (const { step } of batch) if (step) step.attributes['bursar.batch.items'] = batch.length
      const outcomes = await runBatch(batch.map(({ item }) => item))
      ended++
      for (const group of groups) running.delete(group)
      // The next batch is sent first: the database works on it while the answers to this one are
      // written.
      setImmediate(answer, batch, outcomes)
    }
    busy--
    if (queue.length > 0) watch()
  }

  const runBatch = async (items: Item[]): Promise<Outcome<Answer>[]> => {
    try {
      const outcomes = await run(items)
      if (outcomes.length !== items.length) throw new Error('a batch must answer each of its items')
      return outcomes
    } catch (refusal) {
      // A lost database may have committed the batch: to run its items again would be to run them
      // twice.
      if (items.length === 1 || isLost(refusal) || isUnavailable(refusal))
        return items.map(() => ({ refusal }))
      const outcomes: Outcome<Answer>[] = []
      for (const item of items) outcomes.push(...(await runBatch([item])))
      return outcomes
    }
  }

  const wait = (item: Item, step: Step | null): Promise<Answer> =>
    new Promise((resolve, reject) => {
      if (queue.length >= waiting)
        refuse('overloaded', 'The server has more to do than it can take. Try again shortly.')
      queue.push({ item, resolve, reject, step })
      if (fills(busy)) begin()
      else watch()
    })
  return (item) => follow('batch', aboutBatch, (step) => wait(item, step))
}

/** From when it waits for a lane to when it is committed. */
const aboutBatch = () => ({ name: 'database batch', attributes: {} })

function answer<Item, Answer>(batch: Waiting<Item, Answer>[], outcomes: Outcome<Answer>[]): void {
  outcomes.forEach((outcome, i) => {
    const { resolve, reject } = batch[i] as Waiting<Item, Answer>
    if ('refusal' in outcome) reject(outcome.refusal)
    else resolve(outcome.answer)
  })
}
