/**
 * Amounts, days and times as the people of a business read them: by its locale, in its time zone.
 */
import type { Business } from '../../books/profiles/profiles.ts'
import { endOfTime } from '../../lib/clock.ts'
import { type Currency, decimalOf } from '../../lib/money.ts'
import { en } from './view/strings.ts'

export type Show = {
  locale: string
  timeZone: string
  /** Minor units with their currency: `₦1,234.56`. */
  money(amount: number | bigint, currency: string): string
  /** The same for an axis: `₦1.2M`. */
  shortMoney(amount: number | bigint, currency: string): string
  /** A time with its day. */
  time(iso: string): string
  /** A day such as 2026-11-21, which is of no time zone. */
  date(day: string): string
  /** The same without its year. */
  shortDate(day: string): string
  /** A month such as 2026-11. */
  month(month: string): string
  number(count: number): string
  /** A part of 1 as a percentage with at most one decimal place. */
  percent(part: number): string
}

const mostKnown = 100
const known = new Map<string, Show>()

/** How a business is shown things. */
export function showFor({
  locale,
  time_zone: timeZone,
}: Pick<Business, 'locale' | 'time_zone'>): Show {
  const name = `${locale} ${timeZone}`
  const found = known.get(name)
  if (found) return found
  if (known.size >= mostKnown) known.clear()
  const made = makeShow(locale, timeZone)
  known.set(name, made)
  return made
}

const coins: readonly string[] = ['usdc', 'usdt']

function makeShow(locale: string, timeZone: string): Show {
  const moneys = new Map<string, Intl.NumberFormat>()
  const plain = new Intl.NumberFormat(locale, {
    minimumFractionDigits: 2,
    maximumFractionDigits: 2,
  })
  const whole = new Intl.NumberFormat(locale)
  const percent = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 1 })
  const short = new Intl.NumberFormat(locale, { notation: 'compact', maximumFractionDigits: 1 })
  const time = new Intl.DateTimeFormat(locale, {
    dateStyle: 'medium',
    timeStyle: 'short',
    timeZone,
  })
  const shortDate = new Intl.DateTimeFormat(locale, {
    day: 'numeric',
    month: 'short',
    timeZone: 'UTC',
  })
  const date = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: 'UTC' })
  const month = new Intl.DateTimeFormat(locale, { month: 'long', year: 'numeric', timeZone: 'UTC' })

  const moneyOf = (currency: string): Intl.NumberFormat => {
    const format =
      moneys.get(currency) ??
      new Intl.NumberFormat(locale, {
        style: 'currency',
        currency: currency.toUpperCase(),
        currencyDisplay: 'narrowSymbol',
        minimumFractionDigits: 2,
        maximumFractionDigits: 2,
      } as Intl.NumberFormatOptions)
    moneys.set(currency, format)
    return format
  }

  return {
    locale,
    timeZone,
    money(amount, currency) {
      // As text, of which no digit is lost.
      const text = decimalOf(BigInt(amount)) as Intl.StringNumericLiteral
      return coins.includes(currency)
        ? `${plain.format(text)} ${currency.toUpperCase()}`
        : moneyOf(currency as Currency).format(text)
    },
    shortMoney: (amount, currency) =>
      coins.includes(currency)
        ? short.format(Number(amount) / 100)
        : new Intl.NumberFormat(locale, {
            notation: 'compact',
            maximumFractionDigits: 1,
            style: 'currency',
            currency: currency.toUpperCase(),
            currencyDisplay: 'narrowSymbol',
          } as Intl.NumberFormatOptions).format(Number(amount) / 100),
    time(iso) {
      const at = new Date(iso)
      return at < endOfTime ? time.format(at) : en.noEnd
    },
    date: (text) => date.format(new Date(`${text}T00:00:00Z`)),
    shortDate: (text) => shortDate.format(new Date(`${text}T00:00:00Z`)),
    month: (text) => month.format(new Date(`${text}-01T00:00:00Z`)),
    number: (count) => whole.format(count),
    percent: (part) => percent.format(part),
  }
}
