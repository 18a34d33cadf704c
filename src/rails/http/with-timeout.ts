import { withDeadline } from '../../lib/deadline.ts'
import { follow } from '../../lib/steps.ts'

/** The longest time for one answer of a rail. */
const deadlineMs = 20_000

/**
 * Returns a rail with a timeout on each call, so that a silent provider cannot hold a worker. A
 * late call rejects with `DeadlineError`: its order may have been executed.
 */
export function withTimeout<R extends object>(rail: R): R {
  const named = 'name' in rail && typeof rail.name === 'string' ? rail.name : 'sandbox'
  const calls = Object.entries(rail).map(([name, part]) => {
    const about = () => ({
      name: `${named} ${name}`,
      attributes: { 'bursar.rail': named, 'bursar.call': name },
    })
    return [
      name,
      typeof part === 'function'
        ? (...args: unknown[]) =>
            follow('rail', about, async () => withDeadline(deadlineMs, part(...args)))
        : part,
    ]
  })
  return Object.fromEntries(calls) as R
}
