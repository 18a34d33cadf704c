/** Rules that split a sale among shares, without I/O. Payments and previews use the same. */
import { allocate } from '../../lib/money.ts'

/** A share's rule: basis points of what is left after flat amounts, or a flat amount per unit. */
export type ShareRule = { percentage_bps: number | null; flat: bigint | null }

/**
 * Splits a line among shares. Flat amounts come first, in order, as far as the line reaches.
 * Percentages share the rest by largest remainder, and the business keeps the remainder. Parts and
 * remainder sum to the amount exactly.
 * @param amount of the line, in minor units, zero or more
 * @param quantity units sold: flat amounts are for each
 */
export function split(
  amount: bigint,
  quantity: bigint,
  asks: readonly ShareRule[],
): { parts: bigint[]; remainder: bigint } {
  let left = amount
  const parts = asks.map(({ flat }) => {
    if (flat === null) return 0n
    const flatDue = flat * quantity
    const part = flatDue < left ? flatDue : left
    left -= part
    return part
  })
  const weights = asks.map(({ percentage_bps }) => BigInt(percentage_bps ?? 0))
  const asked = weights.reduce((a, b) => a + b, 0n)
  if (asked > 10_000n) throw new RangeError('shares ask for more than the whole')
  const shared = allocate(left, [...weights, 10_000n - asked])
  return {
    parts: parts.map((part, i) => part + (shared[i] as bigint)),
    remainder: shared.at(-1) as bigint,
  }
}

/** Reduces parts in proportion so that they sum to at most `most`. */
export function capParts(parts: readonly bigint[], most: bigint): bigint[] {
  const sum = parts.reduce((a, b) => a + b, 0n)
  return sum <= most || sum === 0n ? [...parts] : allocate(most > 0n ? most : 0n, parts)
}

/** Returns how much of a part to return when `refunded` of `whole` is refunded. Rounds down. */
export function amountToReturn(part: bigint, refunded: bigint, whole: bigint): bigint {
  return (part * refunded) / whole
}
