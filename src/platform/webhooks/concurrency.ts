/**
 * How many deliveries may be under way at once, so that whoever is slow or silent slows down nobody else. An endpoint's limit grows
 * by one with each delivery that succeeds, and falls to the least with one that does not: those that hang hold a few places only. A
 * business has a share for all of its endpoints, whatever their limits.
 */
import type { Id } from '../../lib/ids.ts'

export type Endpoint = { business_id: Id; livemode: boolean; webhook_id: Id }

const leastLimit = 2
const mostLimit = 64
const mostOfBusiness = 128
const remembered = 10_000

/** How many deliveries an endpoint may have under way, and how many it has. */
type Slots = { limit: number; inUse: number }

export type ConcurrencyLimits = {
  /** Takes places for deliveries of an endpoint, `most` at most. @returns how many there were */
  acquire(endpoint: Endpoint, most: number): number
  release(endpoint: Endpoint, count: number): void
  /** Raises or lowers the endpoint's limit by how a delivery ended. Its place is still to be released. */
  adjust(endpoint: Endpoint, succeeded: boolean): void
}

/** The limits of one process. Raised ones are remembered while nothing is under way, up to a number of them. */
export function makeConcurrencyLimits(): ConcurrencyLimits {
  const endpoints = new Map<Id, Slots>()
  const businesses = new Map<string, number>()
  const nameOf = ({ business_id, livemode }: Endpoint): string => `${business_id} ${livemode}`

  /** The last to become idle stands last in the map, so the first that is idle is the one to forget. */
  const setIdle = (id: Id, slots: Slots): void => {
    endpoints.delete(id)
    if (slots.limit > leastLimit) endpoints.set(id, slots)
    if (endpoints.size <= remembered) return
    for (const [old, { inUse }] of endpoints)
      if (inUse === 0) {
        endpoints.delete(old)
        return
      }
  }

  return {
    acquire(endpoint, most) {
      const slots = endpoints.get(endpoint.webhook_id) ?? { limit: leastLimit, inUse: 0 }
      const business = nameOf(endpoint)
      const inUse = businesses.get(business) ?? 0
      const count = Math.max(0, Math.min(most, slots.limit - slots.inUse, mostOfBusiness - inUse))
      if (count === 0) return 0
      slots.inUse += count
      endpoints.set(endpoint.webhook_id, slots)
      businesses.set(business, inUse + count)
      return count
    },
    release(endpoint, count) {
      const slots = endpoints.get(endpoint.webhook_id)
      if (!slots || count === 0) return
      slots.inUse -= count
      if (slots.inUse === 0) setIdle(endpoint.webhook_id, slots)
      const business = nameOf(endpoint)
      const left = (businesses.get(business) ?? 0) - count
      if (left > 0) businesses.set(business, left)
      else businesses.delete(business)
    },
    adjust(endpoint, succeeded) {
      const slots = endpoints.get(endpoint.webhook_id)
      if (slots) slots.limit = succeeded ? Math.min(mostLimit, slots.limit + 1) : leastLimit
    },
  }
}
