/**
 * Reads amounts that people type or put into files, as their locale writes them. Nothing else in
 * the product reads them.
 */
import { type Currency, currencies, decimalOf, decimals } from './money.ts'

/** The sign that stands before the decimals. */
export type DecimalSign = ',' | '.'

/**
 * An amount in minor units. `null` means that the text is not an amount; when it could be two,
 * `readings` has both, in major units, such as `1500` and `1.500`.
 */
export type TypedMoney =
  | { amount: bigint }
  | { amount: null; readings: readonly [string, string] | null }

/** How a locale writes numbers. */
type Writing = {
  digits: ReadonlyMap<string, string>
  decimalSigns: ReadonlySet<string>
  groupSigns: ReadonlySet<string>
  /** How many digits its last group has, and those before it: 3 and 2 in `12,34,567`. */
  groupSizes: readonly [last: number, others: number]
  /** The signs, codes and names that it writes beside an amount. */
  currencySigns: ReadonlyMap<Currency, readonly string[]>
}

const mostKnown = 100
const known = new Map<string, Writing>()

/**
 * A letter that only groups, and one that only stands before decimals: they are Arabic, and stand
 * for all such.
 */
const onlyGroups = '٬'
const onlyDecimals = '٫'

const commonDigits = new Map([...'٠١٢٣٤٥٦٧٨٩۰۱۲۳۴۵۶۷۸۹'].map((digit, i) => [digit, String(i % 10)]))

/** Digits of Arabic and Persian keyboards as ASCII digits. */
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

/** A text without marks that are not seen, and with one kind of blank. */
const bare = (text: string): string =>
  text
    .normalize('NFKC')
    .replaceAll(/\p{Cf}/gu, '')
    .replaceAll(/\s+/g, ' ')
    .trim()
    .toLowerCase()

/**
 * The text with ASCII digits and one letter for each kind of sign, without the sign of the
 * currency.
 */
function simplify(text: string, writing: Writing, currency: Currency | 'any' | undefined): string {
  // NFKC makes digits of signs such as ² and ①: nobody types an amount with them.
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
 * Reads a simplified text, when its decimals stand behind a sign. @returns null for a text that is
 * no amount then
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

/** Thousands, or three decimals: `1,500`. */
const isTwofold = (text: string): boolean => /^[1-9]\d{0,2}[.,]\d{3}$/.test(text)

/**
 * Reads an amount in major units as a person types it: `1,500.5` becomes `150050n`. A group sign
 * stands only between groups of three digits, or where the locale itself groups otherwise. One or
 * two digits behind a last comma or point are decimals. Before three digits, the sign by which the
 * locale groups groups; any other is refused with both readings.
 * @param locale BCP 47, of the business
 * @param currency whose sign or code may stand beside the amount: none without it
 * @param sign what stands before the decimals, where that is known, as of a file's column
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

/** What `1,500` can mean. */
const readingsOf = (simple: string): [string, string] => [
  simple.replace(/[.,]/, ''),
  simple.replace(',', '.'),
]

/**
 * The sign that stands before the decimals of a column, as its amounts show it; null where none
 * shows it.
 * @returns `lines`, counted from zero, when two amounts show another each
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

/**
 * Both readings of an amount as a locale writes them, and what to type for those that the currency
 * has.
 */
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

/** Says in English what is wrong with an amount that a person typed, and what to type. */
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
 * An amount of a currency in the words of a locale: `12,50 nairas nigérians`. A token is named by
 * its code.
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
