/**
 * Pictures of numbers, drawn here. Each stands beside a table that says the same.
 */
import { type Html, html } from '../../../lib/html.ts'
import type { Show } from '../show.ts'
import { en } from './strings.ts'

/** `day` may be a month, such as 2026-11. */
export type Bars = { day: string; came: bigint; went: bigint }

/** What the two bars are called. */
type Words = { came: string; went: string; ofDay(day: string, came: string, went: string): string }

const height = 120
/** The width of a day, and of each of its two bars. */
const step = 12
const bar = 4.5

/** The least of 1, 2 or 5 with noughts that is not below. */
function niceTop(most: bigint): bigint {
  for (let power = 1n; ; power *= 10n)
    for (const top of [power, 2n * power, 5n * power]) if (top >= most) return top
}

/**
 * Two bars for each day. It is stretched to the width there is, so the axes are texts beside it.
 */
export function barsByDay(
  days: readonly Bars[],
  currency: string,
  label: string,
  show: Show,
  words: Words = en.moved,
): Html {
  const top = niceTop(
    days.reduce(
      (most, { came, went }) => [most, came, went].reduce((a, b) => (b > a ? b : a)),
      100n,
    ),
  )
  const width = days.length * step
  const tall = (amount: bigint): number =>
    amount <= 0n ? 0 : Math.max(1, Number((amount * 1000n * BigInt(height)) / top) / 1000)
  const one = (amount: bigint, x: number, name: string): Html | false =>
    amount > 0n &&
    html`<rect class="${name}" x="${x}" y="${height - tall(amount)}" width="${bar}" height="${tall(amount)}"/>`
  const line = (y: number): Html => html`<path class="line" d="M0 ${y}h${width}"/>`
  const money = (amount: bigint): string => show.money(amount, currency)
  const isMonth = (day: string): boolean => day.length === 7
  const long = (day: string): string => (isMonth(day) ? show.month(day) : show.date(day))
  const short = (day: string): string => (isMonth(day) ? day : show.shortDate(day))
  return html`<div class="plot"><div class="axis" aria-hidden="true">${[top, top / 2n, 0n].map(
    (at) => html`<span>${show.shortMoney(at, currency)}</span>`,
  )}</div>
<svg class="chart" viewBox="0 0 ${width} ${height}" preserveAspectRatio="none" role="img" aria-label="${label}">${[0, height / 2, height].map(line)}${days.map(
    (
      { day, came, went },
      i,
    ) => html`<g><title>${words.ofDay(long(day), money(came), money(went))}</title>
<rect class="touch" x="${i * step}" y="0" width="${step}" height="${height}"/>${one(came, i * step + 1, 'came')}${one(went, i * step + 1.5 + bar, 'went')}</g>`,
  )}</svg>
<div class="days" aria-hidden="true">${[0, Math.floor(days.length / 2), days.length - 1].map(
    (i) => html`<span>${short(days[i]?.day ?? '')}</span>`,
  )}</div></div>
<p class="key" aria-hidden="true"><span><i></i>${words.came}</span><span><i class="went"></i>${words.went}</span></p>`
}
