/** Computes when a rule runs: days of a time zone, at a local time. */
import { dayAfter, dayInMonth, dayOf, momentOn, weekdayOf } from '../../lib/days.ts'
import { weekdays } from './schema.ts'
import type { ScheduleRow } from './sql.ts'

export type Rule = Pick<ScheduleRow, 'interval' | 'weekday' | 'day' | 'time'>

/** A future run: its day and its moment. */
export type Ahead = { day: string; at: Date }

/**
 * Returns the next runs of a rule.
 * @param after each run is later
 * @param lastDay each run is on a later day, such as 2026-11-21; null: on any
 */
export function runsAhead(
  rule: Rule,
  timeZone: string,
  after: Date,
  lastDay: string | null,
  count: number,
): Ahead[] {
  const ahead: Ahead[] = []
  let least = after
  for (let day = dayOf(after, timeZone); ahead.length < count; day = dayAfter(day, 1)) {
    if ((lastDay !== null && day <= lastDay) || !isDayOf(rule, day)) continue
    const at = momentOn(day, rule.time, timeZone)
    if (at <= least) continue
    ahead.push({ day, at })
    least = at
  }
  return ahead
}

function isDayOf({ interval, weekday, day }: Rule, date: string): boolean {
  if (interval === 'daily') return true
  if (interval === 'weekly') return weekdays[weekdayOf(date) - 1] === weekday
  const { number, last } = dayInMonth(date)
  return number === Math.min(day as number, last)
}
