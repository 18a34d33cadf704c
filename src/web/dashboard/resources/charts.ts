/**
 * The charts above lists: what payers paid, and which deliveries failed, in the last 30 days.
 */

import { dayAfter, dayOf } from '../../../lib/days.ts'
import { type Html, html, type Part } from '../../../lib/html.ts'
import { deliveriesByDay } from '../../../platform/webhooks/webhooks.ts'
import type { Visit } from '../place.ts'
import { barChart, barTable, daysOrMonths, longDay, type Series, shortDay } from '../view/charts.ts'
import { en, wordOf } from '../view/strings.ts'

const dayCount = 30
const words = {
  paid: 'Paid by payers, last 30 days',
  noneInPeriod: 'nothing',
  series: 'Paid',
  deliveries: 'Deliveries, last 30 days',
  delivered: 'Delivered',
  failed: 'Failed',
  utc: 'Days are in UTC.',
}

const lastDays = (today: string): string[] =>
  daysOrMonths(dayAfter(today, 1 - dayCount), today, 'day')

type Chart = {
  name: string
  days: readonly string[]
  series: readonly Series[]
  unit: bigint
  values(day: string): bigint[]
  axis(value: bigint): string
  shown(value: bigint): string
}

function chartOf({ show }: Visit, of: Chart): Html {
  const { name, days, series, unit, values, axis, shown } = of
  const steps = days.map((day) => {
    const bars = values(day)
    const said = bars.map((value, i) => `${shown(value)} ${series[i]?.title.toLowerCase()}`)
    return {
      short: shortDay(show, day),
      long: longDay(show, day),
      title: `${longDay(show, day)}: ${said.join(', ')}`,
      values: bars,
    }
  })
  const total = (place: number): bigint =>
    steps.reduce((sum, step) => sum + (step.values[place] ?? 0n), 0n)
  const sums = series.map(({ title }, i) => `${shown(total(i))} ${title.toLowerCase()}`)
  return html`${barChart({ label: `${name}: ${sums.join(', ')}`, steps, series, unit, axis })}
${barTable({ first: en.moved.day, steps, series, shown })}`
}

/**
 * What payers paid by day of the business's time zone, folded under its sums: the list is what a
 * visitor comes for.
 */
export async function paidChart(visit: Visit): Promise<Part> {
  const { api, ctx, show } = visit
  const days = lastDays(dayOf(ctx.scope.now, show.timeZone))
  const [from = '', to = ''] = [days[0], days.at(-1)]
  const { totals, lines } = await api.getSettlementReport({ query: { from, to, by: 'day' } })
  const wallets = totals.filter(({ gross }) => gross > 0)
  if (wallets.length === 0) return null
  const sums = wallets.map(({ currency, gross }) => show.money(gross, currency)).join(' · ')
  return html`<details class="sheet fold"><summary><h2>${words.paid}</h2> <strong>${sums}</strong></summary>${wallets.map(
    ({ currency }) => {
      const paid = new Map<string, bigint>()
      for (const line of lines)
        if (line.currency === currency)
          paid.set(line.period, (paid.get(line.period) ?? 0n) + BigInt(line.gross))
      return html`<h3>${wordOf(currency)}</h3>${chartOf(visit, {
        name: `${words.paid}, ${wordOf(currency)}`,
        days,
        series: [{ kind: 'came', title: words.series }],
        unit: 100n,
        values: (day) => [paid.get(day) ?? 0n],
        axis: (value) => show.shortMoney(value, currency),
        shown: (value) => show.money(value, currency),
      })}`
    },
  )}</details>`
}

/** Deliveries by day, delivered and failed. */
export async function deliveriesChart(visit: Visit): Promise<Part> {
  const { ctx, show } = visit
  const days = lastDays(dayOf(ctx.scope.now, 'UTC'))
  const counts = new Map(
    (await deliveriesByDay(ctx, days[0] ?? '')).map(({ day, status, count }) => [
      `${day} ${status}`,
      count,
    ]),
  )
  if (counts.size === 0) return null
  const shown = (value: bigint): string => show.number(Number(value))
  return html`<section class="sheet"><h2>${words.deliveries}</h2>${chartOf(visit, {
    name: words.deliveries,
    days,
    series: [
      { kind: 'came', title: words.delivered },
      { kind: 'failed', title: words.failed },
    ],
    unit: 1n,
    values: (day) => ['succeeded', 'failed'].map((status) => counts.get(`${day} ${status}`) ?? 0n),
    axis: shown,
    shown,
  })}<p class="dim">${words.utc}</p></section>`
}
