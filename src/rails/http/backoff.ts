/**
 * How often something unfinished at a provider is asked about: soon at first, then ever less often.
 */

/**
 * The ages at which it is asked about where its rail does not say when: then every six hours, and
 * daily after three days.
 */
const askedAtMs = [5_000, 30_000, 120_000, 600_000, 3_600_000]
const hourMs = 3_600_000

/** How long until something of an age is asked about, where its rail does not say. Milliseconds. */
export function askAgainAfter(ageMs: number): number {
  const next = askedAtMs.find((at) => at > ageMs)
  if (next !== undefined) return next - Math.max(ageMs, 0)
  return ageMs < 72 * hourMs ? 6 * hourMs : 24 * hourMs
}
