/**
 * What breaks the world, one thing after another, each by the seed and each counted.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Chance } from '../test/support/chance.ts'
import type { MovedClock } from './clock.ts'
import type { Next } from './copies.ts'
import type { Database } from './database.ts'
import { type Done, type Fate, points } from './messages.ts'
import type { Slot } from './processes.ts'
import { sumOf, type Tally } from './tally.ts'

export type Breaker = ReturnType<typeof newBreaker>

/** What can be broken. */
export type Breakable = { slots: Slot[]; database: Database; clock: MovedClock; next: Next }

type Fault = [weight: number, run: (world: Breakable) => Promise<unknown> | unknown]

/** Where nothing is answered, something happens all the same. */
const latestMs = 3_000
/** How long all processes may take to come up before what befalls them all is given up. */
const upWithinMs = 15_000

const nameOf = (fate: Fate): string =>
  'point' in fate
    ? 'kill -9 around a request to a provider'
    : `${fate.kill ? 'kill -9' : 'connection cut'} ${fate.at} a commit`
/** Workers are who sends orders to providers. */
const pays = ({ role }: Slot): boolean => role === 'worker'

export function newBreaker(by: Chance, tally: Tally) {
  let on = false
  let loop: Promise<void> = Promise.resolve()
  /** What takes a while, and other faults go on beside. */
  const under = new Set<Promise<unknown>>()
  /** What a process was told to do to its connections has come true. */
  const done = (what: Done): void => {
    if ('fate' in what) tally.fault(nameOf(what.fate))
    else if (what.connections > 0)
      tally.fault(
        what.cut === 'next'
          ? 'connection cut in a statement'
          : 'all connections of a process to PostgreSQL cut',
      )
  }
  const beside = (name: string, run: Promise<unknown>): void => {
    const one = run.then(
      (times) => times !== 0 && tally.fault(name),
      () => {},
    )
    under.add(one)
    void one.finally(() => under.delete(one))
  }

  /** What costs a connection or a moment. */
  const light: Fault[] = [
    [30, ({ slots }) => arm(slots, { at: 'before', kill: false })],
    [30, ({ slots }) => arm(slots, { at: 'after', kill: false })],
    [
      10,
      async ({ database }) =>
        tally.fault('backend terminated', await database.terminate(1 + by.below(3))),
    ],
    [4, ({ slots }) => settled(slots)?.cut('all')],
    [4, ({ slots }) => settled(slots)?.cut('next')],
    [4, ({ slots }) => freeze(by.one(slots), 200 + by.below(1_500))],
    [
      4,
      ({ database }) =>
        beside('backends stand still', database.freeze(1 + by.below(4), 100 + by.below(1_500))),
    ],
    [
      4,
      ({ database }) =>
        beside('PostgreSQL has no connection left', database.crowd(300 + by.below(1_500))),
    ],
    [
      4,
      ({ database }) =>
        beside('pool exhausted: wallets are locked', database.hold(300 + by.below(2_000))),
    ],
    [
      4,
      ({ database }) => database.disk && beside('disk slow', database.slow(500 + by.below(2_000))),
    ],
    [4, ({ clock }) => step(clock, 'back', -1_000 * (1 + by.below(120)))],
    [4, ({ clock }) => step(clock, 'forward', 60_000 * (1 + by.below(30)))],
  ]
  /** What costs seconds. */
  const heavy: Fault[] = [
    [3, ({ slots }) => arm(slots, { at: 'before', kill: true })],
    [3, ({ slots }) => arm(slots, { at: 'after', kill: true })],
    [20, ({ slots }) => arm(slots.filter(pays), { point: by.one(points) })],
    [2, ({ slots }) => settled(slots)?.kill() && tally.fault('kill -9 of a process')],
    [2, ({ slots }) => settled(slots)?.restart() && tally.fault('process asked to end')],
    [
      2,
      ({ slots, database }) =>
        settled(slots) && database.crash().then(() => tally.fault('kill -9 of PostgreSQL')),
    ],
    [8, async ({ database }) => tally.fault('kill -9 of a backend', await database.kill())],
    [
      2,
      ({ database }) =>
        database.disk && beside('disk full', database.disk.fill(200 + by.below(1_500))),
    ],
    [4, ({ slots, next }) => upgrade(slots, next)],
    [4, ({ slots, database }) => crashAll(slots, database)],
    [4, ({ slots }) => restartAll(slots)],
  ]
  const anyOf = (faults: Fault[]): Fault[1] => {
    let at = by.below(faults.reduce((sum, [weight]) => sum + weight, 0))
    const fault = faults.find(([weight]) => {
      at -= weight
      return at < 0
    }) as Fault
    return fault[1]
  }

  function settled(slots: Slot[]): Slot | undefined {
    const some = slots.filter((slot) => slot.settled())
    return some.length > 0 ? by.one(some) : undefined
  }
  function arm(slots: Slot[], fate: Fate): void {
    settled(slots)?.arm(fate)
  }
  async function freeze(slot: Slot, ms: number): Promise<void> {
    if (!slot.signal('SIGSTOP')) return
    await sleep(ms)
    slot.signal('SIGCONT')
    tally.fault('process stood still')
  }
  function step(clock: MovedClock, way: string, ms: number): void {
    clock.move(ms)
    tally.fault(`clock stepped ${way}`)
  }
  /**
   * The next version of a process takes its place, or the version before does again; what it brings
   * is migrated by the first of them.
   */
  function upgrade(slots: Slot[], next: Next): void {
    const slot = settled(slots)
    if (!slot) return
    const version = by.one(['this', 'next'] as const)
    if (version === 'next') {
      next.grow()
      tally.fault('migration')
    }
    if (slot.restart(version)) tally.fault(`process replaced by ${version} version`)
  }
  /**
   * Waits until all have come up: where some still start, nobody has been answered since the last
   * time.
   */
  async function untilAllSettled(slots: Slot[]): Promise<boolean> {
    const until = performance.now() + upWithinMs
    while (on && performance.now() < until) {
      if (slots.every((slot) => slot.settled())) return true
      await sleep(50)
    }
    return false
  }
  async function restartAll(slots: Slot[]): Promise<void> {
    if (!(await untilAllSettled(slots))) return
    for (const slot of slots) slot.restart()
    tally.fault('all processes asked to end')
  }
  async function crashAll(slots: Slot[], database: Database): Promise<void> {
    if (!(await untilAllSettled(slots))) return
    for (const slot of slots) slot.kill()
    await database.crash()
    tally.fault('kill -9 of everything')
  }
  async function run(world: Breakable, every: number, heavyShare: number): Promise<void> {
    while (on) {
      await anyOf(by.happens(heavyShare) ? heavy : light)(world)
      const from = sumOf(tally.operations)
      const enough = by.below(2 * every)
      let [last, since] = [from, performance.now()]
      while (on && last - from < enough && performance.now() - since < latestMs) {
        await sleep(10)
        const now = sumOf(tally.operations)
        if (now > last) [last, since] = [now, performance.now()]
      }
    }
  }
  return {
    done,
    /**
     * @param every how many operations there are between two of them, on average
     * @param heavyShare how many of them take a process or PostgreSQL away
     */
    start(world: Breakable, every: number, heavyShare: number): void {
      on = true
      loop = run(world, every, heavyShare)
    },
    async stop({ slots }: Breakable): Promise<void> {
      on = false
      await loop
      await Promise.all(under)
      for (const slot of slots) slot.disarm()
    },
  }
}
