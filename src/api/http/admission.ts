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

/**
 * A request in flight. @property sender who is counted for it. @property tick when it was admitted
 */
export type Place = { sender: string; readonly tick: number }

/**
 * Counts the requests that were admitted within the last two seconds and are in flight, against
 * those that were answered within them. A request that takes longer, as for a wallet that somebody
 * has locked, is not counted: it keeps nobody else from an answer.
 *
 * Where the limit is reached, a sender that has less than a quarter of it in flight is still
 * admitted, as long as all senders together have less than the limit, each counted with a quarter
 * at most. So one sender cannot use up the places of others, and nothing is kept free for anybody.
 * @param elapsed milliseconds since any moment; never back
 */
export function makeAdmission(elapsed: () => number = () => performance.now()) {
  /** The oldest first. */
  const places = new Set<Place>()
  const bySender = makeCounts()
  const answered = new Uint32Array(ticks)
  let ended = 0
  let tick = Math.floor(elapsed() / tickMs)
  /** When a request was answered last, or came while none was in flight. */
  let lastProgress = tick
  let lastFull = tick - ticks

  function remove(place: Place): void {
    if (places.delete(place)) bySender.add(place.sender, -1)
  }

  function advance(): number {
    const at = Math.floor(elapsed() / tickMs)
    if (at === tick) return at
    for (const place of places) {
      if (at - place.tick < ticks) break
      remove(place)
    }
    tick = Math.max(tick, at - ticks)
    while (tick < at) {
      const index = ++tick % ticks
      ended -= answered[index] as number
      answered[index] = 0
    }
    return at
  }

  /** Whether a sender may have one more where the limit is reached. */
  function hasShare(sender: string, limit: number): boolean {
    const share = limit / sharePart
    if (bySender.of(sender) >= share) return false
    let shared = 0
    for (const count of bySender.values()) shared += Math.min(count, share)
    return shared < limit
  }

  return {
    /**
     * Admits a request.
     * @param sender who is counted for it; the text is compared only
     * @throws {Refusal} `overloaded`
     */
    enter(sender: string): Place {
      const at = advance()
      if (places.size === 0) lastProgress = at
      const atLeast = at - lastFull < ticks ? sustainedLimit : burstLimit
      const limit = Math.max(atLeast, (ended * mostWaitMs) / (ticks * tickMs))
      if (places.size >= limit && at - lastProgress < stalledTicks && !hasShare(sender, limit)) {
        if (places.size >= burstLimit) lastFull = at
        throw generalRefusal(
          'overloaded',
          'The server has more to do than it can take; nothing was done. Try again in a second.',
        )
      }
      const place = { sender, tick: at }
      places.add(place)
      bySender.add(sender, 1)
      return place
    },
    /** Counts another sender for a request, once its key was looked up. */
    assign(place: Place, sender: string): void {
      if (place.sender === sender) return
      if (places.has(place)) {
        bySender.add(place.sender, -1)
        bySender.add(sender, 1)
      }
      place.sender = sender
    },
    /** Gives a place back without an answer: the request waits for its client. */
    pause(place: Place): void {
      advance()
      remove(place)
    },
    /** Gives the place of an answered request back. */
    leave(place: Place): void {
      const at = advance()
      lastProgress = at
      ;(answered[at % ticks] as number)++
      ended++
      remove(place)
    },
  }
}

export type Admission = ReturnType<typeof makeAdmission>
