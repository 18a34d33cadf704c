import { withDeadline } from '../../lib/deadline.ts'
import { follow } from '../../lib/steps.ts'

/** How long a rail may take for one answer. */
const deadlineMs = 20_000

/**
 * Returns a rail with a deadline on each call, so that a provider that never answers holds no worker.
 * A late call rejects with `DeadlineError`: its order may have been executed.
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
