/**
 * Money is a `bigint` of minor units (kobo, cents) beside its currency; no float ever holds an
 * amount. Stablecoin amounts are cents too; a token's own units exist only inside its rail.
 */
import { refuse } from './errors.ts'

export const walletCurrencies = ['ngn', 'usd'] as const
export const cryptoCurrencies = ['usdc', 'usdt'] as const
export const currencies = ['ngn', 'usd', 'eur', 'usdc', 'usdt'] as const
export type WalletCurrency = (typeof walletCurrencies)[number]
export type CryptoCurrency = (typeof cryptoCurrencies)[number]
export type Currency = (typeof currencies)[number]

/** Returns the currency that a text names, or undefined. */
export const asCurrency = (text: unknown): Currency | undefined =>
  currencies.find((one) => one === text)

/**
 * The smallest unit of a token with this many decimals, in which the ledger keeps fractions of a
 * cent: `usdc/6`.
 */
export type TokenUnit = `${CryptoCurrency}/${number}`

/** Digits after the decimal point, the same for all our currencies. */
export const decimals = 2

/** The largest amount of the API, which every JSON reader represents exactly. */
export const maxAmount = 9_007_199_254_740_991n

/** An amount in minor units of a currency. */
export type Money<C extends Currency = Currency> = { amount: bigint; currency: C }

/** An exact decimal number: `units / 10^scale`. */
export type Decimal = { units: bigint; scale: number }

/**
 * Parses a decimal such as `1550.00` or `0.000645` exactly.
 * @throws {RangeError} unless it is a plain positive decimal of at most 18 decimals
 */
export function parseDecimal(text: string): Decimal {
  const match = /^(\d{1,18})(?:\.(\d{1,18}))?$/.exec(text)
  if (!match) throw new RangeError(`'${text}' is not a decimal number such as 1550.00`)
  const fraction = match[2] ?? ''
  return { units: BigInt(match[1] + fraction), scale: fraction.length }
}

/** Formats a decimal without trailing zeros: `{units: 155000n, scale: 2}` becomes `1550`. */
export function formatDecimal({ units, scale }: Decimal): string {
  const digits = units.toString().padStart(scale + 1, '0')
  const whole = digits.slice(0, digits.length - scale)
  const fraction = digits.slice(digits.length - scale).replace(/0+$/, '')
  return fraction === '' ? whole : `${whole}.${fraction}`
}

/**
 * Parses an amount in major units, as some providers write it: `9.97` becomes 997n.
 * @param places digits after the decimal point
 * @throws {RangeError} unless it is a plain decimal with at most that many decimals: nothing is
 * rounded
 */
export function minorOf(text: string, places: number = decimals): bigint {
  const { units, scale } = parseDecimal(text)
  if (scale <= places) return units * 10n ** BigInt(places - scale)
  const finer = 10n ** BigInt(scale - places)
  if (units % finer !== 0n) throw new RangeError(`'${text}' has more than ${places} decimals`)
  return units / finer
}

/** Formats minor units as major units with all decimals: 997n becomes `9.97`. `amount >= 0`. */
export function majorOf(amount: bigint): string {
  const digits = amount.toString().padStart(decimals + 1, '0')
  return `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`
}

/** Returns `amount × rate`, rounded down to the minor unit. */
export function multiplyDown(amount: bigint, rate: Decimal): bigint {
  return (amount * rate.units) / 10n ** BigInt(rate.scale)
}

/**
 * Returns `amount / rate`, rounded up to the minor unit: the least that is worth `amount`. `rate >
 * 0`.
 */
export function divideUp(amount: bigint, rate: Decimal): bigint {
  const scaled = amount * 10n ** BigInt(rate.scale)
  return (scaled + rate.units - 1n) / rate.units
}

/**
 * Splits a total in proportion to weights by largest remainder. The parts add up to the total, and
 * each is within a minor unit of its exact share. Of equal remainders, the earlier part gets the
 * unit.
 * @param weights zero or more, with a sum above zero
 */
export function allocate(total: bigint, weights: readonly bigint[]): bigint[] {
  const sum = weights.reduce((a, b) => a + b, 0n)
  if (sum <= 0n) throw new RangeError('weights must sum to more than zero')
  const parts = weights.map((weight) => (total * weight) / sum)
  let left = total - parts.reduce((a, b) => a + b, 0n)
  const order = weights
    .map((weight, i) => ({ i, remainder: (total * weight) % sum }))
    .sort((a, b) => (a.remainder === b.remainder ? a.i - b.i : a.remainder > b.remainder ? -1 : 1))
  for (const { i } of order) {
    if (left === 0n) break
    parts[i] = (parts[i] as bigint) + 1n
    left--
  }
  return parts
}

/** Returns `amount × part / whole`, rounded half up to the minor unit. None is negative. */
export function shareHalfUp(amount: bigint, part: bigint, whole: bigint): bigint {
  return (2n * amount * part + whole) / (2n * whole)
}

/**
 * Returns `amount × bps / 10000`, rounded up to the minor unit, so that a fee is never too small.
 * `amount >= 0`.
 */
export function basisPointsUp(amount: bigint, bps: number): bigint {
  return (amount * BigInt(bps) + 9_999n) / 10_000n
}

/** Formats minor units as major units for programs: `123456n` becomes `1234.56`. */
export function decimalOf(amount: bigint, places: number = decimals): string {
  const digits = (amount < 0n ? -amount : amount).toString().padStart(places + 1, '0')
  return `${amount < 0n ? '-' : ''}${digits.slice(0, -places)}.${digits.slice(-places)}`
}

/** Formats minor units for people: `123456n` of `ngn` becomes `1,234.56 ngn`. */
export function formatMoney(amount: bigint, currency: Currency): string {
  return `${decimalOf(amount).replace(/\B(?=(\d{3})+\.)/g, ',')} ${currency}`
}

const signs: Partial<Record<Currency, string>> = { ngn: '₦', usd: '$', eur: '€' }

/** Formats minor units for payers: `123456n` of `ngn` becomes `₦1,234.56`. */
export function showMoney(amount: bigint, currency: Currency): string {
  const [digits = '', code = ''] = formatMoney(amount, currency).split(' ')
  const sign = signs[currency]
  return sign ? digits.replace(/^-?/, `$&${sign}`) : `${digits} ${code.toUpperCase()}`
}

/**
 * Refuses an amount that JSON could not represent exactly.
 * @throws {Refusal} `amount_too_large`
 */
export function assertCarryable(amount: bigint): bigint {
  if (amount > maxAmount)
    refuse('amount_too_large', `The amount would exceed ${maxAmount} minor units.`)
  return amount
}

/** Returns the smaller of two amounts. */
export const smaller = (a: bigint, b: bigint): bigint => (a < b ? a : b)
/** Returns the larger of two amounts. */
export const larger = (a: bigint, b: bigint): bigint => (a > b ? a : b)
