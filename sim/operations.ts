/**
 * The write operations that there are, to say which of them a run never did.
 */
import { ofOperator, ofPeople, routes } from '../src/app/modules.ts'

/**
 * Ids of the operations that write: of keys of businesses, of the operator, and of people at the
 * dashboard alone.
 */
export const writes: readonly string[] = [...routes, ...ofOperator, ...ofPeople]
  .filter(({ method }) => method !== 'GET')
  .map(({ id }) => id)

/** @param done names of operations as a run counts them: an id, and what it was done with */
export function neverDone(done: readonly string[]): string[] {
  const ids = new Set(done.map((name) => name.split(' ')[0]))
  return writes.filter((id) => !ids.has(id))
}
