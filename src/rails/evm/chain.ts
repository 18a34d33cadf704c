/** One EVM network behind its endpoints, and the choice of the endpoint to query. */
import { BaseError } from 'viem'
import { type Endpoint, openEndpoint } from './endpoint.ts'
import { isFinal, messageOf, throttledMs } from './rpc-errors.ts'
import type { EvmNetwork } from './settings.ts'

/** A network behind one or more endpoints. */
export type Chain = {
  network: EvmNetwork
  /**
   * Runs work on one endpoint throughout, because answers of different nodes must not be mixed. On
   * failure it tries each other endpoint once; final errors pass through. Transport errors come out
   * as one line, without the URL.
   */
  on<T>(work: (endpoint: Endpoint) => Promise<T>): Promise<T>
  /**
   * Runs work on every endpoint, when one answer is not enough. Answers are in the order of the
   * settings.
   */
  everywhere<T>(work: (endpoint: Endpoint) => Promise<T>): Promise<PromiseSettledResult<T>[]>
}

/**
 * How long an endpoint that throttles is not used: at first and at most, doubled each time in a
 * row.
 */
const firstRestMs = 1_000
const longestRestMs = 60_000

/** An endpoint, and until when it is not used because it throttles. */
type Place = { endpoint: Endpoint; restMs: number; until: number; said: unknown }

/**
 * Opens the chain of a network's settings. Opens no connection yet.
 * @param elapsed monotonic milliseconds
 */
export function openChain(
  network: EvmNetwork,
  elapsed: () => number = () => performance.now(),
): Chain {
  const places = network.rpc.map((url): Place => {
    return { endpoint: openEndpoint(network, url), restMs: 0, until: 0, said: null }
  })
  let current = 0

  /** Queries one endpoint, unless it is resting. */
  async function at<T>(place: Place, work: (endpoint: Endpoint) => Promise<T>): Promise<T> {
    if (place.restMs > 0 && elapsed() < place.until) throw place.said
    try {
      const answer = await work(place.endpoint)
      place.restMs = 0
      return answer
    } catch (error) {
      // A final error is an answer, whatever its words.
      const askedMs = isFinal(error) ? null : throttledMs(error)
      if (askedMs === null) throw error
      place.restMs = Math.min(longestRestMs, Math.max(firstRestMs, askedMs, place.restMs * 2))
      place.until = elapsed() + place.restMs
      place.said = withoutUrl(error)
      throw error
    }
  }

  return {
    network,
    async on(work) {
      for (let tried = 1; ; tried++) {
        const place = places[current % places.length] as Place
        const used = current
        try {
          return await at(place, work)
        } catch (error) {
          if (isFinal(error)) throw error
          if (current === used) current++
          if (tried >= places.length) throw withoutUrl(error)
        }
      }
    },
    everywhere: (work) =>
      Promise.allSettled(
        places.map((place) =>
          at(place, work).catch((error: unknown) => {
            throw withoutUrl(error)
          }),
        ),
      ),
  }
}

/** viem's errors carry the URL in text, stack and fields, and a logger would write all of it. */
const withoutUrl = (error: unknown): unknown =>
  error instanceof BaseError ? new Error(messageOf(error)) : error
