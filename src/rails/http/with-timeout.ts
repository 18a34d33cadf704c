import { withDeadline } from '../../lib/deadline.ts'
import { follow } from '../../lib/steps.ts'

/** How long a rail may take for one answer. */
const deadlineMs = 20_000

/**
 * The same rail, whose answers are not waited for longer than the deadline: what never answers must
 * not hold a worker. A call that is late rejects with `DeadlineError`, which says nothing of what
 * happened.
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
