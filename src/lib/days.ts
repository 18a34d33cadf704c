/**
 * Calendar days in time zones, where a day may be shorter or longer than 24 hours and may not begin
 * at midnight.
 */
import { Temporal } from 'temporal-polyfill'

/**
 * Whether a text names an IANA time zone. Offsets such as +01:00 do not, because they have no
 * daylight saving time.
 */
export function isTimeZone(text: string): boolean {
  if (!/^[A-Za-z][A-Za-z0-9_+/-]*$/.test(text)) return false
  try {
    new Intl.DateTimeFormat('en', { timeZone: text })
    return true
  } catch {
    return false
  }
}

/**
 * Returns when a day begins.
 * @param day such as 2026-11-21
 * @param ahead the number of days to add
 * @throws {RangeError} if the day does not exist
 */
export function startOfDay(day: string, timeZone: string, ahead = 0): Date {
  const date = Temporal.PlainDate.from(day, { overflow: 'reject' }).add({ days: ahead })
  return new Date(date.toZonedDateTime(timeZone).epochMilliseconds)
}

/**
 * Returns when a month begins.
 * @param month such as 2026-11
 * @param ahead the number of months to add
 * @throws {RangeError} if the month does not exist
 */
export function startOfMonth(month: string, timeZone: string, ahead = 0): Date {
  const first = Temporal.PlainYearMonth.from(month, { overflow: 'reject' })
    .add({ months: ahead })
    .toPlainDate({ day: 1 })
  return new Date(first.toZonedDateTime(timeZone).epochMilliseconds)
}

/** Formats a moment in local time: 2026-11-21 10:30:00. */
export function localTime(moment: Date, timeZone: string): string {
  const local = Temporal.Instant.fromEpochMilliseconds(moment.getTime())
    .toZonedDateTimeISO(timeZone)
    .toPlainDateTime()
  return local.toString({ smallestUnit: 'second' }).replace('T', ' ')
}

/** A calendar day as text, such as 2026-11-21. */
export type Day = string

/** Returns the day of a moment in a time zone. */
export function dayOf(moment: Date, timeZone: string): Day {
  return Temporal.Instant.fromEpochMilliseconds(moment.getTime())
    .toZonedDateTimeISO(timeZone)
    .toPlainDate()
    .toString()
}

/** Returns the day so many days later, or before. */
export const dayAfter = (day: Day, ahead: number): Day =>
  Temporal.PlainDate.from(day).add({ days: ahead }).toString()

/** Returns how many days lie between two days; negative where `to` is the earlier one. */
export const daysBetween = (from: Day, to: Day): number =>
  Temporal.PlainDate.from(from).until(to).days

/** Returns the day of the week: 1 is Monday, 7 is Sunday. */
export const weekdayOf = (day: Day): number => Temporal.PlainDate.from(day).dayOfWeek

/** Returns the day's number in its month, and how many days the month has. */
export function dayInMonth(day: Day): { number: number; last: number } {
  const date = Temporal.PlainDate.from(day)
  return { number: date.day, last: date.daysInMonth }
}

/** Moves a moment by days, keeping its local time. */
export const momentAfter = (moment: Date, days: number, timeZone: string): Date =>
  new Date(
    Temporal.Instant.fromEpochMilliseconds(moment.getTime())
      .toZonedDateTimeISO(timeZone)
      .add({ days }).epochMilliseconds,
  )

/**
 * Returns the moment of a local time on a day: `06:30`. A time that the clocks skip moves forward
 * by the gap; of a repeated time it is the first.
 */
export function momentOn(day: string, time: string, timeZone: string): Date {
  const local = Temporal.PlainDate.from(day).toPlainDateTime(Temporal.PlainTime.from(time))
  return new Date(local.toZonedDateTime(timeZone).epochMilliseconds)
}

/**
 * Formats a day for readers of a language.
 * @param locale BCP 47
 */
export const showDay = (
  day: Day,
  locale: string,
  dateStyle: 'long' | 'medium' = 'medium',
): string =>
  new Intl.DateTimeFormat(locale, { dateStyle, timeZone: 'UTC' }).format(
    new Date(`${day}T00:00:00Z`),
  )

/** Formats a day for documents: `31 January 2027`. */
export const longDay = (day: Day): string => showDay(day, 'en-GB', 'long')

/** Returns the day's number in its year, from 1. */
export const dayInYear = (day: Day): number => Temporal.PlainDate.from(day).dayOfYear

/** Formats a moment in local time with the zone's offset: 2026-11-21T10:30:00+01:00. */
export const offsetTime = (moment: Date, timeZone: string): string =>
  Temporal.Instant.fromEpochMilliseconds(moment.getTime())
    .toZonedDateTimeISO(timeZone)
    .toString({ smallestUnit: 'second', timeZoneName: 'never' })
