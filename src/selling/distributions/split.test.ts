import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { allocate } from '../../lib/money.ts'
import { amountToReturn, capParts, type ShareRule, split } from './split.ts'

const sum = (parts: readonly bigint[]): bigint => parts.reduce((a, b) => a + b, 0n)
const money = fc.oneof(fc.bigInt(0n, 100n), fc.bigInt(0n, 10n ** 15n))
const quantity = fc.oneof(fc.bigInt(1n, 5n), fc.bigInt(1n, 1_000_000n))

/** Shares that a plan can have: at most 20, whose percentages sum to at most the whole. */
const asks: fc.Arbitrary<ShareRule[]> = fc
  .array(
    fc.oneof(
      fc.record({ percentage_bps: fc.integer({ min: 1, max: 10_000 }), flat: fc.constant(null) }),
      fc.record({
        percentage_bps: fc.constant(null),
        flat: fc.oneof(fc.bigInt(1n, 50n), fc.bigInt(1n, 10n ** 15n)),
      }),
    ),
    { minLength: 1, maxLength: 20 },
  )
  .map((all) => {
    let left = 10_000
    return all.flatMap((ask): ShareRule[] => {
      if (ask.percentage_bps === null) return [ask]
      const percentage_bps = Math.min(ask.percentage_bps, left)
      left -= percentage_bps
      return percentage_bps > 0 ? [{ ...ask, percentage_bps }] : []
    })
  })

describe('a split', () => {
  it('is known by examples', () => {
    const percent = (percentage_bps: number): ShareRule => ({ percentage_bps, flat: null })
    const flat = (amount: bigint): ShareRule => ({ percentage_bps: null, flat: amount })
    for (const [amount, units, shares, parts, rest] of [
      [100n, 1n, [percent(5_000)], [50n], 50n],
      [100n, 7n, [percent(3_333), percent(3_333), percent(3_334)], [33n, 33n, 34n], 0n],
      // Of equal remainders the first gets the unit, and the business is the last.
      [1n, 1n, [percent(5_000), percent(5_000)], [1n, 0n], 0n],
      [1n, 1n, [percent(5_000)], [1n], 0n],
      [1n, 1n, [percent(4_999)], [0n], 1n],
      // Flat ones come first wherever they stand, for each unit, as far as the line reaches.
      [1_000n, 3n, [percent(5_000), flat(100n)], [350n, 300n], 350n],
      [1_000n, 3n, [flat(200n), flat(300n), percent(10_000)], [600n, 400n, 0n], 0n],
      [0n, 1n, [flat(5n), percent(100)], [0n, 0n], 0n],
    ] as const)
      assert.deepEqual(split(amount, units, shares), { parts, remainder: rest })
  })

  it('gives away exactly the amount, and never less than nothing', () => {
    fc.assert(
      fc.property(money, quantity, asks, (amount, units, shares) => {
        const { parts, remainder: rest } = split(amount, units, shares)
        assert.equal(parts.length, shares.length)
        assert.equal(sum(parts) + rest, amount)
        for (const part of [...parts, rest]) assert.ok(part >= 0n)
      }),
      { numRuns: 1_000 },
    )
  })

  it('gives flat shares what they ask for while it lasts, and percentages their part of what is left', () => {
    fc.assert(
      fc.property(money, quantity, asks, (amount, units, shares) => {
        const { parts, remainder: rest } = split(amount, units, shares)
        let left = amount
        for (const [i, { flat }] of shares.entries()) {
          if (flat === null) continue
          const wanted = flat * units < left ? flat * units : left
          assert.equal(parts[i], wanted)
          left -= wanted
        }
        /**
         * Within one unit of the exact part: compared in ten-thousandths, so that nothing is
         * rounded here.
         */
        const near = (part: bigint, bps: bigint): boolean => {
          const off = part * 10_000n - left * bps
          return off > -10_000n && off < 10_000n
        }
        let asked = 0n
        for (const [i, { percentage_bps }] of shares.entries()) {
          if (percentage_bps === null) continue
          asked += BigInt(percentage_bps)
          assert.ok(near(parts[i] as bigint, BigInt(percentage_bps)), `share ${i} of ${left}`)
        }
        assert.ok(near(rest, 10_000n - asked), `the rest of ${left}`)
      }),
      { numRuns: 1_000 },
    )
  })

  it('gives the same whatever the order of percentages, but for the last unit of equal remainders', () => {
    const shuffled = fc.tuple(money, asks).chain(([amount, shares]) =>
      fc.tuple(
        fc.constant(amount),
        fc.constant(shares.filter((ask) => ask.flat === null)),
        fc.shuffledSubarray([...shares.filter((ask) => ask.flat === null).keys()], {
          minLength: shares.filter((ask) => ask.flat === null).length,
        }),
      ),
    )
    fc.assert(
      fc.property(shuffled, ([amount, shares, order]) => {
        const plain = split(amount, 1n, shares)
        const other = split(
          amount,
          1n,
          order.map((i) => shares[i] as ShareRule),
        )
        const remainder = (i: number): bigint =>
          (amount * BigInt(shares[i]?.percentage_bps ?? 0)) % 10_000n
        for (const [at, i] of order.entries())
          if (other.parts[at] !== plain.parts[i]) {
            const asked = shares.reduce((all, ask) => all + BigInt(ask.percentage_bps ?? 0), 0n)
            const others = [...shares.keys()].filter((one) => one !== i).map(remainder)
            others.push((amount * (10_000n - asked)) % 10_000n)
            assert.ok(others.includes(remainder(i)), `share ${i} has a remainder of its own`)
          }
      }),
      { numRuns: 1_000 },
    )
  })

  it('is refused to shares that ask for more than the whole', () => {
    assert.throws(
      () =>
        split(1n, 1n, [
          { percentage_bps: 5_001, flat: null },
          { percentage_bps: 5_000, flat: null },
        ]),
      RangeError,
    )
  })
})

const compare = (a: bigint, b: bigint): number => (a < b ? -1 : a > b ? 1 : 0)

describe('allocate', () => {
  const weights = fc
    .array(fc.oneof(fc.bigInt(0n, 10n), fc.bigInt(0n, 10n ** 15n)), { minLength: 1, maxLength: 20 })
    .filter((all) => sum(all) > 0n)

  it('is exact, within a unit of each part, and gives nothing for no weight', () => {
    fc.assert(
      fc.property(money, weights, (total, all) => {
        const parts = allocate(total, all)
        const whole = sum(all)
        assert.equal(sum(parts), total)
        for (const [i, weight] of all.entries()) {
          const off = (parts[i] as bigint) * whole - total * weight
          assert.ok(off > -whole && off < whole, `part ${i}`)
          if (weight === 0n) assert.equal(parts[i], 0n)
        }
      }),
      { numRuns: 1_000 },
    )
  })

  it('gives a larger weight no less', () => {
    fc.assert(
      fc.property(money, weights, (total, all) => {
        const parts = allocate(total, all)
        for (const [i, weight] of all.entries())
          for (const [j, other] of all.entries())
            if (weight > other)
              assert.ok((parts[i] as bigint) >= (parts[j] as bigint), `${i} and ${j}`)
      }),
    )
  })

  it('needs a weight', () => {
    assert.throws(() => allocate(1n, []), RangeError)
    assert.throws(() => allocate(1n, [0n, 0n]), RangeError)
  })
})

describe('what there is', () => {
  const parts = fc.array(money, { minLength: 1, maxLength: 20 })

  it('cuts parts down to it, each by its size, and none when it is enough', () => {
    fc.assert(
      fc.property(parts, fc.bigInt(-10n, 10n ** 16n), (all, most) => {
        const cut = capParts(all, most)
        const whole = sum(all)
        if (whole <= most) return assert.deepEqual(cut, all)
        assert.equal(sum(cut), most > 0n ? most : 0n)
        for (const [i, part] of all.entries()) {
          const got = cut[i] as bigint
          assert.ok(got >= 0n && got <= part)
          if (most > 0n)
            assert.ok(got * whole > part * most - whole && got * whole < part * most + whole)
        }
      }),
      { numRuns: 1_000 },
    )
  })
})

describe('what goes back', () => {
  it('grows with what was refunded, rounded down, and is all in the end', () => {
    const refunds = fc
      .tuple(fc.bigInt(1n, 10n ** 15n), fc.bigInt(0n, 10n ** 15n), fc.bigInt(0n, 10n ** 15n), money)
      .map(([whole, a, b, part]) => ({
        whole,
        part: part % (whole + 1n),
        backs: [a % (whole + 1n), b % (whole + 1n)].sort(compare) as [bigint, bigint],
      }))
    fc.assert(
      fc.property(refunds, ({ whole, part, backs: [less, more] }) => {
        const now = amountToReturn(part, less, whole)
        assert.ok(now * whole <= part * less && (now + 1n) * whole > part * less)
        assert.ok(now <= amountToReturn(part, more, whole))
        assert.equal(amountToReturn(part, 0n, whole), 0n)
        assert.equal(amountToReturn(part, whole, whole), part)
      }),
      { numRuns: 1_000 },
    )
  })
})
