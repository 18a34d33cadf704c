import { randomBytes } from 'node:crypto'

/**
 * 24 lower-case hex digits like an object id: 8 of seconds, 3 of milliseconds, 7 of the process, 6
 * of a counter. Ids sort by time to the millisecond, on which `inIdOrder` lists rely.
 */
export type Id = string

const processPart = randomBytes(4).toString('hex').slice(1)
let counter = randomBytes(3).readUIntBE(0, 3)

/** Caches the digits of the last time: many ids share a millisecond. */
let last = { ms: Number.NaN, text: '' }

/** Returns the first digits of all ids of a time. */
function idsFrom(at: Date): string {
  const ms = at.getTime()
  if (ms !== last.ms) {
    const seconds = Math.floor(ms / 1000)
    const text =
      (seconds >>> 0).toString(16).padStart(8, '0') +
      (ms - seconds * 1000).toString(16).padStart(3, '0')
    last = { ms, text }
  }
  return last.text
}

/**
 * Returns a bound of ids by time: all ids of that time or later are at or above it, earlier ones
 * below. For times outside of the range it is below or above all ids.
 */
export function idBound(at: Date): string {
  const seconds = at.getTime() / 1000
  if (seconds < 0) return ''
  return seconds < 2 ** 32 ? idsFrom(at) : idsEnd
}

/** Above all ids. */
export const idsEnd = 'g'

/** Returns a new id. Ids of one process in one millisecond are ordered until the counter wraps. */
export function newId(at: Date): Id {
  counter = (counter + 1) & 0xffffff
  return idsFrom(at) + processPart + counter.toString(16).padStart(6, '0')
}

/** Whether a text has the form of an id. */
export function isId(text: string): boolean {
  return /^[0-9a-f]{24}$/.test(text)
}
