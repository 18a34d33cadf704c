/**
 * What breaks the world, one thing after another, each by the seed and each counted.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Chance } from '../test/chance.ts'
import type { Database } from './database.ts'
import type { CommitFate } from './pg-proxy.ts'
import type { Slot } from './processes.ts'
import type { Tally } from './tally.ts'

export type Breaker = ReturnType<typeof newBreaker>

export function newBreaker(by: Chance, tally: Tally) {
  const armed = new Map<string, CommitFate>()
  let on = false
  let loop: Promise<void> = Promise.resolve()
  /** What is to happen at this COMMIT of a process: it happens once. */
  const fateOf = (name: string): CommitFate | null => {
    const fate = armed.get(name) ?? null
    armed.delete(name)
    return fate
  }
  const sealed = (slot: Slot, { at, kill }: CommitFate): void => {
    if (kill) slot.kill()
    tally.fault(`${kill ? 'kill -9' : 'connection cut'} ${at} a commit`)
  }

  const faults: [weight: number, run: (slots: Slot[], database: Database) => Promise<unknown> | unknown][] = [
    [30, (slots) => arm(slots, 'before', false)],
    [30, (slots) => arm(slots, 'after', false)],
    [12, (slots) => arm(slots, 'before', true)],
    [12, (slots) => arm(slots, 'after', true)],
    [8, (slots) => settled(slots)?.kill() && tally.fault('kill -9 of a process')],
    [3, (slots) => settled(slots)?.restart() && tally.fault('process asked to end')],
    [12, async (_, database) => tally.fault('backend terminated', await database.terminate(1 + by.below(4)))],
    [
      6,
      (slots) =>
        (settled(slots)?.proxy.cutAll() ?? 0) > 0 && tally.fault('all connections of a process to PostgreSQL cut'),
    ],
    [5, (slots) => freeze(by.one(slots), 200 + by.below(2_500))],
    [1, (_, database) => database.crash().then(() => tally.fault('kill -9 of PostgreSQL'))],
  ]
  const weights = faults.reduce((sum, [weight]) => sum + weight, 0)

  function settled(slots: Slot[]): Slot | undefined {
    const some = slots.filter((slot) => slot.settled())
    return some.length > 0 ? by.one(some) : undefined
  }
  function arm(slots: Slot[], at: CommitFate['at'], kill: boolean): void {
    const running = slots.filter((slot) => slot.settled() && !armed.has(slot.name))
    if (running.length > 0) armed.set(by.one(running).name, { at, kill })
  }
  async function freeze(slot: Slot, ms: number): Promise<void> {
    if (!slot.signal('SIGSTOP')) return
    await sleep(ms)
    slot.signal('SIGCONT')
    tally.fault('process stood still')
  }
  async function run(slots: Slot[], database: Database, everyMs: number): Promise<void> {
    while (on) {
      let at = by.below(weights)
      const fault = faults.find(([weight]) => {
        at -= weight
        return at < 0
      })
      await fault?.[1](slots, database)
      await sleep(by.below(2 * everyMs))
    }
  }
  return {
    fateOf,
    sealed,
    /** @param everyMs how long it is between two of them, on average */
    start(slots: Slot[], database: Database, everyMs: number): void {
      on = true
      loop = run(slots, database, everyMs)
    },
    async stop(): Promise<void> {
      on = false
      await loop
      armed.clear()
    },
  }
}
