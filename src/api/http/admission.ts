/**
 * Admission control: rejects requests early with 429 `overloaded` while more are in flight than the
 * process can answer within 70 ms, so admitted requests stay fast under any load.
 */
import { makeCounts } from '../../lib/counts.ts'
import { generalRefusal } from '../../lib/errors.ts'

/** In-flight requests that are always admitted, so that a short burst is never rejected. */
const burstLimit = 256
/**
 * The same for two seconds after a larger burst, so that fewer requests wait during a short stall
 * of the machine.
 */
const sustainedLimit = 128
/** How long admitted requests may wait, at the current rate of answers. */
const mostWaitMs = 70
/** Each sender is guaranteed this fraction of the limit, whatever others have in flight. */
const sharePart = 4
const tickMs = 200
/** The window is two seconds. */
const ticks = 10
/**
 * After this many ticks without an answer, requests wait for something other than each other: a
 * lock, or a database that is moving.
 */
const stalledTicks = 5

/** A request in flight: the sender that it counts for, and when it was admitted. */
export type Place = { sender: string; readonly tick: number }

/**
 * Compares requests admitted in the last two seconds and still in flight with those answered in
 * that time. A longer request, such as one that waits for a locked wallet, is not counted, because
 * it does not slow others down.
 *
 * At the limit, a sender with less than a quarter of it in flight is still admitted, while all
 * senders together, each counted with a quarter at most, have less than the limit. So one sender
 * cannot use up the places of others, and no places are reserved.
 */
export class Admission {
  readonly #elapsed: () => number
  /** The oldest first. */
  readonly #places = new Set<Place>()
  readonly #bySender = makeCounts()
  readonly #answered = new Uint32Array(ticks)
  #ended = 0
  #tick: number
  /** When a request was last answered, or arrived while none was in flight. */
  #lastProgress: number
  #lastFull: number

  constructor(elapsed: () => number = () => performance.now()) {
    this.#elapsed = elapsed
    this.#tick = Math.floor(elapsed() / tickMs)
    this.#lastProgress = this.#tick
    this.#lastFull = this.#tick - ticks
  }

  /**
   * Admits a request.
   * @param sender the sender that it counts for; only compared
   * @throws {Refusal} `overloaded`
   */
  enter(sender: string): Place {
    const at = this.#advance()
    const inFlight = this.#places.size
    if (inFlight === 0) this.#lastProgress = at
    const limit = this.#limitAt(at)
    const isStalled = at - this.#lastProgress >= stalledTicks
    if (inFlight >= limit && !isStalled && !this.#hasShare(sender, limit)) {
      if (inFlight >= burstLimit) this.#lastFull = at
      throw generalRefusal(
        'overloaded',
        'The server has more to do than it can take; nothing was done. Try again in a second.',
      )
    }
    const place = { sender, tick: at }
    this.#places.add(place)
    this.#bySender.add(sender, 1)
    return place
  }

  /** Counts a request for another sender, once its key was looked up. */
  assign(place: Place, sender: string): void {
    if (place.sender === sender) return
    if (this.#places.has(place)) {
      this.#bySender.add(place.sender, -1)
      this.#bySender.add(sender, 1)
    }
    place.sender = sender
  }

  /** Releases a place without an answer, while the request waits for its client. */
  pause(place: Place): void {
    this.#advance()
    this.#remove(place)
  }

  /** Releases the place of an answered request. */
  leave(place: Place): void {
    const at = this.#advance()
    this.#lastProgress = at
    ;(this.#answered[at % ticks] as number)++
    this.#ended++
    this.#remove(place)
  }

  /** The number of requests answered within `mostWaitMs`, and at least a burst. */
  #limitAt(at: number): number {
    const atLeast = at - this.#lastFull < ticks ? sustainedLimit : burstLimit
    return Math.max(atLeast, (this.#ended * mostWaitMs) / (ticks * tickMs))
  }

  /** Whether a sender may have one more request at the limit. */
  #hasShare(sender: string, limit: number): boolean {
    const share = limit / sharePart
    if (this.#bySender.of(sender) >= share) return false
    let shared = 0
    for (const count of this.#bySender.values()) shared += Math.min(count, share)
    return shared < limit
  }

  /** Advances the window of two seconds, and returns the tick. */
  #advance(): number {
    const at = Math.floor(this.#elapsed() / tickMs)
    if (at === this.#tick) return at
    for (const place of this.#places) {
      if (at - place.tick < ticks) break
      this.#remove(place)
    }
    this.#tick = Math.max(this.#tick, at - ticks)
    while (this.#tick < at) {
      const index = ++this.#tick % ticks
      this.#ended -= this.#answered[index] as number
      this.#answered[index] = 0
    }
    return at
  }

  #remove(place: Place): void {
    if (this.#places.delete(place)) this.#bySender.add(place.sender, -1)
  }
}
