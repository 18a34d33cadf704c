/**
 * The only source of time. All decisions use this clock or a scope made from it, so that tests and
 * test clocks can move time.
 */
export type Clock = { now(): Date }

/** The machine's clock. */
export const systemClock: Clock = { now: () => new Date() }

/** Returns a clock that moves only on request. */
export function manualClock(start: Date): Clock & { advance(milliseconds: number): void } {
  let at = start.getTime()
  return {
    now: () => new Date(at),
    advance: (milliseconds) => {
      at += milliseconds
    },
  }
}

/** Returns `at` moved by milliseconds. */
export function later(at: Date, milliseconds: number): Date {
  return new Date(at.getTime() + milliseconds)
}

/**
 * Caches the last formatted time: a batch has few different ones, and formatting is slower than
 * comparing.
 */
let last = { ms: Number.NaN, text: '' }

/**
 * Formats a time as ISO 8601 in UTC with milliseconds.
 * @throws {RangeError} if it is invalid
 */
export function isoText(at: Date): string {
  const ms = at.getTime()
  if (ms !== last.ms) last = { ms, text: at.toISOString() }
  return last.text
}

/** The last time with a year of four digits: what stays open until it is ended expires then. */
export const endOfTime = new Date('9999-12-31T23:59:59.999Z')
