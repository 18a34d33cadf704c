/**
 * Gathers requests that write into small batches, each one database transaction: one commit, and so one wait for the disk, for
 * all of them.
 *
 * A batch is taken as soon as a lane is free. A lone request goes at once; company gathers only while the lanes are
 * busy committing what came before. What goes wrong with one item is that item's own: `run` answers for each of them, and where
 * the batch as a whole fails (a deadlock, a constraint), its items run again one by one.
 *
 * `run` must do with many items what it would do with each of them alone, in their order: lock in the one order that everything
 * locks in, decide item by item, write in sets.
 *
 * A batch holds items of many businesses, and every row it touches is named by its business. Over a database that is sharded by
 * business, `run` is given to one `gathered` per shard, and the caller chooses by the item's business: no batch then
 * spans two shards, and nothing else changes.
 */
import { refuse } from '../lib/errors.ts'
import { type Database, type Tx, transaction } from './db.ts'

/** What became of one item: its answer, or why it was refused. A refused item has left no trace. */
export type Outcome<Answer> = { answer: Answer } | { refusal: unknown }

/** @throws what the item was refused with */
export function answerOf<Answer>(outcome: Outcome<Answer>): Answer {
  if ('refusal' in outcome) throw outcome.refusal
  return outcome.answer
}

export type GatherOptions = {
  /** Most items of a batch. */
  max: number
  /** Batches that run at once in one process; each uses one connection of the pool. */
  lanes: number
  /** Most items that may wait. */
  waiting: number
}

type Waiting<Item, Answer> = { item: Item; resolve(answer: Answer): void; reject(error: unknown): void }

/**
 * Makes a function that runs an item in a batch with others of its kind, per database.
 * @param run answers its items in their order; what it throws has become of all of them
 * @returns rejects with what the item was refused with, or with `overloaded` when too many wait
 */
export function gathered<Item, Answer>(
  run: (tx: Tx, items: Item[]) => Promise<Outcome<Answer>[]>,
  options: GatherOptions = { max: 256, lanes: 2, waiting: 20_000 },
): (db: Database, item: Item) => Promise<Answer> {
  const queues = new WeakMap<Database, (item: Item) => Promise<Answer>>()
  return (db, item) => {
    let push = queues.get(db)
    if (!push) {
      push = gather((items) => transaction(db, (tx) => run(tx, items)), options)
      queues.set(db, push)
    }
    return push(item)
  }
}

/** The queue and its lanes, over anything that runs a batch, all or none. */
export function gather<Item, Answer>(
  run: (items: Item[]) => Promise<Outcome<Answer>[]>,
  { max, lanes, waiting }: GatherOptions,
): (item: Item) => Promise<Answer> {
  let queue: Waiting<Item, Answer>[] = []
  let busy = 0

  const work = async (): Promise<void> => {
    while (queue.length > 0) {
      const batch = queue.slice(0, max)
      queue = queue.slice(max)
      await runBatch(batch)
    }
    busy--
  }

  const runBatch = async (batch: Waiting<Item, Answer>[]): Promise<void> => {
    let outcomes: Outcome<Answer>[]
    try {
      outcomes = await run(batch.map(({ item }) => item))
      if (outcomes.length !== batch.length) throw new Error('a batch must answer each of its items')
    } catch (error) {
      if (batch.length === 1) return batch[0]?.reject(error)
      for (const one of batch) await runBatch([one])
      return
    }
    outcomes.forEach((outcome, i) => {
      const { resolve, reject } = batch[i] as Waiting<Item, Answer>
      if ('refusal' in outcome) reject(outcome.refusal)
      else resolve(outcome.answer)
    })
  }

  return (item) =>
    new Promise((resolve, reject) => {
      if (queue.length >= waiting)
        refuse('overloaded', 'The server has more to do than it can take. Try again shortly.')
      queue.push({ item, resolve, reject })
      if (busy < lanes) {
        busy++
        // After the requests that have arrived already were read: they go with this one.
        setImmediate(work)
      }
    })
}
