/** The backoff of queries about unfinished records at a provider. */

/**
 * The ages at which a record is queried if its rail gives no time; then every six hours, and daily
 * after three days.
 */
const askedAtMs = [5_000, 30_000, 120_000, 600_000, 3_600_000]
const hourMs = 3_600_000

/**
 * Returns the time until the next query of a record of this age, if its rail gives no time.
 * Milliseconds.
 */
export function askAgainAfter(ageMs: number): number {
  const next = askedAtMs.find((at) => at > ageMs)
  if (next !== undefined) return next - Math.max(ageMs, 0)
  return ageMs < 72 * hourMs ? 6 * hourMs : 24 * hourMs
}
