/** Parses amounts that people type or put into files, as their locale writes them. */
import { type Currency, currencies, decimalOf, decimals } from './money.ts'

/** The decimal separator. */
export type DecimalSign = ',' | '.'

/**
 * A parsed amount in minor units. `null`: not an amount. If it is ambiguous, `readings` has both
 * readings in major units, such as `1500` and `1.500`.
 */
export type TypedMoney =
  | { amount: bigint }
  | { amount: null; readings: readonly [string, string] | null }

/** How a locale writes numbers. */
type Writing = {
  digits: ReadonlyMap<string, string>
  decimalSigns: ReadonlySet<string>
  groupSigns: ReadonlySet<string>
  /** The digits of the last group and of the others: 3 and 2 in `12,34,567`. */
  groupSizes: readonly [last: number, others: number]
  /** The symbols, codes and names of currencies. */
  currencySigns: ReadonlyMap<Currency, readonly string[]>
}

const mostKnown = 100
const known = new Map<string, Writing>()

/** Internal signs for a group separator and a decimal separator; both are Arabic. */
const onlyGroups = '٬'
const onlyDecimals = '٫'

const commonDigits = new Map([...'٠١٢٣٤٥٦٧٨٩۰۱۲۳۴۵۶۷۸۹'].map((digit, i) => [digit, String(i % 10)]))

/** Converts Arabic and Persian digits to ASCII. */
export const asciiDigits = (text: string): string =>
  text.replaceAll(/[٠-٩۰-۹]/g, (digit) => commonDigits.get(digit) as string)

function writingOf(locale: string): Writing {
  const found = known.get(locale)
  if (found) return found
  if (known.size >= mostKnown) known.clear()
  const formats = [
    new Intl.NumberFormat(locale, { minimumFractionDigits: 1 }),
    ...(['ngn', 'usd', 'eur'] as const).map(
      (currency) =>
        new Intl.NumberFormat(locale, {
          style: 'currency',
          currency,
          currencyDisplay: 'narrowSymbol',
        }),
    ),
  ]
  const parts = formats.map((format) => format.formatToParts(12_345_678.5))
  const valuesOf = (type: string): string[] =>
    parts.flat().flatMap((part) => (part.type === type ? [part.value.normalize('NFKC')] : []))
  const groups = (parts[0] ?? []).flatMap(({ type, value }) =>
    type === 'integer' ? [[...value].length] : [],
  )
  const plain = new Intl.NumberFormat(locale, { useGrouping: false })
  const made: Writing = {
    digits: new Map(Array.from({ length: 10 }, (_, digit) => [plain.format(digit), String(digit)])),
    decimalSigns: new Set(valuesOf('decimal')),
    groupSigns: new Set(valuesOf('group')),
    groupSizes: [groups.at(-1) ?? 3, groups.at(-2) ?? 3],
    currencySigns: new Map(
      currencies.map((currency) => {
        const own = formats.flatMap((format) =>
          format.resolvedOptions().currency === currency.toUpperCase()
            ? format.formatToParts(1)
            : [],
        )
        const signs = own.filter(({ type }) => type === 'currency').map(({ value }) => bare(value))
        return [currency, [...signs, ...(commonSigns[currency] ?? []), currency]]
      }),
    ),
  }
  known.set(locale, made)
  return made
}

const commonSigns: Partial<Record<Currency, string[]>> = {
  ngn: ['₦'],
  usd: ['$', 'us$'],
  eur: ['€'],
}

/** Removes invisible marks and normalises blanks. */
const bare = (text: string): string =>
  text
    .normalize('NFKC')
    .replaceAll(/\p{Cf}/gu, '')
    .replaceAll(/\s+/g, ' ')
    .trim()
    .toLowerCase()

/** Normalises digits and separators, and removes the currency. */
function simplify(text: string, writing: Writing, currency: Currency | 'any' | undefined): string {
  // NFKC turns signs such as ² and ① into digits, which no amount contains.
  if (/\p{No}/u.test(text)) return ''
  const signs =
    currency === 'any'
      ? [...writing.currencySigns.values()].flat()
      : writing.currencySigns.get(currency as Currency)
  const typed = bare(text)
  const sign = signs
    ?.toSorted((a, b) => b.length - a.length)
    .find((one) => typed.startsWith(one) || typed.endsWith(one))
  const number =
    sign === undefined
      ? typed
      : typed.startsWith(sign)
        ? typed.slice(sign.length)
        : typed.slice(0, -sign.length)
  return [...asciiDigits(number.trim())]
    .map((letter) => {
      const digit = writing.digits.get(letter)
      if (digit !== undefined) return digit
      if (/['’‘ʼ`´]/.test(letter)) return onlyGroups
      if (/[\d.,]/.test(letter)) return letter
      if (letter === '،') return ','
      return writing.decimalSigns.has(letter) ? onlyDecimals : letter
    })
    .join('')
}

/**
 * Parses a normalised text with a known decimal separator.
 * @returns null if it is not an amount
 */
function readWith(
  text: string,
  sign: DecimalSign,
  { groupSizes: [last, others] }: Writing,
): bigint | null {
  const other = sign === ',' ? '.' : ','
  const match = new RegExp(`^(.+?)(?:[${sign}${onlyDecimals}](\\d{1,${decimals}}))?$`).exec(text)
  const [, whole = '', fraction = ''] = match ?? []
  const groups = [other, ' ', onlyGroups].map((one) => (one === '.' ? '\\.' : one))
  const isWhole =
    /^\d+$/.test(whole) ||
    groups.some(
      (one) =>
        new RegExp(`^[1-9]\\d{0,2}(${one}\\d{3})+$`).test(whole) ||
        new RegExp(`^[1-9]\\d{0,${others - 1}}(${one}\\d{${others}})*${one}\\d{${last}}$`).test(
          whole,
        ),
    )
  const digits = whole.replaceAll(/\D/g, '')
  return isWhole && digits.length <= mostDigits
    ? BigInt(digits + fraction.padEnd(decimals, '0'))
    : null
}

const mostDigits = 13

/** Ambiguous: thousands, or three decimals, such as `1,500`. */
const isTwofold = (text: string): boolean => /^[1-9]\d{0,2}[.,]\d{3}$/.test(text)

/**
 * Parses an amount in major units: `1,500.5` becomes `150050n`. Groups have three digits, or the
 * locale's sizes. One or two digits after a last comma or point are decimals. Before three digits,
 * the locale's group separator groups; any other is ambiguous.
 * @param locale BCP 47, of the business
 * @param currency may stand beside the amount; none if undefined
 * @param sign the decimal separator if it is known, as for a column of a file
 */
export function readMoney(
  text: string,
  locale: string,
  currency?: Currency | 'any',
  sign?: DecimalSign | null,
): TypedMoney {
  const writing = writingOf(locale)
  const simple = simplify(text, writing, currency)
  if (sign) {
    const amount = readWith(simple, sign, writing)
    return amount === null && isTwofold(simple)
      ? { amount, readings: readingsOf(simple) }
      : toRead(amount)
  }
  const [comma, point] = [readWith(simple, ',', writing), readWith(simple, '.', writing)]
  if (isTwofold(simple)) {
    const used = simple.includes(',') ? ',' : '.'
    if (!writing.groupSigns.has(used) || writing.decimalSigns.has(used))
      return { amount: null, readings: readingsOf(simple) }
  }
  return toRead(comma ?? point)
}

const toRead = (amount: bigint | null): TypedMoney =>
  amount === null ? { amount, readings: null } : { amount }

/** Returns both readings of `1,500`. */
const readingsOf = (simple: string): [string, string] => [
  simple.replace(/[.,]/, ''),
  simple.replace(',', '.'),
]

/**
 * Returns the decimal separator of a column, as its amounts show it; null if none does.
 * @returns `lines`, from zero, if two amounts contradict each other
 */
export function columnSign(
  texts: readonly string[],
  locale: string,
  currency?: Currency,
): DecimalSign | null | { lines: [number, number] } {
  const writing = writingOf(locale)
  const first: Partial<Record<DecimalSign, number>> = {}
  for (const [line, text] of texts.entries()) {
    const simple = simplify(text, writing, currency)
    const [comma, point] = [readWith(simple, ',', writing), readWith(simple, '.', writing)]
    if (isTwofold(simple) || (comma === null) === (point === null)) continue
    first[comma === null ? '.' : ','] ??= line
  }
  const { ',': comma, '.': point } = first
  if (comma !== undefined && point !== undefined) return { lines: [comma, point] }
  return comma !== undefined ? ',' : point !== undefined ? '.' : null
}

/** Returns both readings as the locale writes them, and what to type for each. */
export function readingsIn(
  readings: readonly [string, string],
  locale: string,
): { read: [string, string]; type: string[] } {
  const most = { minimumFractionDigits: decimals, maximumFractionDigits: 3 }
  const grouped = new Intl.NumberFormat(locale, most)
  const plain = new Intl.NumberFormat(locale, { ...most, useGrouping: false })
  const [large, small] = readings.map(Number) as [number, number]
  return {
    read: [grouped.format(large), grouped.format(small)],
    type: [large, ...(readings[1].endsWith('0') ? [small] : [])].map((one) => plain.format(one)),
  }
}

/** Describes in English what is wrong with a typed amount, and what to type instead. */
export function moneyFault(
  text: string,
  { readings }: { readings: readonly [string, string] | null },
  locale: string,
): string {
  if (readings === null) {
    const { read, type } = readingsIn(['1500.50', '1500.50'], locale)
    return `Type an amount such as ${read[0]} or ${type[0]}, with at most two decimals.`
  }
  const { read, type } = readingsIn(readings, locale)
  return `“${text.trim()}” can be read as ${read.join(' or as ')}. Type ${type.join(' or ')}.`
}

/**
 * Formats an amount in words of a locale: `12,50 nairas nigérians`. A token is named by its code.
 */
export function moneyInWords(amount: bigint, currency: Currency, locale: string): string {
  const text = decimalOf(amount) as Intl.StringNumericLiteral
  const two = { minimumFractionDigits: decimals, maximumFractionDigits: decimals }
  if (currency === 'usdc' || currency === 'usdt')
    return `${new Intl.NumberFormat(locale, two).format(text)} ${currency.toUpperCase()}`
  return new Intl.NumberFormat(locale, {
    ...two,
    style: 'currency',
    currency,
    currencyDisplay: 'name',
  }).format(text)
}
