import type { EventEmitter } from 'node:events'

/** Something that is done again and again while the workers run. */
export type PeriodicTask = {
  name: string
  everyMs: number
  /** Ends the wait before its time, when it emits `notify`. */
  wakeUp?: EventEmitter
  /** How long it waits at least from one start to the next, however often it is notified. */
  cooldownMs?: number
  /**
   * @param worker the name that an advisory lock says is alive
   * @param stop is aborted when the workers stop
   */
  run(worker: string, stop?: AbortSignal): Promise<void>
  /** Waits for what its runs have started. */
  settle?(): Promise<void>
  /**
   * Ends what its runs have started, when there will be no other. `giveUp` is aborted when the time
   * for that is over.
   */
  finish?(worker: string, giveUp: AbortSignal): Promise<void>
}
