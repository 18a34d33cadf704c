/**
 * Limits how many deliveries are under way at once, so that a slow or silent endpoint delays nobody
 * else. The limit of an endpoint grows by one with each delivery that succeeds, and falls to one
 * with each that fails. A business has a share for all of its endpoints, whatever their limits.
 * Deliveries without an answer after half a second give their place up to others, and count among
 * those that hang, of which there is a bounded number.
 */
import { makeCounts } from '../../lib/counts.ts'
import type { Id } from '../../lib/ids.ts'

export type Endpoint = { business_id: Id; livemode: boolean; webhook_id: Id }

/**
 * An endpoint as the database has it. @property hangs how its deliveries ended as far as any
 * process has recorded; null: it has recorded nothing
 */
export type KnownEndpoint = Endpoint & { hangs: boolean | null }

/** A delivery without an answer for so long hangs. */
export const hangsAfterMs = 500

const leastLimit = 1
const mostLimit = 64
const mostOfBusiness = 128
const remembered = 10_000

/**
 * Deliveries that do not hang yet, to endpoints that have not taken any from this process: as many
 * places again are left for those that have.
 */
const mostUnproven = 128

/**
 * Deliveries, hanging or not, that began to endpoints which had not taken any: from here on a
 * business begins no more than its share of them.
 */
const mostUnshared = 64
/**
 * So new endpoints of a hundred businesses are all tried within a second, however many of them
 * hang.
 */
const unprovenShare = 2

/** `hanging`: the last delivery failed after it hung. `proven`: the last one succeeded. */
type Standing = 'unproven' | 'proven' | 'hanging'

/** How many deliveries may hang while another to an endpoint of this standing begins. */
const mostHanging: Record<Standing, number> = { hanging: 256, unproven: 512, proven: 768 }

/**
 * How many deliveries an endpoint may have under way, how many it has, how its last one ended, and
 * what the database has recorded of that.
 */
type Slots = { limit: number; inUse: number; standing: Standing; recorded: boolean | null }

const standingOf = (hangs: boolean | null): Standing =>
  hangs === null ? 'unproven' : hangs ? 'hanging' : 'proven'

/**
 * The place of one delivery. @property standing the endpoint's, when it began @property pool what
 * it counts among. @property hangs whether it had no answer for half a second
 */
export type Place = Readonly<Endpoint> & {
  readonly standing: Standing
  pool: Standing
  hangs: boolean
}

const nameOf = ({ business_id, livemode }: Endpoint): string => `${business_id} ${livemode}`

/**
 * The limits of one process. What is known of endpoints is remembered while nothing is under way,
 * of a number of them.
 */
export class ConcurrencyLimits {
  private readonly endpoints = new Map<Id, Slots>()
  private readonly ofBusiness = makeCounts()
  /** Of those, what began to unproven endpoints. */
  private readonly unproven = makeCounts()
  private readonly inPool = { unproven: 0, proven: 0, hanging: 0 }

  /** Takes places for deliveries of an endpoint, `most` at most of those that do not hang. */
  acquire(endpoint: KnownEndpoint, most: number): Place[] {
    const { business_id, livemode, webhook_id, hangs } = endpoint
    const slots = this.endpoints.get(webhook_id) ?? {
      limit: leastLimit,
      inUse: 0,
      standing: standingOf(hangs),
      recorded: hangs,
    }
    const business = nameOf(endpoint)
    const { standing } = slots
    const free = mostOfBusiness - this.ofBusiness.of(business)
    const capacity = this.capacityFor(standing, business, most)
    const taken = Math.min(capacity, slots.limit - slots.inUse, free)
    if (taken <= 0) return []
    slots.inUse += taken
    this.inPool[standing] += taken
    this.endpoints.set(webhook_id, slots)
    this.ofBusiness.add(business, taken)
    if (standing === 'unproven') this.unproven.add(business, taken)
    const place = { business_id, livemode, webhook_id, standing, pool: standing, hangs: false }
    return Array.from({ length: taken }, () => ({ ...place }))
  }

  release(place: Place): void {
    this.inPool[place.pool]--
    const slots = this.endpoints.get(place.webhook_id) as Slots
    if (--slots.inUse === 0) this.setIdle(place.webhook_id, slots)
    const business = nameOf(place)
    this.ofBusiness.add(business, -1)
    if (place.standing === 'unproven') this.unproven.add(business, -1)
  }

  /** Counts a delivery that is under way among those that hang, and frees its place for another. */
  markHanging(place: Place): void {
    this.inPool[place.pool]--
    this.inPool.hanging++
    place.pool = 'hanging'
    place.hangs = true
  }

  /**
   * Raises or lowers the endpoint's limit by how a delivery ended. Its place is still to be
   * released.
   * @returns what is to be recorded of the endpoint from now on, whether it hangs; null: what is
   * recorded stays
   */
  adjust(place: Place, succeeded: boolean): boolean | null {
    const slots = this.endpoints.get(place.webhook_id) as Slots
    slots.limit = succeeded ? Math.min(mostLimit, slots.limit + 1) : leastLimit
    // One that fails at once holds no place: it is as good as any.
    slots.standing = succeeded ? 'proven' : place.hangs ? 'hanging' : 'unproven'
    const hangs = succeeded ? false : place.hangs ? true : slots.recorded
    if (hangs === slots.recorded) return null
    slots.recorded = hangs
    return hangs
  }

  /** Counts the deliveries that hang, and those to endpoints that are known to hang. */
  hanging(): number {
    return this.inPool.hanging
  }

  /**
   * The last to become idle stands last in the map, so the first that is idle is the one to forget.
   */
  private setIdle(id: Id, slots: Slots): void {
    const { endpoints } = this
    endpoints.delete(id)
    if (slots.standing !== 'unproven' || slots.recorded !== null) endpoints.set(id, slots)
    if (endpoints.size <= remembered) return
    for (const [old, { inUse }] of endpoints)
      if (inUse === 0) {
        endpoints.delete(old)
        return
      }
  }

  private capacityFor(standing: Standing, business: string, most: number): number {
    const { inPool, unproven } = this
    const capacity = mostHanging[standing] - inPool.hanging
    if (standing === 'hanging') return capacity
    if (capacity <= 0) return 0
    if (standing === 'proven') return most
    const share = unproven.total < mostUnshared ? most : unprovenShare - unproven.of(business)
    return Math.min(most, share, mostUnproven - inPool.unproven)
  }
}
