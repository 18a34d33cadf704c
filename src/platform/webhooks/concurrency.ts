/**
 * Limits concurrent deliveries, so that a slow or silent endpoint does not delay others. An
 * endpoint's limit grows by one with each success and falls to one with each failure. Each business
 * has a share.
 */
import { makeCounts } from '../../lib/counts.ts'
import type { Id } from '../../lib/ids.ts'

export type Endpoint = { business_id: Id; livemode: boolean; webhook_id: Id }

/**
 * An endpoint as stored. @property hangs whether its last recorded delivery hung; null: no process
 * has recorded one
 */
export type KnownEndpoint = Endpoint & { hangs: boolean | null }

/** A delivery without an answer after this time hangs: it frees its place for another. */
export const hangsAfterMs = 500

const leastLimit = 1
const mostLimit = 64
const mostOfBusiness = 128
const remembered = 10_000

/**
 * The most deliveries in flight that do not hang yet, to unproven endpoints (without a success on
 * this process). At least as many places remain for proven endpoints.
 */
const mostUnproven = 128

/**
 * Deliveries in flight to unproven endpoints, hanging or not, from which on each business gets only
 * `unprovenShare`.
 */
const mostUnshared = 64
/**
 * With 100 businesses, all new endpoints get a first attempt within a second, even if many hang.
 */
const unprovenShare = 2

/** `hanging`: the last delivery failed after it hung. `proven`: the last one succeeded. */
type Standing = 'unproven' | 'proven' | 'hanging'

/**
 * A new delivery to an endpoint of this standing starts only below this number of hanging
 * deliveries.
 */
const mostHanging: Record<Standing, number> = { hanging: 256, unproven: 512, proven: 768 }

/**
 * An endpoint's limit, its deliveries in flight, how the last one ended, and the recorded `hangs`.
 */
type Slots = { limit: number; inUse: number; standing: Standing; recorded: boolean | null }

const standingOf = (hangs: boolean | null): Standing =>
  hangs === null ? 'unproven' : hangs ? 'hanging' : 'proven'

/**
 * The place of one delivery. @property standing the endpoint's when the delivery started @property
 * pool the standing that the delivery counts under @property hangs whether it had no answer for
 * half a second
 */
export type Place = Readonly<Endpoint> & {
  readonly standing: Standing
  pool: Standing
  hangs: boolean
}

const nameOf = ({ business_id, livemode }: Endpoint): string => `${business_id} ${livemode}`

/** The limits of one process. It remembers up to `remembered` idle endpoints. */
export class ConcurrencyLimits {
  private readonly endpoints = new Map<Id, Slots>()
  private readonly ofBusiness = makeCounts()
  /** Deliveries in flight to unproven endpoints, by business. */
  private readonly unproven = makeCounts()
  private readonly inPool = { unproven: 0, proven: 0, hanging: 0 }

  /** Reserves places for an endpoint's deliveries: at most `most`, hanging ones not counted. */
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

  /** Counts a delivery in flight as hanging and frees its place for another. */
  markHanging(place: Place): void {
    this.inPool[place.pool]--
    this.inPool.hanging++
    place.pool = 'hanging'
    place.hangs = true
  }

  /**
   * Raises or lowers the endpoint's limit after a delivery. The caller still releases its place.
   * @returns the new `hangs` to record for the endpoint; null: the recorded value stays
   */
  adjust(place: Place, succeeded: boolean): boolean | null {
    const slots = this.endpoints.get(place.webhook_id) as Slots
    slots.limit = succeeded ? Math.min(mostLimit, slots.limit + 1) : leastLimit
    // A fast failure occupies no place, so the endpoint counts as unproven, not as hanging.
    slots.standing = succeeded ? 'proven' : place.hangs ? 'hanging' : 'unproven'
    const hangs = succeeded ? false : place.hangs ? true : slots.recorded
    if (hangs === slots.recorded) return null
    slots.recorded = hangs
    return hangs
  }

  /** Counts deliveries that hang, and deliveries to endpoints that are known to hang. */
  hanging(): number {
    return this.inPool.hanging
  }

  /** Moves an idle endpoint to the end of the map, so that the first idle one is evicted. */
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
