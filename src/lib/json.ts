/**
 * JSON with amounts: a `bigint` becomes a JSON integer. Amounts are at most 2^53-1 at every door, so it is exact.
 */
import { maxAmount } from './money.ts'

/**
 * Writes a value as JSON text.
 * @throws {RangeError} when a bigint would lose digits
 */
export function toJson(value: unknown): string {
  return JSON.stringify(value, (_key, part) => {
    if (typeof part !== 'bigint') return part
    if (part > maxAmount || part < -maxAmount) throw new RangeError(`${part} does not fit a JSON integer`)
    return Number(part)
  })
}
