import { randomBytes } from 'node:crypto'

/**
 * 24 lower-case hex digits, in the shape of an object id: 8 of seconds, 3 of the millisecond, 7 of
 * this process, 6 of a counter. Ids of different times are in the order of their times, to the
 * millisecond; the lists of `inIdOrder` build on it.
 */
export type Id = string

const processPart = randomBytes(4).toString('hex').slice(1)
let counter = randomBytes(3).readUIntBE(0, 3)

/** The digits of the last time that was asked for: many ids are made in one millisecond. */
let last = { ms: Number.NaN, text: '' }

/** What the ids of a time begin with. */
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
 * What parts ids by a time: no id of that time or later is before it, none of an earlier time
 * after. Of a time that no id can say, what is before all ids, or after them.
 */
export function idBound(at: Date): string {
  const seconds = at.getTime() / 1000
  if (seconds < 0) return ''
  return seconds < 2 ** 32 ? idsFrom(at) : idsEnd
}

/** After all ids. */
export const idsEnd = 'g'

/**
 * A new id. Ids made by one process in one millisecond keep their order, until the counter wraps.
 */
export function newId(at: Date): Id {
  counter = (counter + 1) & 0xffffff
  return idsFrom(at) + processPart + counter.toString(16).padStart(6, '0')
}

/** Whether a text has the shape of an id. */
export function isId(text: string): boolean {
  return /^[0-9a-f]{24}$/.test(text)
}
