/**
 * The words of the checkout by language: one file a language in `words/`, each of the type of the
 * English one.
 */
import type { CardBrand, Currency, Language } from './model.ts'
import { ar } from './words/ar.ts'
import { en, type Strings } from './words/en.ts'
import { fr } from './words/fr.ts'

export type { Strings }

/** In the order in which pages offer them. */
export const languages: Record<Language, Strings> = { en, fr, ar }

export const symbols: Record<Currency, string> = { ngn: '₦', usd: '$' }

/** Cards as people write them: in every language alike. */
export const brands: Record<CardBrand, string> = {
  visa: 'Visa',
  mastercard: 'Mastercard',
  verve: 'Verve',
  amex: 'American Express',
}

/** A brand by its name; that it is a card, where there is none or it is not known. */
export const brandName = (t: Strings, brand: string | null): string =>
  wordFor(brands, brand?.toLowerCase() ?? '') ?? t.card.usedCard

/**
 * A date and time where the business is, which the page names: the server does not know where the
 * payer is.
 */
export function momentText(t: Strings, iso: string, timeZone: string): string {
  return new Intl.DateTimeFormat(t.locale, {
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    timeZone,
    timeZoneName: 'short',
  }).format(new Date(iso))
}

/** A time of today or of the next day, where the business is. */
export const timeText = (t: Strings, at: Date, timeZone: string): string =>
  new Intl.DateTimeFormat(t.locale, {
    hour: '2-digit',
    minute: '2-digit',
    timeZone,
    timeZoneName: 'short',
  }).format(at)

/** A tax rate: 750 basis points are `7.5%`. */
export const rateText = (t: Strings, bps: number): string =>
  new Intl.NumberFormat(t.locale, { style: 'percent', maximumFractionDigits: 2 }).format(
    bps / 10_000,
  )

/** A word by a name that may be none of the table's. */
export const wordFor = (table: Record<string, string>, name: string): string | undefined =>
  Object.hasOwn(table, name) ? table[name] : undefined

const rtlText = /[\p{Script=Arabic}\p{Script=Hebrew}]/u

/**
 * Text of unknown direction in a sentence, kept from changing the order of what stands beside it:
 * Unicode's isolates.
 */
const isolate = (text: string): string => `\u2068${text}\u2069`

/**
 * The words with everything that is put into them isolated where it, or the language, runs from
 * right to left.
 */
function isolating<T>(words: T, dir: 'ltr' | 'rtl'): T {
  if (Array.isArray(words)) return words
  if (typeof words === 'function')
    return ((...given: unknown[]) =>
      words(
        ...given.map((one) =>
          typeof one === 'string' && (dir === 'rtl' || rtlText.test(one)) ? isolate(one) : one,
        ),
      )) as T
  if (typeof words !== 'object' || words === null) return words
  return Object.fromEntries(
    Object.entries(words).map(([key, word]) => [key, isolating(word, dir)]),
  ) as T
}

const made = Object.fromEntries(
  Object.entries(languages).map(([language, words]) => [language, isolating(words, words.dir)]),
) as Record<Language, Strings>

/** The words of a language. */
export const stringsFor = (language: Language): Strings => made[language]
