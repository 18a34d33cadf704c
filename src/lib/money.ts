/**
 * Money is a whole number of minor units (kobo, cents) in a `bigint`, beside its currency. No float
 * ever holds an amount. Stablecoin amounts are cents too (two decimals); a token's own units exist
 * only inside its rail.
 */
import { refuse } from './errors.ts'

export const walletCurrencies = ['ngn', 'usd'] as const
export const cryptoCurrencies = ['usdc', 'usdt'] as const
export const currencies = ['ngn', 'usd', 'eur', 'usdc', 'usdt'] as const
export type WalletCurrency = (typeof walletCurrencies)[number]
export type CryptoCurrency = (typeof cryptoCurrencies)[number]
export type Currency = (typeof currencies)[number]

/** A text as a currency; undefined for any other. */
export const asCurrency = (text: unknown): Currency | undefined =>
  currencies.find((one) => one === text)

/**
 * The smallest units of a token with so many decimals, which the ledger keeps what is less than a
 * cent in: `usdc/6`.
 */
export type TokenUnit = `${CryptoCurrency}/${number}`

/**
 * Digits after the decimal point of one major unit. The same for every currency that is kept here.
 */
export const decimals = 2

/** The largest amount that the API carries: every JSON reader holds it exactly. */
export const maxAmount = 9_007_199_254_740_991n

/** An amount of minor units in one currency. */
export type Money<C extends Currency = Currency> = { amount: bigint; currency: C }

/** A decimal number held exactly: `units / 10^scale`. */
export type Decimal = { units: bigint; scale: number }

/**
 * Reads a decimal string such as `1550.00` or `0.000645` exactly.
 * @throws {RangeError} when the text is not a plain positive decimal of at most 18 decimals
 */
export function parseDecimal(text: string): Decimal {
  const match = /^(\d{1,18})(?:\.(\d{1,18}))?$/.exec(text)
  if (!match) throw new RangeError(`'${text}' is not a decimal number such as 1550.00`)
  const fraction = match[2] ?? ''
  return { units: BigInt(match[1] + fraction), scale: fraction.length }
}

/** Writes a decimal without trailing zeros: `{units: 155000n, scale: 2}` becomes `1550`. */
export function formatDecimal({ units, scale }: Decimal): string {
  const digits = units.toString().padStart(scale + 1, '0')
  const whole = digits.slice(0, digits.length - scale)
  const fraction = digits.slice(digits.length - scale).replace(/0+$/, '')
  return fraction === '' ? whole : `${whole}.${fraction}`
}

/**
 * The minor units of an amount that is written in major ones, as some providers write theirs:
 * `9.97` is 997n.
 * @param places digits after the point of one major unit
 * @throws {RangeError} when the text is not a plain decimal, or has more decimals than the
 * currency: nothing is rounded
 */
export function minorOf(text: string, places: number = decimals): bigint {
  const { units, scale } = parseDecimal(text)
  if (scale <= places) return units * 10n ** BigInt(places - scale)
  const finer = 10n ** BigInt(scale - places)
  if (units % finer !== 0n) throw new RangeError(`'${text}' has more than ${places} decimals`)
  return units / finer
}

/** The same amount in major units, with all its decimals: 997n is `9.97`. `amount >= 0`. */
export function majorOf(amount: bigint): string {
  const digits = amount.toString().padStart(decimals + 1, '0')
  return `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`
}

/**
 * `amount × rate`, rounded down to the minor unit: what is not a whole minor unit is never paid
 * out.
 */
export function multiplyDown(amount: bigint, rate: Decimal): bigint {
  return (amount * rate.units) / 10n ** BigInt(rate.scale)
}

/**
 * `amount / rate`, rounded up to the minor unit: the least that is worth `amount`. `rate` is above
 * zero.
 */
export function divideUp(amount: bigint, rate: Decimal): bigint {
  const scaled = amount * 10n ** BigInt(rate.scale)
  return (scaled + rate.units - 1n) / rate.units
}

/**
 * Parts of a total in proportion to weights, by largest remainder: the parts sum to the total
 * exactly, and each is within one minor unit of its share. Of equal remainders, the earlier part
 * gets the unit.
 * @param weights none below zero, and their sum above zero
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

/**
 * `amount × bps / 10000`, rounded up to the minor unit: a fee is never less than its share. `amount
 * >= 0`.
 */
export function basisPointsUp(amount: bigint, bps: number): bigint {
  return (amount * BigInt(bps) + 9_999n) / 10_000n
}

/**
 * Writes minor units in major units, as programs and spreadsheets read them: `123456n` becomes
 * `1234.56`.
 */
export function decimalOf(amount: bigint): string {
  const digits = (amount < 0n ? -amount : amount).toString().padStart(decimals + 1, '0')
  return `${amount < 0n ? '-' : ''}${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`
}

/** Writes minor units for people: `123456n` of `ngn` becomes `1,234.56 ngn`. */
export function formatMoney(amount: bigint, currency: Currency): string {
  return `${decimalOf(amount).replace(/\B(?=(\d{3})+\.)/g, ',')} ${currency}`
}

const signs: Partial<Record<Currency, string>> = { ngn: '₦', usd: '$', eur: '€' }

/** Writes an amount as payers are used to see it: `123456n` of `ngn` becomes `₦1,234.56`. */
export function showMoney(amount: bigint, currency: Currency): string {
  const [digits = '', code = ''] = formatMoney(amount, currency).split(' ')
  const sign = signs[currency]
  return sign ? digits.replace(/^-?/, `$&${sign}`) : `${digits} ${code.toUpperCase()}`
}

/**
 * Refuses an amount that the API could not carry back.
 * @throws {Refusal} `amount_too_large`
 */
export function assertCarryable(amount: bigint): bigint {
  if (amount > maxAmount)
    refuse('amount_too_large', `The amount would exceed ${maxAmount} minor units.`)
  return amount
}
