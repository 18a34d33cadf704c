/**
 * Reports: the statement of a month, as the API has it, with its files.
 */

import {
  type BankFormat,
  bankFormats,
  coveredDays,
} from '../../books/bank-statements/bank-statements.ts'
import { journalFormats } from '../../books/journals/journals.ts'
import { monthRange } from '../../books/statements/statements.ts'
import type { AnswerOf, OperationId } from '../../core/operations.ts'
import { dayOf, startOfMonth } from '../../lib/days.ts'
import { Refusal } from '../../lib/errors.ts'
import { type Html, html, type Part } from '../../lib/html.ts'
import { asCurrency } from '../../lib/money.ts'
import { compareFigures, cutNotice, figuresOf } from './figures.ts'
import { csvLinks, fileQuery } from './files.ts'
import type { BusinessPage, Visit } from './place.ts'
import { activityNames, periodReportPages, reportTabs } from './reports-of-period.ts'
import { labeled } from './tables.ts'
import { icons } from './view/icons.ts'
import { page } from './view/layout.ts'
import { notice } from './view/parts.ts'
import { en, wordOf } from './view/strings.ts'

const words = {
  title: en.reports,
  month: 'Month',
  show: 'Show',
  open: 'This month is not over: its last balance is that of now.',
  parts: { type: 'What moved', in: 'In', out: 'Out', fees: 'Fees' },
  opening: 'Opening balance',
  total: 'Total',
  closing: 'Closing balance',
  now: 'Balance now',
  none: 'Nothing moved.',
  movements: 'All transactions of the month',
  journal: 'Journal for bookkeeping:',
  bank: 'As a bank statement:',
  compared: 'Figures are compared with the month before.',
  comparedSoFar: 'Figures are compared with the same part of the month before.',
}

const mostMonths = 36

/** The months from one to another, the newest first. */
function monthsBetween(first: string, last: string): string[] {
  const count = (month: string): number =>
    Number(month.slice(0, 4)) * 12 + Number(month.slice(5)) - 1
  const from = Math.max(count(first), count(last) - mostMonths + 1)
  return Array.from({ length: Math.max(1, count(last) - from + 1) }, (_, i) => {
    const at = count(last) - i
    return `${Math.floor(at / 12)}-${String((at % 12) + 1).padStart(2, '0')}`
  })
}

const reportPage: BusinessPage = {
  method: 'GET',
  path: '/reports',
  async handler(visit) {
    const { show, request, api } = visit
    const monthOf = (time: Date): string => dayOf(time, show.timeZone).slice(0, 7)
    const now = monthOf(visit.ctx.scope.now)
    const month = request.query.month?.trim() || now
    const [business, statement] = await Promise.all([
      api.getBusiness(),
      api.getStatement({ params: { month } }).catch(asNotFound),
    ])
    const known = monthsBetween(monthOf(new Date(business.created_at)), now)
    if (statement instanceof Refusal)
      return answerOf(visit, known, now, notice('bad', statement.message), 404)
    const months = [...new Set([...known, month])].sort().reverse()
    return answerOf(visit, months, month, await statementOf(visit, statement, business), 200)
  },
}

/** Returns that a month has no statement. @throws {unknown} any other error */
function asNotFound(error: unknown): Refusal {
  if (error instanceof Refusal && error.status === 404) return error
  throw error
}

function answerOf(visit: Visit, months: string[], month: string, content: Html, status: number) {
  const choice = html`<form class="filters" method="get" action="${visit.base}/reports"><div class="field"><label for="f-month">${words.month}</label>
<div class="find"><select id="f-month" name="month">${months.map(
    (one) =>
      html`<option value="${one}"${one === month && html` selected`}>${visit.show.month(one)}</option>`,
  )}</select><button class="second">${words.show}</button></div></div></form>`
  const main = html`<div class="head"><div><h1>${words.title}</h1></div></div>${reportTabs(visit)}${choice}${content}`
  return { html: page(visit, { title: words.title, main }), status }
}

type Statement = AnswerOf<'getStatement'>
type Wallet = Statement['wallets'][number]
type Sums = Pick<Wallet, 'in' | 'out' | 'fees'>

/** The month up to now, and the same stretch of the month before. */
function spansOf({ ctx, show }: Visit, { month, complete, from, to }: Statement) {
  const begins = new Date(from)
  const ends = complete ? new Date(to) : ctx.scope.now
  const began = startOfMonth(month, show.timeZone, -1)
  const passed = began.getTime() + ends.getTime() - begins.getTime()
  const ended = complete ? begins : new Date(Math.min(begins.getTime(), passed))
  return { now: { from: begins, to: ends }, before: { from: began, to: ended } }
}

async function statementOf(
  visit: Visit,
  statement: Statement,
  business: AnswerOf<'getBusiness'>,
): Promise<Html> {
  const { month, complete, from, to, wallets } = statement
  const { base, show } = visit
  const comparison = await compareFigures(visit, spansOf(visit, statement))
  const at = `${base}/reports/${month}`
  const lastDay = dayOf(new Date(Date.parse(to) - 1), show.timeZone)
  const movements = `${base}/transactions?completed_from=${dayOf(new Date(from), show.timeZone)}&completed_to=${lastDay}`
  const range = { from: dayOf(new Date(from), show.timeZone), to: lastDay }
  const hasDays = coveredIn(visit, business, { from: new Date(from), to: new Date(to) }) !== null
  const figuresIn = (currency: Wallet['currency']): Part => {
    const compared = comparison.wallets.get(currency)
    return compared && figuresOf(visit, currency, compared, range)
  }
  return html`<div class="head"><h2>${show.month(month)}</h2><div class="buttons">
${csvLinks(`${at}/csv`)}<a class="button second" href="${at}/pdf">${icons.file} PDF</a></div></div>
${!complete && notice('info', words.open)}
${wallets.map((wallet) => walletOf(visit, wallet, { complete, figures: figuresIn(wallet.currency), files: hasDays && bankLinks(at, wallet.currency) }))}
${cutNotice(comparison, visit)}<p class="dim">${complete ? words.compared : words.comparedSoFar}</p>
<p><a href="${movements}">${words.movements}</a></p>
<p>${words.journal} ${journalFormats.map((one, i) => html`${i > 0 && ' · '}<a href="${at}/journal?format=${one}">${journalNames[one]}</a>`)}</p>`
}

type Around = { complete: boolean; figures: Part; files: Part }

function walletOf({ show }: Visit, wallet: Wallet, { complete, figures, files }: Around): Html {
  const { currency, opening, closing, activity } = wallet
  const money = (amount: number): string => show.money(amount, currency)
  const held = (name: string, amount: number): Html =>
    html`<div><dt>${name}</dt><dd>${money(amount)}</dd></div>`
  const row = (name: Part, sums: Sums): Html =>
    html`<tr><th scope="row">${name}</th>${(['in', 'out', 'fees'] as const).map((one) => labeled(words.parts[one], money(sums[one])))}</tr>`
  const { type, ...sums } = words.parts
  return html`<section class="sheet"><h2>${wordOf(currency)}</h2>
${figures}
<dl class="facts ends">${held(words.opening, opening)}</dl>
${
  activity.length > 0
    ? html`<div class="scroll stack" tabindex="0"><table><thead><tr><th scope="col">${type}</th>${Object.values(
        sums,
      ).map(
        (name) => html`<th scope="col" class="right">${name}</th>`,
      )}</tr></thead><tbody>${activity.map((one) => row(activityNames[one.type] ?? wordOf(one.type), one))}</tbody>
<tfoot>${row(words.total, wallet)}</tfoot></table></div>`
    : html`<p class="dim">${words.none}</p>`
}
<dl class="facts ends">${held(complete ? words.closing : words.now, closing)}</dl>
${files}</section>`
}

const bankNames: Record<BankFormat, string> = {
  'camt.053.001.08': 'camt.053 (ISO 20022)',
  'camt.053.001.02': 'camt.053, version of 2009',
  mt940: 'MT940 (SWIFT)',
}

/** The days of a month that bank statements can cover; null: there is none. */
function coveredIn(
  { show, ctx }: Visit,
  business: AnswerOf<'getBusiness'>,
  { from, to }: { from: Date; to: Date },
) {
  const covered = coveredDays(new Date(business.created_at), ctx.scope.now, show.timeZone)
  const first = dayOf(from, show.timeZone)
  const last = dayOf(new Date(to.getTime() - 1), show.timeZone)
  const days = {
    from: first < covered.first ? covered.first : first,
    to: last < covered.last ? last : covered.last,
  }
  return days.from > days.to ? null : days
}

/** The links to the files of a wallet. */
const bankLinks = (at: string, currency: string): Html =>
  html`<p>${words.bank} ${bankFormats.map((one, i) => html`${i > 0 && ' · '}<a href="${at}/bank?currency=${currency}&amp;format=${one}">${bankNames[one]}</a>`)}</p>`

/** A statement as a file. */
const fileOf = (
  format: 'csv' | 'pdf',
  operation: OperationId,
  contentType: string,
): BusinessPage => ({
  method: 'GET',
  path: `/reports/{month}/${format}`,
  async handler({ file, request }) {
    const { month } = request.params
    const query = format === 'csv' ? fileQuery(request.query) : {}
    const content = await file(operation, { params: { month }, query })
    return { file: content, contentType, name: `statement-${month}.${format}` }
  },
})

const journalNames = { hledger: 'hledger', ledger: 'Ledger', beancount: 'Beancount' } as const

/** The journal of a month. */
const journalPage: BusinessPage = {
  method: 'GET',
  path: '/reports/{month}/journal',
  async handler({ ctx, file, request, show }) {
    const { month = '' } = request.params
    const format = journalFormats.find((one) => one === request.query.format) ?? 'hledger'
    const { from, to } = monthRange(month, show.timeZone, ctx.scope.now)
    const query = { format, from: from.toISOString(), to: to.toISOString() }
    const content = await file('exportJournal', { query })
    const name = `journal-${month}.${format}`
    return { file: content, contentType: 'text/plain; charset=utf-8', name }
  },
}

/** The statement of a wallet's month as a bank would write it. */
const bankPage: BusinessPage = {
  method: 'GET',
  path: '/reports/{month}/bank',
  async handler(visit) {
    const { api, ctx, file, request, show } = visit
    const { month = '' } = request.params
    const format = bankFormats.find((one) => one === request.query.format) ?? 'camt.053.001.08'
    const currency = asCurrency(request.query.currency) ?? 'ngn'
    const range = monthRange(month, show.timeZone, ctx.scope.now)
    const days = coveredIn(visit, await api.getBusiness(), range) ?? {}
    const content = await file('exportStatement', { query: { currency, format, ...days } })
    const [ending, contentType] =
      format === 'mt940' ? ['sta', 'text/plain; charset=utf-8'] : ['xml', 'text/xml; charset=utf-8']
    return { file: content, contentType, name: `statement-${currency}-${month}.${ending}` }
  },
}

export const reportPages: BusinessPage[] = [
  reportPage,
  journalPage,
  bankPage,
  ...periodReportPages,
  fileOf('csv', 'getStatementCsv', 'text/csv; charset=utf-8'),
  fileOf('pdf', 'getStatementPdf', 'application/pdf'),
]
