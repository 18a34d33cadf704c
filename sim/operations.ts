/**
 * The write operations that there are, to say which of them a run never did.
 */
import { routes } from '../src/edge/rooms.ts'

/** Ids of the operations that write, as the API's document has them. */
export const writes: readonly string[] = routes.filter(({ method }) => method !== 'GET').map(({ id }) => id)

/** @param done names of operations as a run counts them: an id, and what it was done with */
export function neverDone(done: readonly string[]): string[] {
  const ids = new Set(done.map((name) => name.split(' ')[0]))
  return writes.filter((id) => !ids.has(id))
}
