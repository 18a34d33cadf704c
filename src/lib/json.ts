/**
 * JSON with amounts: a `bigint` becomes an integer. Amounts are at most 2^53-1, so they are exact.
 */
import { isoText } from './clock.ts'
import { maxAmount } from './money.ts'

/**
 * Serialises a value as JSON.
 * @throws {RangeError} if a bigint would lose digits
 */
export function toJson(value: unknown): string {
  return JSON.stringify(withNumbers(value))
}

/**
 * Converts bigints to numbers and times to texts. Serialising the result takes a third of the time
 * of a replacer.
 */
export function withNumbers(value: unknown): unknown {
  if (typeof value === 'bigint') {
    if (value > maxAmount || value < -maxAmount)
      throw new RangeError(`${value} does not fit a JSON integer`)
    return Number(value)
  }
  if (typeof value !== 'object' || value === null) return value
  if (value instanceof Date) return isoText(value)
  if (Array.isArray(value)) return value.map(withNumbers)
  let copy: Record<string, unknown> | null = null
  for (const key of Object.keys(value)) {
    const part = (value as Record<string, unknown>)[key]
    const plain = withNumbers(part)
    if (plain === part) continue
    copy ??= { ...value }
    copy[key] = plain
  }
  return copy ?? value
}

/** The error text for a number that `findLossyNumbers` finds, after its name. */
export const lossyNumber =
  'is a number that not every JSON reader keeps exactly: send it as a string'

/**
 * A fast filter for numbers with many digits or an exponent. Strings can match too, so matches are
 * examined.
 */
const mayLose = /[:[,\s]-?(?:\d[\d.]{15,}|[\d.]+e)/i

/** A number that was read as a different one. */
class Lossy {
  readonly value: number
  constructor(value: number) {
    this.value = value
  }
}

/**
 * Finds numbers that JSON readers change: integers beyond 9007199254740991, numbers too large or
 * too close to zero for a double, and digits that a double does not keep.
 * @param text valid JSON
 * @returns their paths, such as `metadata.order_id`, and the values that readers get
 */
export function findLossyNumbers(text: string): { path: string; value: number }[] {
  if (!mayLose.test(text)) return []
  const read = JSON.parse(text, (_key, value: unknown, context?: { source?: string }) =>
    typeof value === 'number' && context?.source !== undefined && losesDigits(value, context.source)
      ? new Lossy(value)
      : value,
  )
  const found: { path: string; value: number }[] = []
  const stack: { value: unknown; path: string }[] = [{ value: read, path: '' }]
  for (let item = stack.pop(); item !== undefined; item = stack.pop()) {
    const { value, path } = item
    if (value instanceof Lossy) found.push({ path, value: value.value })
    else if (typeof value === 'object' && value !== null)
      for (const [key, child] of Object.entries(value))
        if (typeof child === 'object')
          stack.push({ value: child, path: path === '' ? key : `${path}.${key}` })
  }
  return found
}

function losesDigits(value: number, source: string): boolean {
  const isLong = /^-?\d+$/.test(source) && !Number.isSafeInteger(value)
  if (isLong || !Number.isFinite(value)) return true
  const { digits, exponent } = significantOf(source)
  if (digits === '') return false
  // Programs write doubles with excess digits, such as 0.1 as 0.10000000000000001.
  if (digits.length > mostDigits) return true
  const kept = significantOf(value.toPrecision(digits.length))
  return kept.digits !== digits || kept.exponent !== exponent
}

/** The most significant digits that JavaScript writes for a double. */
const mostDigits = 100

/**
 * Returns a number's significant digits and exponent: `1.50` and `15e-1` both give 15 and -1. Zero
 * has no digits.
 */
function significantOf(text: string): { digits: string; exponent: number } {
  const [, whole = '', fraction = '', exponent = '0'] =
    /^-?(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(text) ?? []
  const all = `${whole}${fraction}`.replace(/^0+/, '')
  const digits = all.replace(/0+$/, '')
  return { digits, exponent: Number(exponent) - fraction.length + all.length - digits.length }
}
