/**
 * Reports of any period: fees, payouts, and what came from payers, as the API has them, with their
 * files.
 */
import type { OperationId } from '../../core/operations.ts'
import { dayOf } from '../../lib/days.ts'
import { Refusal } from '../../lib/errors.ts'
import { type Html, html, type Part } from '../../lib/html.ts'
import { csvLinks, fileQuery } from './files.ts'
import type { BusinessPage, Visit } from './place.ts'
import { labeled } from './tables.ts'
import { barChart, daysOrMonths, longDay, shortDay } from './view/charts.ts'
import { page } from './view/layout.ts'
import { badge, field, notice } from './view/parts.ts'
import { en, wordOf } from './view/strings.ts'

const words = {
  tabs: {
    '': 'Statement of a month',
    '/fees': 'Fees',
    '/payouts': 'Payouts',
    '/settlements': 'Settlements',
  },
  from: 'From',
  to: 'To, that day included',
  by: 'By',
  steps: { day: 'Day', month: 'Month' },
  show: 'Show',
  total: 'Total',
  nothing: 'Nothing in this period.',
  cut: (count: string) =>
    `Only the first ${count} lines are shown. The total is of all of them, and the file has them all.`,
  count: 'Number',
  type: 'Charged for',
  method: 'Method',
  fees: 'Fees',
  gross: 'Paid',
  net: 'To the wallet',
  status: 'Status',
  reason: 'Why',
  amount: 'Amount',
  fee: 'Fee charged',
  sent: 'Sent',
  payout: 'Payout',
  priced: 'Fee',
  netAmount: 'After the fee',
  newest: 'The newest of them',
  made: 'Made',
  about: {
    fees: 'Fees count to the day on which they were taken. Their sum is that of the statements.',
    payouts:
      'Payouts that were made in this period, as they stand now. What did not complete cost nothing.',
    settlements:
      'What payers paid, the fees that were kept of it, and what reached the wallet, by the day on which it came.',
  },
}

/** What activities are called. */
export const activityNames: Readonly<Record<string, string>> = {
  deposit: 'Deposits and payments',
  payout: 'Payouts',
  refund: 'Refunds',
  dispute: 'Disputes',
  conversion: 'Conversions',
  share: 'Shares of others',
  simulated_fund: 'Test money',
}

/** The reports there are, as links. */
export const reportTabs = ({ base, path }: Visit): Html =>
  html`<nav class="tabs" aria-label="${en.reports}">${Object.entries(words.tabs).map(
    ([at, name]) => {
      const href = `${base}/reports${at}`
      return html`<a href="${href}"${path === href && html` aria-current="page"`}>${name}</a>`
    },
  )}</nav>`

/** The columns that a report can add up. */
type Sum = 'fees' | 'amount' | 'fee' | 'net_amount' | 'gross' | 'net'
/** A line, or the total, of any of the reports. */
type Line = Partial<Record<Sum, number>> & {
  currency: string
  count?: number
  period?: string
  type?: string
  method?: string
  status?: string
  failure_reason?: string | null
}
type Answer = { from: string; to: string; totals: Line[]; lines: Line[] }
type Range = { from: string; to: string }

type Chart = { sum: Sum; series: string }
type Column = { title: string; right?: true; value(line: Line, visit: Visit): Part }
type Report = {
  name: 'fees' | 'payouts' | 'settlements'
  /** Whether it has lines by day or month. */
  steps: boolean
  read(visit: Visit, query: Range & { by: 'day' | 'month' }): Promise<Answer>
  /** Where its file is, below the pages of the business. */
  file: string
  columns: readonly Column[]
  /** What its chart shows by day or month. */
  chart?: Chart
  /** What stands below its sums. */
  below?(visit: Visit, query: Range): Promise<Part>
  /** By what its sums are shown once more. */
  groups: readonly { title: string; of(line: Line): string; sums: readonly Sum[] }[]
}

const money = (title: string, name: Sum): Column => ({
  title,
  right: true,
  value: (line, { show }) => show.money(line[name] ?? 0, line.currency),
})
const count: Column = {
  title: words.count,
  right: true,
  value: ({ count = 0 }, { show }) => show.number(count),
}
const period: Column = {
  title: words.steps.day,
  value: ({ period = '' }, { show }) =>
    period.length === 7 ? show.month(period) : show.date(period),
}
const methodName = ({ method = '' }: Line): string => wordOf(method)
const method: Column = { title: words.method, value: methodName }
const typeName = ({ type = '' }: Line): string => activityNames[type] ?? wordOf(type)

const reports: readonly Report[] = [
  {
    name: 'fees',
    read: ({ api }, query) => api.getFeesReport({ query }),
    steps: true,
    file: 'reports/fees/csv',
    chart: { sum: 'fees', series: words.fees },
    columns: [
      period,
      { title: words.type, value: typeName },
      method,
      count,
      money(words.fees, 'fees'),
    ],
    groups: [
      { title: words.type, of: typeName, sums: ['fees'] },
      { title: words.method, of: methodName, sums: ['fees'] },
    ],
  },
  {
    name: 'payouts',
    read: ({ api }, { from, to }) => api.getPayoutReport({ query: { from, to } }),
    steps: false,
    file: 'payouts/-/export',
    columns: [
      { title: words.status, value: ({ status = '' }) => badge(status) },
      {
        title: words.reason,
        value: ({ failure_reason: reason = null }) => (reason === null ? en.none : wordOf(reason)),
      },
      method,
      count,
      money(words.amount, 'amount'),
      money(words.fee, 'fee'),
      money(words.sent, 'net_amount'),
    ],
    groups: [],
    below: payoutsOf,
  },
  {
    name: 'settlements',
    read: ({ api }, query) => api.getSettlementReport({ query }),
    steps: true,
    file: 'reports/settlements/csv',
    chart: { sum: 'gross', series: words.gross },
    columns: [
      period,
      method,
      count,
      money(words.gross, 'gross'),
      money(words.fees, 'fees'),
      money(words.net, 'net'),
    ],
    groups: [{ title: words.method, of: methodName, sums: ['gross', 'fees', 'net'] }],
  },
]

const most = 25
/** Of a wallet, on a page. */
const mostLines = 150

/** The payouts themselves, the newest of them. */
async function payoutsOf({ api, base, show }: Visit, query: Range): Promise<Part> {
  const { docs, totalDocs } = await api.listPayouts({
    query: { ...query, limit: most },
  })
  if (docs.length === 0) return null
  const rows = docs.map(
    (
      payout,
    ) => html`<tr><th scope="row"><a href="${base}/payouts/${payout.reference}">${payout.reference}</a></th>
${labeled(words.made, show.time(payout.created_at), false)}${labeled(words.status, badge(payout.status), false)}${labeled(words.reason, payout.failure_reason === null ? en.none : wordOf(payout.failure_reason), false)}
${labeled(words.amount, show.money(payout.amount, payout.currency))}${labeled(words.priced, show.money(payout.fee, payout.currency))}${labeled(words.netAmount, show.money(payout.net_amount, payout.currency))}</tr>`,
  )
  const titles = [words.payout, words.made, words.status, words.reason]
  const amounts = [words.amount, words.priced, words.netAmount]
  return html`<section class="sheet"><h2>${words.newest}</h2><div class="scroll stack" tabindex="0"><table><thead><tr>${titles.map(
    (title) => html`<th scope="col">${title}</th>`,
  )}${amounts.map((title) => html`<th scope="col" class="right">${title}</th>`)}</tr></thead><tbody>${rows}</tbody></table></div>
${totalDocs > docs.length && html`<p><a href="${base}/payouts?${new URLSearchParams(query).toString()}">${en.list.seeAll(`${show.number(totalDocs)} payouts`)}</a></p>`}</section>`
}

/** The days that are asked for: this month's, where none are. */
function periodOf({ ctx, request, show }: Visit) {
  const today = dayOf(ctx.scope.now, show.timeZone)
  const { from, to, by } = request.query
  return {
    from: from?.trim() || `${today.slice(0, 7)}-01`,
    to: to?.trim() || today,
    by: by === 'month' ? ('month' as const) : ('day' as const),
  }
}

const pageOf = (report: Report): BusinessPage => ({
  method: 'GET',
  path: `/reports/${report.name}`,
  async handler(visit) {
    const { from, to, by } = periodOf(visit)
    const range = { from, to }
    const query = report.steps ? { ...range, by } : range
    const answer = (content: Part, status = 200) => {
      const title = `${en.reports}: ${words.tabs[`/${report.name}`]}`
      const main = html`<div class="head"><div><h1>${en.reports}</h1></div></div>${reportTabs(visit)}${choiceOf(visit, report, { from, to, by })}${content}`
      return { html: page(visit, { title, main }), status }
    }
    try {
      const found = await report.read(visit, { ...range, by })
      const file = `${visit.base}/${report.file}?${new URLSearchParams(query)}`
      const wallets = found.totals.map((total) => ({
        total,
        lines: found.lines.filter(({ currency }) => currency === total.currency),
      }))
      const { show } = visit
      const first = dayOf(new Date(found.from), show.timeZone)
      const last = dayOf(new Date(Date.parse(found.to) - 1), show.timeZone)
      const steps = daysOrMonths(first, last, by)
      return answer(html`<div class="head"><h2>${show.date(first)} – ${show.date(last)}</h2><div class="buttons">${csvLinks(file)}</div></div><p class="dim">${words.about[report.name]}</p>
${wallets.map((wallet) => walletOf(visit, report, { ...wallet, steps }, by))}${report.below && (await report.below(visit, range))}`)
    } catch (error) {
      if (!(error instanceof Refusal) || error.code !== 'validation_failed') throw error
      const [issue] = Array.isArray(error.data) ? (error.data as { message: string }[]) : []
      return answer(notice('bad', issue?.message ?? error.message), 400)
    }
  },
})

function choiceOf(
  { base }: Visit,
  { name, steps }: Report,
  { from, to, by }: Record<string, string>,
): Html {
  const options = Object.entries(words.steps)
  return html`<form class="filters" method="get" action="${base}/reports/${name}"><div class="grid">
${field({ name: 'from', label: words.from, kind: 'date' }, from, null, true)}${field({ name: 'to', label: words.to, kind: 'date' }, to, null, true)}
${steps && field({ name: 'by', label: words.by, kind: 'select', options }, by, null, true)}
<div class="buttons"><button class="second">${words.show}</button></div></div></form>`
}

/** The sums of each day or month, as bars; the table below says the same. */
function chartOf(
  { show }: Visit,
  { sum, series }: Chart,
  { currency, lines, steps }: { currency: string; lines: Line[]; steps: readonly string[] },
): Html {
  const sums = new Map(steps.map((step) => [step, 0n]))
  for (const line of lines) {
    const { period = '' } = line
    const step = sums.has(period) ? period : period.slice(0, 7)
    sums.set(step, (sums.get(step) ?? 0n) + BigInt(line[sum] ?? 0))
  }
  const money = (amount: bigint): string => show.money(amount, currency)
  const all = [...sums.values()].reduce((total, one) => total + one, 0n)
  return barChart({
    label: `${wordOf(currency)}: ${series}, ${money(all)}`,
    unit: 100n,
    axis: (value) => show.shortMoney(value, currency),
    series: [{ kind: 'came', title: series }],
    steps: [...sums].map(([step, amount]) => ({
      short: shortDay(show, step),
      long: longDay(show, step),
      title: `${longDay(show, step)}: ${money(amount)}`,
      values: [amount],
    })),
  })
}

function walletOf(
  visit: Visit,
  { columns, groups, chart }: Report,
  { total, lines, steps }: { total: Line; lines: Line[]; steps: readonly string[] },
  by: string,
): Html {
  const { currency } = total
  if (lines.length === 0)
    return html`<section class="sheet"><h2>${wordOf(currency)}</h2><p class="dim">${words.nothing}</p></section>`
  const head = (titles: readonly Column[]) =>
    html`<thead><tr>${titles.map(
      ({ title, right }) =>
        html`<th scope="col"${right && html` class="right"`}>${title === words.steps.day && by === 'month' ? words.steps.month : title}</th>`,
    )}</tr></thead>`
  const cells = (line: Line) =>
    columns.map(({ title, right, value }, i) =>
      i === 0
        ? html`<th scope="row">${value(line, visit)}</th>`
        : labeled(title, value(line, visit), right === true),
    )
  const firstSum = columns.findIndex(({ right }) => right)
  const all = { ...total, count: lines.reduce((sum, line) => sum + (line.count ?? 0), 0) }
  const sums = columns.slice(firstSum).map(({ title, value }) => labeled(title, value(all, visit)))
  return html`<section class="sheet"><h2>${wordOf(currency)}</h2>
${chart && chartOf(visit, chart, { currency, lines, steps })}
<div class="groups">${groups.map(({ title, of, sums: names }) => {
    const parts = sumsBy(lines, of, names, currency)
    const shown = columns.filter((column) =>
      names.some((name) => column.title === words[name as 'fees']),
    )
    return html`<div class="scroll stack" tabindex="0"><table>${head([{ title, value: () => '' }, ...shown])}<tbody>${parts.map(
      ([name, line]) =>
        html`<tr><th scope="row">${name}</th>${shown.map((one) => labeled(one.title, one.value(line, visit)))}</tr>`,
    )}</tbody></table></div>`
  })}</div>
<div class="scroll stack brief" tabindex="0"><table>${head(columns)}<tbody>${lines.slice(0, mostLines).map((line) => html`<tr>${cells(line)}</tr>`)}</tbody>
<tfoot><tr><th scope="row" colspan="${firstSum}">${words.total}</th>${sums}</tr></tfoot></table></div>
${lines.length > mostLines && html`<p class="dim">${words.cut(visit.show.number(mostLines))}</p>`}</section>`
}

/** Lines added up by what they are of. */
function sumsBy(
  lines: Line[],
  of: (line: Line) => string,
  names: readonly Sum[],
  currency: string,
): [string, Line][] {
  const sums = new Map<string, Line>()
  for (const line of lines) {
    const sum: Line = sums.get(of(line)) ?? { currency }
    for (const name of names) sum[name] = (sum[name] ?? 0) + (line[name] ?? 0)
    sums.set(of(line), sum)
  }
  return [...sums]
}

/** A report as a file. */
const fileOf = (name: string, operation: OperationId): BusinessPage => ({
  method: 'GET',
  path: `/reports/${name}/csv`,
  async handler(visit) {
    const { from, to, by } = periodOf(visit)
    const file = await visit.file(operation, {
      query: { from, to, by, ...fileQuery(visit.request.query) },
    })
    return { file, contentType: 'text/csv; charset=utf-8', name: `${name}-${from}-${to}.csv` }
  },
})

export const periodReportPages: BusinessPage[] = [
  ...reports.map(pageOf),
  fileOf('fees', 'getFeesReportCsv'),
  fileOf('settlements', 'getSettlementReportCsv'),
]
