/**
 * What asks a process to end: an operator, a supervisor, or a terminal that is closed.
 */
import { constants } from 'node:os'

/**
 * Listens for the first signal that asks this process to end. From now on none ends it by itself:
 * it would leave the embedded database running.
 * @param withinMs how long the stop may take before the process ends anyway, with status 1
 * @param late called when the process has not ended by then, just before it is ended
 * @returns aborted by the signal, whose name is the reason
 */
export function stopSignal(withinMs = 5_000, late: () => void = () => {}): AbortSignal {
  const stop = new AbortController()
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'])
    process.on(signal, () => {
      if (stop.signal.aborted) return
      setTimeout(() => {
        late()
        process.exit(1)
      }, withinMs).unref()
      stop.abort(signal)
    })
  return stop.signal
}

/**
 * Stops as by a signal when what started this process is gone: a launcher that was killed passes no
 * signal on.
 */
export function stopWithLauncher(): void {
  process.once('disconnect', () => process.emit('SIGTERM', 'SIGTERM'))
}

/** The exit status of a process that a signal ended, as shells have it. */
export const statusOf = (signal: NodeJS.Signals): number => 128 + constants.signals[signal]
