/**
 * Encodes array parameters in PostgreSQL's binary form, or as text. The server parses text
 * character by character, which took a sixth of the cost of a batch of payouts.
 */
import { isoText } from '../lib/clock.ts'

/**
 * The element types with a binary form here, by their SQL names: PostgreSQL's OID, and the size if
 * fixed.
 */
const binaryTypes: Record<string, { oid: number; bytes: number | null }> = {
  boolean: { oid: 16, bytes: 1 },
  bytea: { oid: 17, bytes: null },
  bigint: { oid: 20, bytes: 8 },
  integer: { oid: 23, bytes: 4 },
  text: { oid: 25, bytes: null },
  timestamptz: { oid: 1184, bytes: 8 },
  jsonb: { oid: 3802, bytes: null },
}

/**
 * Returns the element types of a statement's array parameters (`$3::text[]`), by parameter
 * position.
 */
export function arrayTypesOf(statement: string): (string | undefined)[] {
  const types: (string | undefined)[] = []
  for (const [, place, type] of statement.matchAll(/\$(\d+)::(\w+)\[\]/g))
    types[Number(place) - 1] = type
  return types
}

/**
 * Encodes an array parameter.
 * @param type the element type; text is sent if it is unknown or an element does not have it
 */
export function arrayParameter(type: string | undefined, elements: unknown[]): Buffer | string {
  const known = type === undefined ? undefined : binaryTypes[type]
  return (known && encodeBinary(known, elements)) ?? arrayText(elements)
}

const headBytes = 20
const lengthBytes = 4

/** Returns null if an element has another type than the driver would send. */
function encodeBinary(
  { oid, bytes }: { oid: number; bytes: number | null },
  elements: unknown[],
): Buffer | null {
  const array =
    bytes !== null
      ? encodeNumbers(oid, bytes, elements)
      : oid === 17
        ? encodeBuffers(elements)
        : encodeTexts(oid, elements)
  if (array === null) return null
  array.writeInt32BE(1, 0) // dimensions
  array.writeInt32BE(1, 4) // it may hold nulls
  array.writeInt32BE(oid, 8)
  array.writeInt32BE(elements.length, 12)
  array.writeInt32BE(1, 16) // its first place
  return array
}

/**
 * Writes all texts in one call, with gaps for their lengths: one call per text would dominate the
 * cost.
 */
function encodeTexts(oid: number, elements: unknown[]): Buffer | null {
  // The binary form of jsonb begins with its version.
  const head = oid === 3802 ? '\u0001' : ''
  const parts =
    head === ''
      ? elements
      : elements.map((element) => (typeof element === 'string' ? head + element : element))
  const gap = '\0'.repeat(lengthBytes)
  const joined = elements.length === 0 ? '' : `${gap}${parts.join(gap)}`
  const size = Buffer.byteLength(joined)
  const array = Buffer.allocUnsafe(headBytes + size)
  array.write(joined, headBytes)
  let at = headBytes
  for (const part of parts) {
    if (!isNull(part) && typeof part !== 'string') return null
    const length = isNull(part) ? 0 : size === joined.length ? part.length : Buffer.byteLength(part)
    at = array.writeInt32BE(isNull(part) ? -1 : length, at) + length
  }
  return array
}

function encodeBuffers(elements: unknown[]): Buffer | null {
  if (!elements.every((element) => isNull(element) || Buffer.isBuffer(element))) return null
  const parts = elements.flatMap((element) => {
    const length = Buffer.allocUnsafe(lengthBytes)
    length.writeInt32BE(element?.length ?? -1)
    return element ? [length, element] : [length]
  })
  return Buffer.concat([Buffer.allocUnsafe(headBytes), ...parts])
}

function encodeNumbers(oid: number, bytes: number, elements: unknown[]): Buffer | null {
  const array = Buffer.allocUnsafe(headBytes + elements.length * (lengthBytes + bytes))
  let at = headBytes
  for (const element of elements) {
    at = array.writeInt32BE(isNull(element) ? -1 : bytes, at)
    if (isNull(element)) continue
    if (!writers[oid]?.(array, element, at)) return null
    at += bytes
  }
  return array.subarray(0, at)
}

/** Write one element; return false if only text can represent it. */
const writers: Record<number, (array: Buffer, element: unknown, at: number) => boolean> = {
  16: (array, element, at) => {
    array[at] = element === true ? 1 : 0
    return typeof element === 'boolean'
  },
  20: (array, element, at) => {
    const number = typeof element === 'bigint' ? Number(element) : Number.NaN
    return writeInteger(array, number, at)
  },
  23: (array, element, at) => {
    if (typeof element !== 'number' || (element | 0) !== element) return false
    array.writeInt32BE(element, at)
    return true
  },
  1184: (array, element, at) => {
    const microseconds =
      element instanceof Date ? (element.getTime() - epochMs) * 1_000 : Number.NaN
    return writeInteger(array, microseconds, at)
  },
}

/**
 * Writes an integer of eight bytes that a number represents exactly, as all amounts and times do.
 */
function writeInteger(array: Buffer, integer: number, at: number): boolean {
  if (!Number.isSafeInteger(integer)) return false
  const high = Math.floor(integer / 2 ** 32)
  array.writeInt32BE(high, at)
  array.writeUInt32BE(integer - high * 2 ** 32, at + 4)
  return true
}

/** PostgreSQL counts microseconds from this date. */
const epochMs = Date.UTC(2000, 0, 1)

const isNull = (element: unknown): element is null | undefined =>
  element === null || element === undefined

/**
 * Returns PostgreSQL's text form of an array. The driver builds it element by element, which is
 * slow for thousands. JSON differs only in brackets and in how it escapes control characters.
 */
export function arrayText(elements: unknown[]): string {
  if (elements.every((element) => typeof element === 'bigint')) return `{${elements.join()}}`
  const json = JSON.stringify(elements.map(plain))
  if (!/\\[^"\\]/.test(json)) return `{${json.slice(1, -1)}}`
  return `{${elements.map(elementText).join()}}`
}

function plain(element: unknown): unknown {
  if (typeof element === 'bigint') return String(element)
  if (Buffer.isBuffer(element)) return bytesText(element)
  return element instanceof Date ? isoText(element) : element
}

function elementText(element: unknown): string {
  if (element === null || element === undefined) return 'NULL'
  const text =
    element instanceof Date
      ? element.toISOString()
      : Buffer.isBuffer(element)
        ? bytesText(element)
        : String(element)
  return `"${text.replaceAll(/["\\]/g, '\\$&')}"`
}

const bytesText = (bytes: Buffer): string => `\\x${bytes.toString('hex')}`
