import type { EventEmitter } from 'node:events'

/** A task that runs periodically while workers run. */
export type PeriodicTask = {
  name: string
  everyMs: number
  /** Starts the next run early when it emits `notify`. */
  wakeUp?: EventEmitter
  /** The shortest interval between two starts, in milliseconds, regardless of notifications. */
  cooldownMs?: number
  /**
   * @param worker the name whose advisory lock shows that the worker is alive
   * @param stop aborts when workers stop
   */
  run(worker: string, stop?: AbortSignal): Promise<void>
  /** Waits for work that its runs have started. */
  settle?(): Promise<void>
  /**
   * Ends work that its runs have started, after the last run. `giveUp` aborts when the time for
   * that is over.
   */
  finish?(worker: string, giveUp: AbortSignal): Promise<void>
}

/** Resolves once the signal is aborted, also if it is already: its event does not fire again. */
export function whenAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve()
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
}
