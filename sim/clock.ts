/**
 * One clock for every process of a run, which the run moves: how far it is ahead of the machine's
 * stands in a file.
 */
import { closeSync, openSync, readSync, writeFileSync } from 'node:fs'
import { type Clock, later } from '../src/lib/clock.ts'

export type MovedClock = Clock & {
  move(ms: number): void
  /** How far it ever stood behind what it had said before. */
  setBack(): number
  /** Whether it said a time within the last `ms` of the machine's time, give or take as much. */
  isRecent(time: Date, ms: number): boolean
  file: string
}

export function startClock(file: string): MovedClock {
  let ahead = 0
  /** How far it was ahead, and until when by the machine's clock; the last is how far it is. */
  const held = [{ ahead, until: Number.POSITIVE_INFINITY }]
  let [latest, behind] = [0, 0]
  const write = (): void => {
    const bytes = Buffer.alloc(8)
    bytes.writeDoubleLE(ahead)
    writeFileSync(file, bytes)
  }
  write()
  return {
    file,
    now: () => later(new Date(), ahead),
    move(ms) {
      latest = Math.max(latest, Date.now() + ahead)
      ahead += ms
      Object.assign(held.at(-1) as object, { until: Date.now() })
      held.push({ ahead, until: Number.POSITIVE_INFINITY })
      behind = Math.max(behind, latest - Date.now() - ahead)
      write()
    },
    setBack: () => behind,
    isRecent: (time, ms) =>
      held.some(
        (one) =>
          one.until >= Date.now() - ms && Math.abs(Date.now() + one.ahead - time.getTime()) <= ms,
      ),
  }
}

/** The same, read in another process. */
export function followClock(file: string): Clock {
  const from = openSync(file, 'r')
  process.once('exit', () => closeSync(from))
  const bytes = Buffer.alloc(8)
  return {
    now() {
      // A write empties the file first: then what was read last still holds.
      const fresh = Buffer.alloc(8)
      if (readSync(from, fresh, 0, 8, 0) === 8) fresh.copy(bytes)
      return later(new Date(), bytes.readDoubleLE())
    },
  }
}
