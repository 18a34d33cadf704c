/**
 * Tells open pages that their payment has changed: one query for all the pages of a process, a few times a second, while any
 * page is open.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { App } from '../context.ts'
import type { Id } from '../lib/ids.ts'
import { versionsOf } from '../payments/payments.ts'

type Key = { businessId: Id; livemode: boolean; id: Id }
type Watched = { key: Key; version: string; wake: Set<() => void> }

const lookEveryMs = 300
/** Proxies cut what is silent for long. */
const pulseEveryMs = 15_000

/** Makes the watch of a process. */
export function makeWatch(app: App) {
  const watched = new Map<Id, Watched>()
  let looking = false

  async function look(): Promise<void> {
    if (looking) return
    looking = true
    while (watched.size > 0) {
      try {
        const versions = await versionsOf(
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
        app.log.warn({ err: error }, 'open checkout pages could not be told of changes')
      }
      await sleep(lookEveryMs)
    }
    looking = false
  }

  /** The versions of a payment as server-sent events, until the payer is gone. */
  return async function* follow(key: Key, signal: AbortSignal): AsyncGenerator<string> {
    const one = watched.get(key.id) ?? { key, version: '', wake: new Set() }
    watched.set(key.id, one)
    let wake = (): void => {}
    const woken = (): void => wake()
    one.wake.add(woken)
    signal.addEventListener('abort', woken)
    void look()
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
}
