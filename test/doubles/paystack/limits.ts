/**
 * Paystack's rate limits, as documented: requests each 60 s with a live key, by what is asked; a
 * test key has one for everything.
 */
import type { Mode } from './books.ts'

export const limits = {
  usual: 600,
  verify: 3_000,
  resolve: 1_500,
  charge: 1_200,
  transfer: 900,
  test: 100,
}

/** Counts requests by mode and limit, in windows of 60 s. */
export function openLimits(now: () => Date) {
  const windows = new Map<string, { until: number; count: number }>()
  return (
    mode: Mode,
    kind: keyof typeof limits,
  ): { headers: Record<string, string>; over: boolean } => {
    const limit = limits[mode === 'test' ? 'test' : kind]
    const key = mode === 'test' ? 'test' : `live ${kind}`
    const time = now().getTime()
    const seen = windows.get(key)
    const window =
      seen !== undefined && seen.until > time ? seen : { until: time + 60_000, count: 0 }
    window.count += 1
    windows.set(key, window)
    const headers = {
      'x-ratelimit-limit': String(limit),
      'x-ratelimit-remaining': String(Math.max(0, limit - window.count)),
      'x-ratelimit-reset': String(Math.ceil((window.until - time) / 1_000)),
    }
    return { headers, over: window.count > limit }
  }
}
