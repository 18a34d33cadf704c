/**
 * Notifies open pages that their payment has changed: one query for all the pages of a process, a
 * few times a second, while any page is open.
 */

import { setTimeout as sleep } from 'node:timers/promises'
import { findVersions } from '../../collecting/payments/payments.ts'
import type { App } from '../../core/app.ts'
import { makeCounts } from '../../lib/counts.ts'
import type { Id } from '../../lib/ids.ts'

type Key = { businessId: Id; livemode: boolean; id: Id }
type Watched = { key: Key; version: string; wake: Set<() => void> }

const pollEveryMs = 300
/** A page that is open longer reconnects. */
const longestMs = 10 * 60_000
/** Streams of one process, and of one address of it: many payers can share one. */
const mostStreams = 5_000
const mostOfAddress = 200
/** Proxies cut what is silent for long. */
const pulseEveryMs = 15_000

/** Makes the watch of a process. */
export function makeWatch(app: App) {
  const watched = new Map<Id, Watched>()
  const streams = makeCounts()
  let polling = false

  async function poll(): Promise<void> {
    if (polling) return
    polling = true
    while (watched.size > 0) {
      try {
        const versions = await findVersions(
          app,
          [...watched.values()].map((one) => one.key),
        )
        for (const [id, version] of versions) {
          const one = watched.get(id)
          if (!one || one.version === version) continue
          one.version = version
          for (const wake of one.wake) wake()
        }
      } catch (error) {
        app.log.warn({ err: error }, 'open checkout pages could not be notified of changes')
      }
      await sleep(pollEveryMs)
    }
    polling = false
  }

  async function* follow(key: Key, signal: AbortSignal): AsyncGenerator<string> {
    const one = watched.get(key.id) ?? { key, version: '', wake: new Set() }
    watched.set(key.id, one)
    let wake = (): void => {}
    const woken = (): void => wake()
    one.wake.add(woken)
    signal.addEventListener('abort', woken)
    void poll()
    try {
      for (let sent: string | null = null; !signal.aborted; ) {
        if (one.version !== '' && one.version !== sent) {
          sent = one.version
          yield `data: ${sent}\n\n`
          continue
        }
        const pulse = await new Promise<boolean>((resolve) => {
          const timer = setTimeout(() => resolve(true), pulseEveryMs)
          wake = () => {
            clearTimeout(timer)
            resolve(false)
          }
        })
        if (pulse) yield ': still here\n\n'
      }
    } finally {
      signal.removeEventListener('abort', woken)
      one.wake.delete(woken)
      if (one.wake.size === 0) watched.delete(key.id)
    }
  }

  /**
   * The versions of a payment as server-sent events, until the payer is gone or ten minutes are
   * over.
   * @returns null when there are too many already
   */
  return (key: Key, address: string, gone: AbortSignal): AsyncIterable<string> | null => {
    if (gone.aborted) return null
    if (streams.total >= mostStreams || streams.of(address) >= mostOfAddress) return null
    streams.add(address, 1)
    const signal = AbortSignal.any([gone, AbortSignal.timeout(longestMs)])
    gone.addEventListener('abort', () => streams.add(address, -1), { once: true })
    return follow(key, signal)
  }
}
