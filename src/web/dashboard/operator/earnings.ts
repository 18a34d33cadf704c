/**
 * What the operator earns: the fees of all businesses, less what providers kept, as `GET
 * /operator/earnings` has it.
 */
import type { AnswerOf } from '../../../core/operations.ts'
import { dayOf } from '../../../lib/days.ts'
import { Refusal } from '../../../lib/errors.ts'
import { type Html, html } from '../../../lib/html.ts'
import { csvLinks, fileQuery } from '../files.ts'
import type { BusinessPage, Visit } from '../place.ts'
import { type Bars, barsByDay, daysOrMonths } from '../view/charts.ts'
import { page } from '../view/layout.ts'
import { badge, code, field, notice } from '../view/parts.ts'
import { wordOf } from '../view/strings.ts'

const title = 'Earnings'
const path = '/earnings'
const zone = 'UTC'
/** A picture has no more bars than that, and a table no more lines. */
const _mostBars = 100
const mostLines = 150

const words = {
  came: 'Fees',
  went: 'Kept by providers',
  ofDay: (day: string, fees: string, kept: string) =>
    `${day}: ${fees} in fees, ${kept} kept by providers`,
}

type Earnings = AnswerOf<'getEarnings'>
type Line = Earnings['lines'][number]
type Sums = Pick<Line, 'fees' | 'provider_fees' | 'earned'>
type Query = { from: string; to: string; by: 'day' | 'month'; mode: 'test' | 'live' }

/** What is asked for: the live mode of this month by day, where nothing is. */
function queryOf({ ctx, request }: Visit): Query {
  const today = dayOf(ctx.scope.now, zone)
  const { from, to, by, mode } = request.query
  return {
    from: from?.trim() || `${today.slice(0, 7)}-01`,
    to: to?.trim() || today,
    by: by === 'month' ? 'month' : 'day',
    mode: mode === 'test' ? 'test' : 'live',
  }
}

function choiceOf({ base }: Visit, { from, to, by, mode }: Query): Html {
  const steps = [
    ['day', 'Day'],
    ['month', 'Month'],
  ] as const
  const modes = [
    ['live', 'Live'],
    ['test', 'Test'],
  ] as const
  return html`<form class="filters" method="get" action="${base}${path}"><div class="grid">
${field({ name: 'from', label: 'From', kind: 'date' }, from, null, true)}${field({ name: 'to', label: 'To, that day included', kind: 'date' }, to, null, true)}
${field({ name: 'by', label: 'By', kind: 'select', required: true, options: steps }, by, null, true)}${field({ name: 'mode', label: 'Mode', kind: 'select', required: true, options: modes }, mode, null, true)}
<div class="buttons"><button class="second">Show</button></div></div></form>`
}

/** The last day of the period. */
const lastOf = ({ to }: { to: string }): string => dayOf(new Date(Date.parse(to) - 1), zone)

/**
 * Every day of the period, those on which nothing was earned too; months where days would be too
 * many.
 */
function barsOf(lines: readonly Line[], found: Earnings, by: Query['by']): Bars[] {
  const steps = daysOrMonths(dayOf(new Date(found.from), zone), lastOf(found), by)
  const bars = new Map(steps.map((step) => [step, { came: 0n, went: 0n }]))
  for (const { period, fees, provider_fees } of lines) {
    const bar = bars.get(period) ?? bars.get(period.slice(0, 7))
    if (!bar) continue
    bar.came += BigInt(fees)
    bar.went += BigInt(provider_fees)
  }
  return [...bars].map(([day, bar]) => ({ day, ...bar }))
}

function sectionOf(
  visit: Visit,
  found: Earnings,
  total: Earnings['totals'][number],
  query: Query,
): Html {
  const { show, base } = visit
  const { currency } = total
  const of = <Item extends { currency: string }>(list: Item[]): Item[] =>
    list.filter((one) => one.currency === currency)
  const lines = of(found.lines)
  const businesses = of(found.businesses)
  const money = (amount: number): string => show.money(amount, currency)
  const cells = ({ fees, provider_fees, earned }: Sums): Html =>
    html`${[fees, provider_fees, earned].map((amount) => html`<td class="right">${money(amount)}</td>`)}`
  const table = (first: string, rows: Html[], foot: Html | false): Html =>
    html`<div class="scroll" tabindex="0" role="group" aria-label="${first}"><table><thead><tr><th scope="col">${first}</th>${[words.came, words.went, 'Earned'].map((one) => html`<th scope="col" class="right">${one}</th>`)}</tr></thead><tbody>${rows}</tbody>${foot}</table></div>`
  const name = wordOf(currency)
  const label = `${name}: ${money(total.fees)} in fees, ${money(total.provider_fees)} kept by providers, ${money(total.earned)} earned in all.`
  const period = (text: string): string => (text.length === 7 ? show.month(text) : show.date(text))
  return html`<section class="sheet"><h2>${name}: ${money(total.earned)} earned</h2>
${barsByDay(barsOf(lines, found, query.by), currency, label, show, words)}
${table(
  query.by === 'month' ? 'Month' : 'Day',
  lines
    .slice(0, mostLines)
    .map((line) => html`<tr><th scope="row">${period(line.period)}</th>${cells(line)}</tr>`),
  html`<tfoot><tr><th scope="row">Total</th>${cells(total)}</tr></tfoot>`,
)}
${lines.length > mostLines && html`<p class="dim">Only the first ${show.number(mostLines)} lines are shown. The total is of all of them, and the file has them all.</p>`}
${table(
  'Business',
  businesses.map(
    (one) =>
      html`<tr><th scope="row">${one.business === null ? 'The installation itself' : html`<a href="${base}/businesses/${one.business}"><bdi>${one.name}</bdi></a>`}</th>${cells(one)}</tr>`,
  ),
  false,
)}</section>`
}

const earnings: BusinessPage = {
  method: 'GET',
  path,
  async handler(visit) {
    const query = queryOf(visit)
    const answer = (content: Html, status = 200) => {
      const main = html`<div class="head"><div><h1>${title}</h1><p class="hint">The fees that businesses paid, less what providers kept of them, by the day of UTC on which they were booked. What exchange rates bring is not part of it.</p></div></div>${choiceOf(visit, query)}${content}`
      return { html: page(visit, { title, main }), status }
    }
    try {
      const found = await visit.api.getEarnings({ query })
      const { show, base } = visit
      return answer(html`<div class="head"><h2>${show.date(dayOf(new Date(found.from), zone))} – ${show.date(lastOf(found))} ${badge(query.mode, 'dim')}</h2><div class="buttons">${csvLinks(`${base}${path}/csv?${new URLSearchParams(query).toString()}`)}</div></div>
${found.totals.length === 0 && html`<section class="sheet"><h2>Nothing was earned in this period.</h2><p class="dim">Fees are booked as ${code(query.mode)} payments and payouts complete.</p></section>`}
${found.totals.map((total) => sectionOf(visit, found, total, query))}
${found.more_businesses > 0 && html`<p class="dim">${show.number(found.more_businesses)} more businesses brought less; the file has them all.</p>`}`)
    } catch (error) {
      if (!(error instanceof Refusal) || error.code !== 'validation_failed') throw error
      const [issue] = Array.isArray(error.data) ? (error.data as { message: string }[]) : []
      return answer(html`${notice('bad', issue?.message ?? error.message)}`, 400)
    }
  },
}

const file: BusinessPage = {
  method: 'GET',
  path: `${path}/csv`,
  async handler(visit) {
    const query = queryOf(visit)
    const content = await visit.file('getEarningsCsv', {
      query: { ...query, ...fileQuery(visit.request.query) },
    })
    return {
      file: content,
      contentType: 'text/csv; charset=utf-8',
      name: `earnings-${query.from}-${query.to}.csv`,
    }
  },
}

export const earningsPages: readonly BusinessPage[] = [earnings, file]
