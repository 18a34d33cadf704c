/**
 * Days as people have them: those of a time zone, which are not all 24 hours long, and may not
 * begin at midnight.
 */
import { Temporal } from 'temporal-polyfill'

/**
 * Whether a text names a time zone of the IANA database. Offsets such as +01:00 are none: they have
 * no summer.
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
 * When a day begins.
 * @param day such as 2026-11-21
 * @param ahead so many days later
 * @throws {RangeError} when there is no such day
 */
export function startOfDay(day: string, timeZone: string, ahead = 0): Date {
  const date = Temporal.PlainDate.from(day, { overflow: 'reject' }).add({ days: ahead })
  return new Date(date.toZonedDateTime(timeZone).epochMilliseconds)
}

/**
 * When a month begins.
 * @param month such as 2026-11
 * @param ahead so many months later
 * @throws {RangeError} when there is no such month
 */
export function startOfMonth(month: string, timeZone: string, ahead = 0): Date {
  const first = Temporal.PlainYearMonth.from(month, { overflow: 'reject' })
    .add({ months: ahead })
    .toPlainDate({ day: 1 })
  return new Date(first.toZonedDateTime(timeZone).epochMilliseconds)
}

/** A moment on the clocks there: 2026-11-21 10:30:00. */
export function localTime(moment: Date, timeZone: string): string {
  const local = Temporal.Instant.fromEpochMilliseconds(moment.getTime())
    .toZonedDateTimeISO(timeZone)
    .toPlainDateTime()
  return local.toString({ smallestUnit: 'second' }).replace('T', ' ')
}

/** A day of the calendar, which is no moment: `Temporal.PlainDate` as text, such as 2026-11-21. */
export type Day = string

/** The one rule: the day on which a moment is in a time zone. */
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

/** Moves a moment by days of a time zone, at the same time on the clocks there. */
export const momentAfter = (moment: Date, days: number, timeZone: string): Date =>
  new Date(
    Temporal.Instant.fromEpochMilliseconds(moment.getTime())
      .toZonedDateTimeISO(timeZone)
      .add({ days }).epochMilliseconds,
  )

/**
 * When it is so late on a day there: `06:30`. What the clocks leave out is as much later; of what
 * they show twice, it is the first.
 */
export function momentOn(day: string, time: string, timeZone: string): Date {
  const local = Temporal.PlainDate.from(day).toPlainDateTime(Temporal.PlainTime.from(time))
  return new Date(local.toZonedDateTime(timeZone).epochMilliseconds)
}

/** A day of the calendar as people of a language read it. @param locale BCP 47 */
export const showDay = (
  day: Day,
  locale: string,
  dateStyle: 'long' | 'medium' = 'medium',
): string =>
  new Intl.DateTimeFormat(locale, { dateStyle, timeZone: 'UTC' }).format(
    new Date(`${day}T00:00:00Z`),
  )

/** A day as letters and papers have it: `31 January 2027`. */
export const longDay = (day: Day): string => showDay(day, 'en-GB', 'long')
