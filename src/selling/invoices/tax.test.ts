/**
 * Goal: taxes of lines, of rates and of what is given back agree to the minor unit, whatever is
 * sold. Method: the pure rules are held against properties, and against sums done by hand.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import {
  grossOf,
  groupByRate,
  netOf,
  type RatePart,
  shareBack,
  showRate,
  type Taxable,
  taxesOf,
} from './tax.ts'

const sum = (amounts: bigint[]): bigint => amounts.reduce((a, b) => a + b, 0n)
const abs = (n: bigint): bigint => (n < 0n ? -n : n)
const taxed = (lines: Taxable[]) => {
  const taxes = taxesOf(lines)
  return lines.map((line, i) => ({ ...line, tax: taxes[i] as bigint }))
}
const line = (
  total: bigint,
  tax_rate_bps: number | null = 750,
  tax_inclusive = false,
): Taxable => ({
  total,
  tax_rate_bps,
  tax_inclusive,
})

const anyLine: fc.Arbitrary<Taxable> = fc.record({
  total: fc.oneof(fc.bigInt(0n, 50n), fc.bigInt(1n, 9_007_199_254_740_991n)),
  tax_rate_bps: fc.oneof(
    fc.constantFrom(null, 0, 500, 750, 2_000, 10_000),
    fc.integer({ min: 0, max: 10_000 }),
  ),
  tax_inclusive: fc.boolean(),
})
const anyLines = fc.array(anyLine, { minLength: 1, maxLength: 100 })

describe('taxes', () => {
  it('are none of lines that discounts make free, beside lines that are not', () => {
    assert.deepEqual(taxesOf([line(0n)]), [0n])
    assert.deepEqual(taxesOf([line(0n), line(100_000n), line(0n, 500, true)]), [0n, 7_500n, 0n])
  })

  it('come on top of prices, or are in them', () => {
    assert.deepEqual(taxesOf([line(100_000n)]), [7_500n])
    assert.deepEqual(taxesOf([line(107_500n, 750, true)]), [7_500n])
    assert.deepEqual(taxesOf([line(100_000n, null), line(100_000n, 0)]), [0n, 0n])
    const [on, within] = taxed([line(100_000n), line(107_500n, 750, true)]).map((one) => [
      netOf(one),
      grossOf(one),
    ])
    assert.deepEqual(
      [on, within],
      [
        [100_000n, 107_500n],
        [100_000n, 107_500n],
      ],
    )
  })

  it('are rounded once a rate, halves up, and shared among its lines', () => {
    // Of each line it would be 0.075, and nothing in all.
    assert.deepEqual(taxesOf(Array.from({ length: 10 }, () => line(1n))), [
      1n,
      0n,
      0n,
      0n,
      0n,
      0n,
      0n,
      0n,
      0n,
      0n,
    ])
    assert.deepEqual(taxesOf([line(10n, 500)]), [1n])
    assert.deepEqual(taxesOf([line(9n, 500)]), [0n])
    assert.deepEqual(taxesOf([line(333n), line(500n, 2_000), line(334n)]), [25n, 100n, 25n])
  })

  it('sum to those of their rates, within half a unit of the exact tax, and are within a unit of their own', () => {
    fc.assert(
      fc.property(anyLines, (lines) => {
        const each = taxed(lines)
        for (const { tax, total, tax_rate_bps, tax_inclusive } of each) {
          assert.ok(tax >= 0n && (!tax_inclusive || tax <= total))
          const rate = BigInt(tax_rate_bps ?? 0)
          const of = 10_000n + (tax_inclusive ? rate : 0n)
          // A unit for sharing, and half of one for rounding.
          assert.ok(2n * abs(tax * of - total * rate) <= 3n * of, `${tax} of ${total} at ${rate}`)
        }
        for (const one of each) assert.equal(netOf(one) + one.tax, grossOf(one))
        const parts = groupByRate(each)
        assert.equal(sum(parts.map(({ net, tax }) => net + tax)), sum(each.map(grossOf)))
        for (const inclusive of [true, false])
          for (const { rate_bps } of parts.filter((part) => part.rate_bps !== null)) {
            const of = each.filter(
              (one) => one.tax_rate_bps === rate_bps && one.tax_inclusive === inclusive,
            )
            const rate = BigInt(rate_bps as number)
            const divisor = 10_000n + (inclusive ? rate : 0n)
            const difference = abs(
              sum(of.map(({ tax }) => tax)) * divisor - sum(of.map(({ total }) => total)) * rate,
            )
            assert.ok(2n * difference <= divisor)
          }
      }),
    )
  })

  it('are by rate, the lowest first, and in the order of the lines whatever that is', () => {
    const lines = taxed([
      line(100n, 2_000),
      line(300n, null),
      line(100n, 0),
      line(120n, 2_000, true),
      line(50n, null),
    ])
    assert.deepEqual(groupByRate(lines), [
      { rate_bps: null, net: 350n, tax: 0n },
      { rate_bps: 0, net: 100n, tax: 0n },
      { rate_bps: 2_000, net: 200n, tax: 40n },
    ])
  })

  it('are given back in the end to the unit, in whatever parts, and never more than there is', () => {
    fc.assert(
      fc.property(
        anyLines,
        fc.array(fc.integer({ min: 1, max: 100 }), { maxLength: 8 }),
        (lines, percents) => {
          let left: RatePart[] = groupByRate(taxed(lines))
          const rest = () => sum(left.map(({ net, tax }) => net + tax))
          for (const percent of [...percents, 100]) {
            const amount = (rest() * BigInt(percent)) / 100n
            if (amount === 0n) continue
            const parts = shareBack(amount, left)
            assert.equal(sum(parts.map(({ net, tax }) => net + tax)), amount)
            left = left.map((one, i) => {
              const { net, tax } = parts[i] as RatePart
              assert.ok(net >= 0n && tax >= 0n && net <= one.net && tax <= one.tax)
              return { ...one, net: one.net - net, tax: one.tax - tax }
            })
          }
          assert.equal(rest(), 0n)
        },
      ),
    )
  })

  it('have rates that people read', () => {
    assert.deepEqual([0, 5, 750, 1_000, 1_234, 10_000].map(showRate), [
      '0%',
      '0.05%',
      '7.5%',
      '10%',
      '12.34%',
      '100%',
    ])
  })
})
