/**
 * The split of a sale among shares. Pure rules, shared by what is paid and by the preview.
 */
import { allocate } from '../../lib/money.ts'

/**
 * What a share asks for: a part of what is left after the flat ones, in basis points, or a flat
 * amount for each unit.
 */
export type ShareRule = { percentage_bps: number | null; flat: bigint | null }

/**
 * Splits a line among shares. Flat amounts come first, in their order, as far as the line reaches;
 * percentages share what is left, by largest remainder, and what they do not ask for stays with the
 * business. Parts and remainder sum to the amount exactly.
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
    const wanted = flat * quantity
    const part = wanted < left ? wanted : left
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

/** Cuts parts down so that they sum to no more than what is there, each by its size. */
export function capParts(parts: readonly bigint[], most: bigint): bigint[] {
  const sum = parts.reduce((a, b) => a + b, 0n)
  return sum <= most || sum === 0n ? [...parts] : allocate(most > 0n ? most : 0n, parts)
}

/**
 * How much of a part is to be returned when `refunded` of `whole` is: rounded down, and all of it
 * when all is.
 */
export function amountToReturn(part: bigint, refunded: bigint, whole: bigint): bigint {
  return (part * refunded) / whole
}
