/**
 * Admission control: rejects a request with 429 `overloaded` before anything is looked up or done,
 * while more are in flight than the process answers within a moment. Admitted requests stay fast
 * under any load.
 */
import { makeCounts } from '../../lib/counts.ts'
import { generalRefusal } from '../../lib/errors.ts'

/** In-flight requests that are always admitted, so that a short burst is never rejected. */
const burstLimit = 256
/**
 * The same for two seconds after a burst that was larger: fewer requests then wait for whatever
 * else the machine does for a moment.
 */
const sustainedLimit = 128
/** How long admitted requests may wait, at the rate at which requests are answered. */
const mostWaitMs = 70
/** Of its limit a process keeps a quarter for each sender, whatever others have in flight. */
const sharePart = 4
const tickMs = 200
/** Two seconds are looked at. */
const ticks = 10
/**
 * Where nothing was answered for so many ticks, requests wait for something else than for each
 * other: a lock, a database that is moved.
 */
const stalledTicks = 5

/** A request in flight: the sender that it counts for, and when it was admitted. */
export type Place = { sender: string; readonly tick: number }

/**
 * Counts the requests that were admitted within the last two seconds and are in flight, against
 * those that were answered within them. A request that takes longer, as for a wallet that somebody
 * has locked, is not counted: it keeps nobody else from an answer.
 *
 * Where the limit is reached, a sender that has less than a quarter of it in flight is still
 * admitted, as long as all senders together have less than the limit, each counted with a quarter
 * at most. So one sender cannot use up the places of others, and nothing is kept free for anybody.
 */
export class Admission {
  readonly #elapsed: () => number
  /** The oldest first. */
  readonly #places = new Set<Place>()
  readonly #bySender = makeCounts()
  readonly #answered = new Uint32Array(ticks)
  #ended = 0
  #tick: number
  /** When a request was answered last, or came while none was in flight. */
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
   * @param sender the sender that it counts for; the text is compared only
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

  /** Counts another sender for a request, once its key was looked up. */
  assign(place: Place, sender: string): void {
    if (place.sender === sender) return
    if (this.#places.has(place)) {
      this.#bySender.add(place.sender, -1)
      this.#bySender.add(sender, 1)
    }
    place.sender = sender
  }

  /** Gives a place back without an answer: the request waits for its client. */
  pause(place: Place): void {
    this.#advance()
    this.#remove(place)
  }

  /** Gives the place of an answered request back. */
  leave(place: Place): void {
    const at = this.#advance()
    this.#lastProgress = at
    ;(this.#answered[at % ticks] as number)++
    this.#ended++
    this.#remove(place)
  }

  /** As many as are answered within `mostWaitMs`, and at least a burst. */
  #limitAt(at: number): number {
    const atLeast = at - this.#lastFull < ticks ? sustainedLimit : burstLimit
    return Math.max(atLeast, (this.#ended * mostWaitMs) / (ticks * tickMs))
  }

  /** Whether a sender may have one more where the limit is reached. */
  #hasShare(sender: string, limit: number): boolean {
    const share = limit / sharePart
    if (this.#bySender.of(sender) >= share) return false
    let shared = 0
    for (const count of this.#bySender.values()) shared += Math.min(count, share)
    return shared < limit
  }

  /** Moves the window of two seconds up to now, and returns the tick. */
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
