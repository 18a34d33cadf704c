/**
 * Days as people have them: those of a time zone, which are not all 24 hours long, and may not begin at midnight.
 */
import { Temporal } from 'temporal-polyfill'

/** Whether a text names a time zone of the IANA database. Offsets such as +01:00 are none: they have no summer. */
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
  const local = Temporal.Instant.fromEpochMilliseconds(moment.getTime()).toZonedDateTimeISO(timeZone).toPlainDateTime()
  return local.toString({ smallestUnit: 'second' }).replace('T', ' ')
}

/** The day that a moment is on there, such as 2026-11-21. */
export function dayOf(moment: Date, timeZone: string): string {
  return Temporal.Instant.fromEpochMilliseconds(moment.getTime()).toZonedDateTimeISO(timeZone).toPlainDate().toString()
}

/** The day that comes so many days later, or before. */
export const dayAfter = (day: string, ahead: number): string =>
  Temporal.PlainDate.from(day).add({ days: ahead }).toString()

/** When it is so late on a day there: `06:30`. What the clocks leave out is as much later; of what they show twice, it is the first. */
export function momentOn(day: string, time: string, timeZone: string): Date {
  const local = Temporal.PlainDate.from(day).toPlainDateTime(Temporal.PlainTime.from(time))
  return new Date(local.toZonedDateTime(timeZone).epochMilliseconds)
}

/** The day of a moment as letters have it: `31 January 2027`. */
export const longDay = (moment: Date, timeZone: string): string =>
  new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone }).format(moment)
