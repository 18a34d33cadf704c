/**
 * The rate limit of an account at a provider: a token bucket that serves sends before queries
 * before sweeps. A call that waits too long is not made.
 */

import type { Clock } from '../../lib/clock.ts'

/** In the order of priority. */
const urgencies = ['send', 'ask', 'sweep'] as const
export type Urgency = (typeof urgencies)[number]

export type Bucket = {
  /** Waits for a place. @returns null when there is one, or the milliseconds until a retry */
  take(urgency: Urgency): Promise<number | null>
  /** Pauses calls of this urgency and below, as the provider requested. */
  pause(urgency: Urgency, ms: number): void
  /** Returns for how long calls of this urgency are paused, in milliseconds; 0: they are not. */
  pausedMs(urgency: Urgency): number
}

/** The longest wait of a call for its place. */
const patienceMs = 3_000

/** @param perMinute the most calls in any minute: a quarter at once, the others evenly */
export function openBucket(perMinute: number, clock: Clock): Bucket {
  const nowMs = (): number => clock.now().getTime()
  const most = Math.max(1, Math.floor(perMinute / 4))
  const eachMs = 60_000 / (perMinute - most || 1)
  let places = most
  let refilledAt = nowMs()
  const waiting: Record<Urgency, (() => void)[]> = { send: [], ask: [], sweep: [] }
  const until: Record<Urgency, number> = { send: 0, ask: 0, sweep: 0 }
  let timer: NodeJS.Timeout | null = null

  const refill = (): void => {
    const made = Math.max(0, nowMs() - refilledAt) / eachMs
    places = Math.min(most, places + made)
    refilledAt = nowMs()
  }
  const next = (): (() => void) | undefined => {
    for (const urgency of urgencies) {
      const first = waiting[urgency].shift()
      if (first) return first
    }
    return undefined
  }
  const serve = (): void => {
    timer = null
    refill()
    while (places >= 1) {
      const first = next()
      if (!first) return
      places -= 1
      first()
    }
    if (urgencies.some((urgency) => waiting[urgency].length > 0))
      timer = setTimeout(serve, eachMs * (1 - places) + 1)
  }
  const pausedMs = (urgency: Urgency): number => Math.max(0, until[urgency] - nowMs())

  return {
    pausedMs,
    pause(urgency, ms) {
      for (const one of urgencies.slice(urgencies.indexOf(urgency)))
        until[one] = Math.max(until[one], nowMs() + ms)
    },
    take(urgency) {
      const paused = pausedMs(urgency)
      if (paused > 0) return Promise.resolve(Math.ceil(paused))
      return new Promise((resolve) => {
        const go = (): void => {
          clearTimeout(late)
          resolve(null)
        }
        const late = setTimeout(() => {
          waiting[urgency].splice(waiting[urgency].indexOf(go), 1)
          resolve(patienceMs)
        }, patienceMs)
        waiting[urgency].push(go)
        if (timer === null) serve()
      })
    },
  }
}
