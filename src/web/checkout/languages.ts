/**
 * Which language a payer gets, and how amounts are written in it.
 */
import type { Cookie, PageRequest } from '../../core/route.ts'
import { languageFor } from '../../lib/languages.ts'
import { type Currency, decimalOf } from '../../lib/money.ts'
import type { Language } from './view/model.ts'
import { languages, type Strings } from './view/strings.ts'

const offered = Object.keys(languages) as Language[]

/** Of the hosted pages alone: what the payer chose there. */
const cookieName = 'bursar_language'
/** Half a year, in seconds. */
const cookieAge = 15_552_000

const known = (text: string | undefined): Language | undefined =>
  offered.find((language) => language === text)

type Asked = Pick<PageRequest, 'query' | 'preferences' | 'languages'>

/**
 * The language of a page: what the payer chose on it, else what the browser asks for, else that of
 * the business.
 * @param locale of the business, as its profile has it
 */
export function languageOf(
  { query, preferences, languages: header }: Asked,
  locale = '',
): Language {
  return (
    known(query.lang) ??
    known(preferences[cookieName]) ??
    languageFor(header, offered) ??
    languageFor(locale, offered) ??
    'en'
  )
}

/** The language that was kept of a payer; where there is none, that of the business. */
export const keptLanguage = (kept: string | null, locale: string): Language =>
  known(kept ?? undefined) ?? languageFor(locale, offered) ?? 'en'

/** Keeps what the payer has just chosen. */
export function choiceKept({ query, preferences }: Asked): Cookie[] {
  const chosen = known(query.lang)
  if (chosen === undefined || chosen === preferences[cookieName]) return []
  return [{ name: cookieName, value: chosen, maxAge: cookieAge, preference: true }]
}

/**
 * What a rate makes one of something worth: with as many decimals as it has. @param rate a decimal,
 * as `1550.00`
 */
export const rateAmount = (t: Pick<Strings, 'locale'>, rate: string, currency: Currency): string =>
  oneSign(
    new Intl.NumberFormat(t.locale, {
      style: 'currency',
      currency,
      currencyDisplay: 'narrowSymbol',
      maximumFractionDigits: 12,
    }).format(rate as `${number}`),
  )

/**
 * Arabic writes `US$` also where it is asked for the narrow sign, and from right to left that would
 * be read as `$US`.
 */
const oneSign = (text: string): string => text.replace('US$', '$')

const formats = new Map<string, Intl.NumberFormat>()

/**
 * Minor units as payers of a language write them: `500000n` of `ngn` is `₦5,000.00`, in French `5
 * 000,00 ₦`.
 */
export function amountText(t: Pick<Strings, 'locale'>, amount: bigint, currency: Currency): string {
  const style = { style: 'currency', currency, currencyDisplay: 'narrowSymbol' } as const
  const key = `${t.locale} ${currency}`
  const format = formats.get(key) ?? new Intl.NumberFormat(t.locale, style)
  formats.set(key, format)
  // As a decimal, which is exact at any size.
  return oneSign(format.format(decimalOf(amount) as `${number}`))
}
