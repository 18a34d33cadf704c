/**
 * Pictures of numbers, drawn here without a library: its axes are texts of the page, so they can be
 * read at every width. Each stands beside a table that says the same.
 */
import { dayAfter, daysBetween } from '../../../lib/days.ts'
import { type Html, html } from '../../../lib/html.ts'
import type { Show } from '../show.ts'
import { en } from './strings.ts'

/** The bars of a day, or of another step: one for each series. */
export type Step = { short: string; long: string; title: string; values: readonly bigint[] }
export type Series = { kind: 'came' | 'went' | 'failed'; title: string }

/** In pixels: what bars have, and what stands below them. */
const height = 152
const below = 24
/** Steps with a label, at most. A phone shows every second one. */
const mostLabels = 8
const gridLines = 4n

/** Returns the least of 1, 2 or 5 with noughts that is not below. */
function niceStep(least: bigint): bigint {
  for (let power = 1n; ; power *= 10n)
    for (const step of [power, 2n * power, 5n * power]) if (step >= least) return step
}

/** Returns the values of the grid's lines, from 0 to one that no bar exceeds. */
export function gridOf(most: bigint, unit: bigint): bigint[] {
  const step = niceStep((most > gridLines * unit ? most : gridLines * unit) / gridLines)
  const lines = most <= step ? 1n : (most + step - 1n) / step
  return Array.from({ length: Number(lines) + 1 }, (_, i) => BigInt(i) * step)
}

/**
 * Draws bars by step, beside each other, with a labelled grid.
 * @param of `unit`: the least distance of grid lines; `axis`: shows their values
 */
export function barChart(of: {
  label: string
  steps: readonly Step[]
  series: readonly Series[]
  unit: bigint
  axis(value: bigint): string
}): Html {
  const { label, steps, series, unit, axis } = of
  const most = steps.flatMap(({ values }) => values).reduce((a, b) => (b > a ? b : a), 0n)
  const grid = gridOf(most, unit)
  const top = grid.at(-1) as bigint
  const tall = (value: bigint): number =>
    Math.max(1, Math.round(Number((value * 100n * BigInt(height)) / top) / 10) / 10)
  const slot = 100 / steps.length
  const width = (slot * 0.8) / series.length
  const bar = (value: bigint, step: number, place: number): Html | false =>
    value > 0n &&
    html`<rect class="${series[place]?.kind}" x="${percent(step * slot + slot * 0.1 + place * width)}" y="${height - tall(value)}" width="${percent(width)}" height="${tall(value)}"/>`
  const line = (value: bigint): Html => {
    const y = height - Number((value * BigInt(height)) / top)
    return html`<line x2="100%" y1="${y}" y2="${y}"/>`
  }
  return html`<div class="plot"><div class="axis" aria-hidden="true">${grid
    .toReversed()
    .map((value) => html`<span>${axis(value)}</span>`)}</div>
<svg class="chart" height="${height + below}" role="img" aria-label="${label}">${grid.map(line)}${steps.map(
    ({ title, values }, i) =>
      values.some((value) => value > 0n) &&
      html`<g><title>${title}</title>${values.map((value, place) => bar(value, i, place))}</g>`,
  )}${labelsOf(steps, slot)}</svg></div>
${series.length > 1 && html`<p class="key" aria-hidden="true">${series.map(({ kind, title }) => html`<span><i class="${kind}"></i>${title}</span>`)}</p>`}`
}

const percent = (part: number): string => `${Math.round(part * 100) / 100}%`

/** Every so many steps one has a label, counted from the last. */
function labelsOf(steps: readonly Step[], slot: number): Html[] {
  const every = Math.ceil(steps.length / mostLabels)
  return steps.flatMap(({ short }, i) => {
    const fromEnd = steps.length - 1 - i
    if (fromEnd % every !== 0) return []
    const isNarrow = slot < 12
    const [x, anchor] =
      isNarrow && fromEnd === 0
        ? [100, 'end']
        : isNarrow && i === 0
          ? [0, 'start']
          : [i * slot + slot / 2, 'middle']
    const isWide = (fromEnd / every) % 2 === 1
    return html`<text${isWide && html` class="wide"`} x="${percent(x as number)}" y="${height + below - 6}" text-anchor="${anchor as string}">${short}</text>`
  })
}

/** The same as a table, folded. */
export function barTable(of: {
  first: string
  steps: readonly Step[]
  series: readonly Series[]
  shown(value: bigint): string
}): Html {
  const { first, steps, series, shown } = of
  return html`<details><summary>${en.moved.table}</summary><div class="scroll" tabindex="0"><table><thead><tr><th scope="col">${first}</th>${series.map(
    ({ title }) => html`<th scope="col" class="right">${title}</th>`,
  )}</tr></thead><tbody>${steps
    .toReversed()
    .map(
      ({ long, values }) =>
        html`<tr><th scope="row">${long}</th>${values.map((value) => html`<td class="right">${shown(value)}</td>`)}</tr>`,
    )}</tbody></table></div></details>`
}

/** More bars would be too narrow to be told apart: then each is of a month. */
const mostBars = 92

/** Returns every day of a period, or every month of it. */
export function daysOrMonths(from: string, to: string, by: 'day' | 'month'): string[] {
  const days = Array.from({ length: daysBetween(from, to) + 1 }, (_, i) => dayAfter(from, i))
  const length = by === 'month' || days.length > mostBars ? 7 : 10
  return [...new Set(days.map((day) => day.slice(0, length)))]
}

/** `day` may be a month, such as 2026-11. */
export type Bars = { day: string; came: bigint; went: bigint }

/** What the two bars are called. */
type Words = { came: string; went: string; ofDay(day: string, came: string, went: string): string }

const isMonth = (day: string): boolean => day.length === 7
export const longDay = (show: Show, day: string): string =>
  isMonth(day) ? show.month(day) : show.date(day)
export const shortDay = (show: Show, day: string): string =>
  isMonth(day) ? day : show.shortDate(day)

/** Two bars of money for each day or month. */
export function barsByDay(
  days: readonly Bars[],
  currency: string,
  label: string,
  show: Show,
  words: Words = en.moved,
): Html {
  const money = (amount: bigint): string => show.money(amount, currency)
  return barChart({
    label,
    unit: 100n,
    axis: (value) => show.shortMoney(value, currency),
    series: [
      { kind: 'came', title: words.came },
      { kind: 'went', title: words.went },
    ],
    steps: days.map(({ day, came, went }) => ({
      short: shortDay(show, day),
      long: longDay(show, day),
      title: words.ofDay(longDay(show, day), money(came), money(went)),
      values: [came, went],
    })),
  })
}
