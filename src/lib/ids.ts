import { randomBytes } from 'node:crypto'

/** 24 lower-case hex digits, as in an object id: 4 bytes of seconds, 5 of this process, 3 of a counter. Time-ordered. */
export type Id = string

const processPart = randomBytes(5).toString('hex')
let counter = randomBytes(3).readUIntBE(0, 3)

/** A new id. Ids made by one process in one second keep their order, until the counter wraps. */
export function newId(at: Date): Id {
  counter = (counter + 1) & 0xffffff
  const seconds = Math.floor(at.getTime() / 1000) >>> 0
  return seconds.toString(16).padStart(8, '0') + processPart + counter.toString(16).padStart(6, '0')
}

/** Whether a text has the shape of an id. */
export function isId(text: string): boolean {
  return /^[0-9a-f]{24}$/.test(text)
}
