/** Deadlines with the time that is left, by the clock of the mode. */
import { type Html, html } from '../../lib/html.ts'
import type { Visit } from './place.ts'
import { en } from './view/strings.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs

/** Says how much time is left: whole days from two days on, then hours, then minutes. */
export function timeLeft(now: Date, until: Date): string {
  const leftMs = until.getTime() - now.getTime()
  if (leftMs <= 0) return en.left.over
  if (leftMs >= 2 * dayMs) return en.left.days(Math.floor(leftMs / dayMs))
  if (leftMs >= 2 * hourMs) return en.left.hours(Math.floor(leftMs / hourMs))
  return en.left.minutes(Math.max(1, Math.floor(leftMs / minuteMs)))
}

/** Shows a deadline: `7 Dec 2026, 10:00 (6 days left)`. */
export const deadline = ({ show, ctx }: Pick<Visit, 'show' | 'ctx'>, iso: string): Html =>
  html`<time datetime="${iso}">${show.time(iso)}</time> <b>(${timeLeft(ctx.scope.now, new Date(iso))})</b>`
