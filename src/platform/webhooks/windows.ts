/**
 * How many deliveries may be under way at once, so that whoever is slow or silent slows down nobody else. An endpoint has a
 * window that opens by one with each delivery it takes, and shuts with one that it does not: those that hang hold a few
 * places only. A business has a share for all of its endpoints, whatever their windows.
 */
import type { Id } from '../../lib/ids.ts'

export type Endpoint = { business_id: Id; livemode: boolean; webhook_id: Id }

const narrowest = 2
const widest = 64
const ofBusiness = 128
const remembered = 10_000

/** How many deliveries an endpoint may have under way, and how many it has. */
type Window = { open: number; held: number }

export type Windows = {
  /** Takes places for deliveries of an endpoint, `most` at most. @returns how many there were */
  take(endpoint: Endpoint, most: number): number
  /** Gives places back. */
  free(endpoint: Endpoint, count: number): void
  /** Opens or shuts the endpoint's window, as it has taken a delivery or not. Its place is given back by `free`. */
  learn(endpoint: Endpoint, taken: boolean): void
}

/** The windows of one process. Open ones are remembered while nothing is under way, up to a number of them. */
export function makeWindows(): Windows {
  const windows = new Map<Id, Window>()
  const businesses = new Map<string, number>()
  const nameOf = ({ business_id, livemode }: Endpoint): string => `${business_id} ${livemode}`

  /** The last to rest stands last in the map, so the first that rests is the one to forget. */
  const rest = (id: Id, window: Window): void => {
    windows.delete(id)
    if (window.open > narrowest) windows.set(id, window)
    if (windows.size <= remembered) return
    for (const [old, { held }] of windows)
      if (held === 0) {
        windows.delete(old)
        return
      }
  }

  return {
    take(endpoint, most) {
      const window = windows.get(endpoint.webhook_id) ?? { open: narrowest, held: 0 }
      const owner = nameOf(endpoint)
      const held = businesses.get(owner) ?? 0
      const count = Math.max(0, Math.min(most, window.open - window.held, ofBusiness - held))
      if (count === 0) return 0
      window.held += count
      windows.set(endpoint.webhook_id, window)
      businesses.set(owner, held + count)
      return count
    },
    free(endpoint, count) {
      const window = windows.get(endpoint.webhook_id)
      if (!window || count === 0) return
      window.held -= count
      if (window.held === 0) rest(endpoint.webhook_id, window)
      const owner = nameOf(endpoint)
      const left = (businesses.get(owner) ?? 0) - count
      if (left > 0) businesses.set(owner, left)
      else businesses.delete(owner)
    },
    learn(endpoint, taken) {
      const window = windows.get(endpoint.webhook_id)
      if (window) window.open = taken ? Math.min(widest, window.open + 1) : narrowest
    },
  }
}
