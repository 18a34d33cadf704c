/**
 * The rules of the pricing table as pure functions: prices of payouts, payments, deposits and
 * conversions. Fees round up to the minor unit, converted amounts down; the exchange position keeps
 * the remainder.
 */
import { readFileSync } from 'node:fs'
import type {
  Fee,
  FeeRule,
  Price,
  PriceAtRate,
  PriceRequest,
  Pricing,
  PricingTable,
  RateOfMoment,
} from '../../core/pricing.ts'
import { ConfigError } from '../../lib/config.ts'
import {
  basisPointsUp,
  type Currency,
  cryptoCurrencies,
  currencies,
  type Decimal,
  formatDecimal,
  multiplyDown,
  parseDecimal,
  walletCurrencies,
} from '../../lib/money.ts'
import { isOfficial, type OfficialPair, officialPairs } from './official.ts'

export const defaultPricing: PricingTable = {
  rates: {
    usd_ngn: '1550.00',
    usdc_ngn: '1550.00',
    usdt_ngn: '1550.00',
    usd_usdc: '1',
    usd_usdt: '1',
    eur_usd: '1.08',
  },
  spread_bps: { default: 50, usd_usdc: 0, usd_usdt: 0 },
  platform: {
    'bank_transfer.ngn': { flat: 2_500, bps: 0, min: 2_500, max: null },
    'bank_transfer.usd': { flat: 50, bps: 25, min: 100, max: 2_500 },
    'crypto.ngn': { flat: 0, bps: 50, min: 50_000, max: null },
    'crypto.usd': { flat: 0, bps: 50, min: 50, max: 10_000 },
  },
  provider: {
    'bank_transfer.ngn': 1_000,
    'bank_transfer.usd': 25,
    'crypto.ngn': 0,
    'crypto.usd': 0,
  },
  network: {
    'ethereum.usd': 300,
    'ethereum.ngn': 465_000,
    'default.usd': 20,
    'default.ngn': 31_000,
  },
  payment: {
    'card.ngn': { flat: 0, bps: 150, min: 0, max: 200_000 },
    'card.usd': { flat: 30, bps: 290, min: 0, max: null },
    'bank_transfer.ngn': { flat: 0, bps: 100, min: 0, max: 30_000 },
    'bank_transfer.usd': { flat: 0, bps: 80, min: 0, max: 500 },
    'crypto.ngn': { flat: 0, bps: 100, min: 0, max: null },
    'crypto.usd': { flat: 0, bps: 100, min: 0, max: null },
  },
  deposit: {},
}

const inverseScale = 12

/** Reports an error in a part of a table, such as `rates.usd_ngn`, by throwing. */
export type Fault = (part: string, message: string) => never

const faultOfFile: Fault = (part, message) => {
  throw new ConfigError(`PRICING_FILE: ${part}: ${message}`)
}

/**
 * Makes the prices of a table.
 * @throws {ConfigError} if the table is malformed, or what `fault` throws
 */
export function makePricing(
  table: PricingTable,
  fault: Fault = faultOfFile,
  official: (pair: OfficialPair) => RateOfMoment | null = () => null,
): Pricing {
  const rates = readRates(table, fault)
  assertFees(table, fault)
  const rateNow = (from: Currency, to: Currency): RateOfMoment | null =>
    findRate(rates, official, from, to)
  return {
    rate: (from, to) => rateNow(from, to)?.rate ?? null,
    incomingFee(kind, method, currency, amount) {
      const rule = table[kind][`${method}.${currency}`]
      const fee = rule ? feeOf(rule, amount) : 0n
      return fee < amount ? fee : amount
    },
    grossOf: (method, currency, net) => grossOf(table.payment[`${method}.${currency}`], net),
    price(request) {
      const { amount, currency, destinationCurrency } = request
      const breakdown = payoutFees(table, request)
      const found = rateNow(currency, destinationCurrency)
      return breakdown && found && priceAt(found, amount, breakdown)
    },
    convert(amount, from, to) {
      const found = rateNow(from, to)
      return found && priceAt(found, amount, spreadOf(table, amount, from, to))
    },
  }
}

/** The rates of a table: in both directions, and the pairs with an official rate. */
type Rates = { fixed: Map<string, Decimal>; official: Set<string> }

function readRates(table: PricingTable, fault: Fault): Rates {
  const fixed = new Map<string, Decimal>()
  const official = new Set<string>()
  for (const [pair, text] of Object.entries(table.rates)) {
    assertPair(pair, fault)
    if (text === isOfficial) {
      assertOfficialPair(table, pair, fault)
      official.add(pair)
    } else fixed.set(pair, parseRate(pair, text, fault))
  }
  for (const [pair, rate] of [...fixed]) {
    const mirror = mirrorOf(pair)
    if (fixed.has(mirror)) continue
    const inverted = inverse(rate)
    // A rate of zero could neither be credited nor quoted.
    if (inverted.units === 0n)
      fault(`rates.${pair}`, `is so high that ${mirror} is zero: give ${mirror} as well`)
    fixed.set(mirror, inverted)
  }
  // Converting there and back must not create money.
  for (const [pair, there] of fixed) {
    const back = fixed.get(mirrorOf(pair)) as Decimal
    if (there.units * back.units > 10n ** BigInt(there.scale + back.scale))
      fault(`rates.${pair}`, 'and its mirror together are more than one: there and back would gain')
  }
  return { fixed, official }
}

const mirrorOf = (pair: string): string => pair.split('_').reverse().join('_')

function assertPair(pair: string, fault: Fault): void {
  const [from = '', to = '', rest] = pair.split('_')
  const isCurrency = (name: string): boolean => (currencies as readonly string[]).includes(name)
  if (rest !== undefined || !isCurrency(from) || !isCurrency(to))
    fault(`rates.${pair}`, 'is not a pair such as usd_ngn')
}

function assertOfficialPair(table: PricingTable, pair: string, fault: Fault): void {
  if (!(officialPairs as readonly string[]).includes(pair))
    fault(`rates.${pair}`, `has no official rate: ${officialPairs.join(', ')} may`)
  if (mirrorOf(pair) in table.rates)
    fault(`rates.${pair}`, 'is official, so its mirror is too: leave that out')
}

function assertFees(table: PricingTable, fault: Fault): void {
  for (const group of ['platform', 'payment', 'deposit'] as const)
    for (const [key, rule] of Object.entries(table[group])) {
      for (const name of ['flat', 'bps', 'min', 'max'] as const)
        checkWhole(`${group}.${key}.${name}`, rule?.[name], name === 'max', fault)
      if (rule.max !== null && rule.max < rule.min)
        fault(`${group}.${key}.max`, 'must not be below min')
    }
  for (const [key, rule] of Object.entries(table.payment))
    if (rule.bps > 5_000) fault(`payment.${key}.bps`, 'must be at most 5000')
  for (const group of ['provider', 'network', 'spread_bps'] as const)
    for (const [key, value] of Object.entries(table[group]))
      checkWhole(`${group}.${key}`, value, false, fault)
}

function findRate(
  rates: Rates,
  official: (pair: OfficialPair) => RateOfMoment | null,
  from: Currency,
  to: Currency,
): RateOfMoment | null {
  if (from === to) return ofTable({ units: 1n, scale: 0 })
  const [pair, mirror] = [`${from}_${to}`, `${to}_${from}`]
  if (rates.official.has(pair)) return official(pair as OfficialPair)
  if (rates.official.has(mirror)) {
    const found = official(mirror as OfficialPair)
    return found && { ...found, rate: inverse(found.rate) }
  }
  const rate = rates.fixed.get(pair)
  return rate === undefined ? null : ofTable(rate)
}

/**
 * Returns the least amount that leaves `net` after its fee. The fee grows by at most half of what
 * the amount grows by, so this converges from below.
 */
function grossOf(rule: FeeRule | undefined, net: bigint): bigint {
  for (let gross = net; ; ) {
    const needed = net + (rule ? feeOf(rule, gross) : 0n)
    if (needed === gross) return gross
    gross = needed
  }
}

/** Returns the fees of a payout, or null if the table does not sell it. */
function payoutFees(
  table: PricingTable,
  { amount, currency, method, destinationCurrency, chain }: PriceRequest,
): Fee[] | null {
  const key = `${method}.${currency}`
  const rule = table.platform[key]
  if (!rule) return null
  const fees: Fee[] = [{ type: 'platform', amount: feeOf(rule, amount) }]
  const provider = BigInt(table.provider[key] ?? 0)
  if (provider > 0n) fees.push({ type: 'provider', amount: provider })
  if (method === 'crypto') {
    const network = BigInt(
      table.network[`${chain}.${currency}`] ?? table.network[`default.${currency}`] ?? 0,
    )
    if (network > 0n) fees.push({ type: 'network', amount: network })
  }
  return [...fees, ...spreadOf(table, amount, currency, destinationCurrency)]
}

function priceAt({ rate, ...origin }: RateOfMoment, amount: bigint, fees: Fee[]): PriceAtRate {
  return { ...priceOf(amount, rate, fees), ...origin }
}

const ofTable = (rate: Decimal): RateOfMoment => ({
  rate,
  source: 'table',
  fetchedAt: null,
  validUntil: null,
  leftMs: null,
})

function spreadOf(table: PricingTable, amount: bigint, from: Currency, to: Currency): Fee[] {
  if (from === to) return []
  const spread = basisPointsUp(
    amount,
    table.spread_bps[`${from}_${to}`] ?? mirrorSpread(table, from, to),
  )
  return spread > 0n ? [{ type: 'fx', amount: spread }] : []
}

function priceOf(amount: bigint, rate: Decimal, breakdown: Fee[]): Price {
  const fee = breakdown.reduce((sum, part) => sum + part.amount, 0n)
  const net = amount - fee
  const destinationAmount = net > 0n ? multiplyDown(net, rate) : 0n
  return { fee, breakdown, rate: formatDecimal(rate), net, destinationAmount }
}

/**
 * Reads a pricing file over the built-in table, or uses the built-in one.
 * @throws {ConfigError} if it is malformed
 */
export function readPricing(file: string | null): Pricing {
  return makePricing(readTable(file))
}

/**
 * Reads the table of a pricing file.
 * @throws {ConfigError} if it cannot be read
 */
export function readTable(file: string | null): PricingTable {
  if (file === null) return defaultPricing
  let table: Partial<PricingTable>
  try {
    table = JSON.parse(readFileSync(file, 'utf8')) as Partial<PricingTable>
  } catch (error) {
    throw new ConfigError(`PRICING_FILE '${file}': ${(error as Error).message}`)
  }
  for (const key of Object.keys(table))
    if (!(key in defaultPricing))
      throw new ConfigError(`PRICING_FILE: ${key}: is not a part of the table`)
  return { ...defaultPricing, ...table }
}

/** Checks that every token has a rate to every wallet: incoming tokens must be credited. */
export function assertCreditable(pricing: Pricing, fault: Fault): void {
  for (const from of cryptoCurrencies)
    for (const to of walletCurrencies)
      if (!pricing.rate(from, to)) fault(`rates.${from}_${to}`, 'is needed')
}

function feeOf(rule: FeeRule, amount: bigint): bigint {
  const raw = BigInt(rule.flat) + basisPointsUp(amount, rule.bps)
  const least = BigInt(rule.min)
  const most = rule.max === null ? null : BigInt(rule.max)
  if (raw < least) return least
  return most !== null && raw > most ? most : raw
}

function mirrorSpread(table: PricingTable, from: Currency, to: Currency): number {
  return table.spread_bps[`${to}_${from}`] ?? table.spread_bps.default ?? 0
}

function parseRate(pair: string, text: unknown, fault: Fault): Decimal {
  try {
    if (typeof text !== 'string') throw new RangeError('is not a decimal string such as "1550.00"')
    const rate = parseDecimal(text)
    if (rate.units === 0n) throw new RangeError('is zero')
    return rate
  } catch (error) {
    return fault(`rates.${pair}`, (error as Error).message)
  }
}

/** Returns `1 / rate` to twelve decimals, rounded down. */
function inverse(rate: Decimal): Decimal {
  return { units: 10n ** BigInt(inverseScale + rate.scale) / rate.units, scale: inverseScale }
}

function checkWhole(part: string, value: unknown, nullable: boolean, fault: Fault): void {
  if (nullable && value === null) return
  if (!Number.isSafeInteger(value) || (value as number) < 0)
    fault(part, 'must be a whole number of zero or more')
}
