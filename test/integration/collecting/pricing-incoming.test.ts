import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { defaultPricing, makePricing, readPricing } from '../../../src/books/pricing/pricing.ts'
import type { PricingTable } from '../../../src/core/pricing.ts'
import { ConfigError } from '../../../src/lib/config.ts'

const methods = ['card', 'bank_transfer', 'crypto'] as const
const currencies = ['ngn', 'usd'] as const
type Rule = PricingTable['payment'][string]

const withRule = (rule: Rule) => makePricing({ ...defaultPricing, payment: { 'card.ngn': rule } })

/** A rule by chance: `max` is null or not below `min`. */
const anyRule: fc.Arbitrary<Rule> = fc
  .record({
    flat: fc.nat(100_000),
    bps: fc.nat(5_000),
    min: fc.oneof(fc.constant(0), fc.nat(100_000)),
    room: fc.oneof(fc.constant(null), fc.nat(1_000_000)),
  })
  .map(({ room, ...rule }) => ({ ...rule, max: room === null ? null : rule.min + room }))

describe('the fee on money that comes in', () => {
  const { incomingFee } = makePricing(defaultPricing)

  it('is what the table says, rounded up, between its least and its most', () => {
    for (const [kind, method, currency, amount, fee] of [
      ['payment', 'card', 'ngn', 1_000_000n, 15_000n],
      ['payment', 'card', 'ngn', 1n, 1n],
      ['payment', 'card', 'ngn', 66n, 1n],
      ['payment', 'card', 'ngn', 67n, 2n],
      ['payment', 'card', 'ngn', 100_000_000n, 200_000n],
      ['payment', 'card', 'usd', 10_000n, 320n],
      ['payment', 'card', 'usd', 1n, 1n],
      ['payment', 'card', 'usd', 31n, 31n],
      ['payment', 'card', 'usd', 32n, 31n],
      ['payment', 'bank_transfer', 'ngn', 1_000_000n, 10_000n],
      ['payment', 'bank_transfer', 'ngn', 9_007_199_254_740_991n, 30_000n],
      ['payment', 'bank_transfer', 'usd', 10_000n, 80n],
      ['payment', 'bank_transfer', 'usd', 1_000_000n, 500n],
      ['payment', 'crypto', 'ngn', 1_000_000n, 10_000n],
      ['payment', 'crypto', 'usd', 101n, 2n],
      ['deposit', 'bank_transfer', 'ngn', 1_000_000n, 0n],
      ['deposit', 'bank_transfer', 'usd', 1n, 0n],
    ] as const)
      assert.equal(
        incomingFee(kind, method, currency, amount),
        fee,
        `${kind} ${method} ${currency} ${amount}`,
      )
  })

  it('is free where the table has no rule, for payments too', () => {
    const free = makePricing({ ...defaultPricing, payment: {} })
    assert.equal(free.incomingFee('payment', 'card', 'ngn', 1_000_000n), 0n)
    assert.equal(free.grossOf('card', 'ngn', 1_000_000n), 1_000_000n)
  })

  it('is never below zero, never more than the amount, and never falls when the amount rises', () => {
    fc.assert(
      fc.property(
        anyRule,
        fc.bigInt(1n, 10_000_000_000n),
        fc.bigInt(0n, 100_000n),
        (rule, amount, more) => {
          const pricing = withRule(rule)
          const fee = pricing.incomingFee('payment', 'card', 'ngn', amount)
          const next = pricing.incomingFee('payment', 'card', 'ngn', amount + more)
          assert.ok(fee >= 0n && fee <= amount && next >= fee && next - fee <= more)
        },
      ),
    )
  })
})

describe('the gross of a net', () => {
  const { grossOf, incomingFee } = makePricing(defaultPricing)

  it('is the least amount that leaves it, by the built-in table', () => {
    for (const method of methods)
      for (const currency of currencies) {
        const leaves = (gross: bigint) => gross - incomingFee('payment', method, currency, gross)
        for (let net = 1n; net <= 3_000n; net++) {
          const gross = grossOf(method, currency, net)
          assert.ok(
            leaves(gross) >= net && leaves(gross - 1n) < net,
            `${method} ${currency} ${net}: ${gross}`,
          )
        }
        fc.assert(
          fc.property(fc.bigInt(1n, 9_007_199_254_740_991n), (net) => {
            const gross = grossOf(method, currency, net)
            assert.ok(leaves(gross) >= net && leaves(gross - 1n) < net)
          }),
        )
      }
  })

  it('is the least of all amounts, whatever the rule', () => {
    fc.assert(
      fc.property(anyRule, fc.bigInt(1n, 9_007_199_254_740_991n), (rule, net) => {
        const pricing = withRule(rule)
        const leaves = (gross: bigint) =>
          gross - pricing.incomingFee('payment', 'card', 'ngn', gross)
        const gross = pricing.grossOf('card', 'ngn', net)
        assert.ok(leaves(gross) >= net && leaves(gross - 1n) < net)
      }),
    )
    // The same by looking at every amount from one on.
    const small = anyRule.map((rule) => ({
      ...rule,
      flat: rule.flat % 50,
      min: rule.min % 50,
      max: null,
    }))
    fc.assert(
      fc.property(small, fc.bigInt(1n, 300n), (rule, net) => {
        const pricing = withRule(rule)
        let least = 1n
        while (least - pricing.incomingFee('payment', 'card', 'ngn', least) < net) least += 1n
        assert.equal(pricing.grossOf('card', 'ngn', net), least)
      }),
    )
  })
})

describe('a table of payment fees', () => {
  it('is refused by name when it cannot work', () => {
    const dir = mkdtempSync(join(tmpdir(), 'bursar-pricing-'))
    try {
      const file = join(dir, 'pricing.json')
      const rule = { flat: 0, bps: 100, min: 0, max: null }
      for (const [group, change, says] of [
        ['payment', { bps: 5_001 }, /payment\.card\.ngn\.bps/],
        ['payment', { bps: -1 }, /payment\.card\.ngn\.bps/],
        ['payment', { flat: 0.5 }, /payment\.card\.ngn\.flat/],
        ['payment', { min: null }, /payment\.card\.ngn\.min/],
        ['payment', { min: 100, max: 99 }, /payment\.card\.ngn\.max/],
        ['deposit', { max: '5' }, /deposit\.card\.ngn\.max/],
      ] as const) {
        writeFileSync(file, JSON.stringify({ [group]: { 'card.ngn': { ...rule, ...change } } }))
        assert.throws(
          () => readPricing(file),
          (error: Error) => error instanceof ConfigError && says.test(error.message),
          JSON.stringify(change),
        )
      }
      writeFileSync(
        file,
        JSON.stringify({ payment: { 'card.ngn': { ...rule, min: 100, max: 100 } } }),
      )
      assert.equal(readPricing(file).incomingFee('payment', 'card', 'ngn', 1_000n), 100n)
    } finally {
      rmSync(dir, { recursive: true, force: true })
    }
  })
})
