/** One EVM network behind its endpoints: which of them is asked. */
import { BaseError } from 'viem'
import { type Endpoint, openEndpoint } from './endpoint.ts'
import { isFinal, messageOf } from './rpc-errors.ts'
import type { EvmNetwork } from './settings.ts'

/** A network behind one or more endpoints. */
export type Chain = {
  network: EvmNetwork
  /**
   * Runs work on one endpoint, the same one throughout: answers of different nodes must not be mixed. When it fails, the next
   * endpoint has its turn, each once; errors that are final pass through. What the transport throws comes out
   * as one line, without the URL.
   */
  on<T>(work: (endpoint: Endpoint) => Promise<T>): Promise<T>
  /** Runs work on every endpoint, for what the word of one is not enough for. Answers are in the order of the settings. */
  everywhere<T>(work: (endpoint: Endpoint) => Promise<T>): Promise<PromiseSettledResult<T>[]>
}

/** The chain of a network's settings. Opens no connection yet. */
export function openChain(network: EvmNetwork): Chain {
  const endpoints = network.rpc.map((url) => openEndpoint(network, url))
  let current = 0
  return {
    network,
    async on(work) {
      for (let tried = 1; ; tried++) {
        const endpoint = endpoints[current % endpoints.length] as Endpoint
        const used = current
        try {
          return await work(endpoint)
        } catch (error) {
          if (isFinal(error)) throw error
          if (current === used) current++
          if (tried >= endpoints.length) throw withoutUrl(error)
        }
      }
    },
    everywhere: (work) =>
      Promise.allSettled(
        endpoints.map((endpoint) =>
          work(endpoint).catch((error: unknown) => {
            throw withoutUrl(error)
          }),
        ),
      ),
  }
}

/** viem's errors carry the URL in their text, stack and fields, and whoever logs an error logs all of it. */
const withoutUrl = (error: unknown): unknown => (error instanceof BaseError ? new Error(messageOf(error)) : error)
