/**
 * The one source of time. Everything the product decides takes its time from here, or from a scope
 * made here, so that tests and a business's test clock can move it.
 */
export type Clock = { now(): Date }

/** The machine's clock. */
export const systemClock: Clock = { now: () => new Date() }

/** A clock that stands still until it is moved. */
export function manualClock(start: Date): Clock & { advance(milliseconds: number): void } {
  let at = start.getTime()
  return {
    now: () => new Date(at),
    advance: (milliseconds) => {
      at += milliseconds
    },
  }
}

/** `at` moved by milliseconds. */
export function later(at: Date, milliseconds: number): Date {
  return new Date(at.getTime() + milliseconds)
}

/**
 * The last time that was written: those of one batch are few, and to write one takes longer than to
 * compare.
 */
let last = { ms: Number.NaN, text: '' }

/**
 * ISO 8601 in UTC with milliseconds.
 * @throws {RangeError} when it is no time
 */
export function isoText(at: Date): string {
  const ms = at.getTime()
  if (ms !== last.ms) last = { ms, text: at.toISOString() }
  return last.text
}
