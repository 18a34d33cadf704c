/**
 * Batches of payouts: a file is read, checked as a draft that names each bad line, confirmed, and
 * looked at while it is made.
 */
import type { AnswerOf, BodyOf } from '../../../core/operations.ts'
import { CsvFault, type CsvRow, readCsv } from '../../../lib/csv.ts'
import { dayOf } from '../../../lib/days.ts'
import { refuseInput } from '../../../lib/errors.ts'
import { html, type Part } from '../../../lib/html.ts'
import { asCurrency, type Currency } from '../../../lib/money.ts'
import { randomText } from '../../../lib/secrets.ts'
import { unshowable } from '../../../lib/text.ts'
import { columnSign, moneyFault, readMoney } from '../../../lib/typed-money.ts'
import { findUndone } from '../../../paying-out/batches/batches.ts'
import { linkTo } from '../related.ts'
import type { Action, NoRecord, Resource, Section, Seen } from '../resource.ts'
import { cells, labeled } from '../tables.ts'
import { badge } from '../view/parts.ts'
import { en, many, wordOf } from '../view/strings.ts'
import { whyNot } from './payouts.ts'

type PayoutBatch = AnswerOf<'getPayoutBatch'>
type Line = BodyOf<'createPayoutBatch'>['lines'][number]
type BatchForm = {
  currency: BodyOf<'createPayoutBatch'>['currency']
  csv: string
  reference: string
  description?: string
}

const own = ['reference', 'amount', 'beneficiary', 'description'] as const
const ofDestination = [
  'bank_code',
  'account_number',
  'account_name',
  'country',
  'routing_number',
  'account_type',
  'currency',
  'chain',
  'address',
] as const
const columns: readonly string[] = [...own, ...ofDestination]

const wrong = (message: string): never => refuseInput([{ path: 'csv', message, location: 'body' }])

/**
 * The amounts of a file's column in minor units; null for one that is none. All are read by one
 * decimal sign.
 * @throws {Refusal} `validation_failed` when an amount has two readings, or two amounts have
 * another sign each
 */
function amountsOf(
  rows: readonly CsvRow[],
  locale: string,
  currency: Currency | undefined,
): (number | null)[] {
  const texts = rows.map(({ cells }) => cells.amount ?? '')
  const sign = columnSign(texts, locale, currency)
  if (sign !== null && typeof sign === 'object') {
    const [comma, point] = sign.lines.map((at) => rows[at]?.line)
    return wrong(
      `The amounts have a comma before their decimals in line ${comma}, and a point in line ${point}. Write all of them in one way.`,
    )
  }
  return rows.map(({ line }, at) => {
    const text = texts[at] as string
    const read = readMoney(text, locale, currency, sign)
    if (read.amount !== null) return Number(read.amount)
    return read.readings
      ? wrong(`Line ${line}, column amount: ${moneyFault(text, read, locale)}`)
      : null
  })
}

/**
 * The lines of a file as the API takes them. An amount that is none stays as it is, for the API to
 * name its line.
 */
function linesOf(text: string, locale: string, currency: Currency | undefined): Line[] {
  const rows = rowsOf(text)
  if (rows.length === 0) wrong('There is no line below the names of the columns.')
  const amounts = amountsOf(rows, locale, currency)
  return rows.map(({ cells }, at) => {
    const pick = (from: readonly string[]): Line =>
      Object.fromEntries(
        from.flatMap((name) => (cells[name] === undefined ? [] : [[name, cells[name]]])),
      )
    const destination = pick(ofDestination)
    const amount = amounts[at] ?? null
    return {
      ...pick(own),
      ...(amount === null ? {} : { amount }),
      ...(Object.keys(destination).length > 0 ? { destination } : {}),
    }
  })
}

function rowsOf(text: string): CsvRow[] {
  try {
    const rows = readCsv(text, columns, ['amount'])
    for (const { line, cells } of rows)
      for (const [column, cell] of Object.entries(cells)) {
        const fault = unshowable(cell, { ofBody: true })
        if (fault) return wrong(`Line ${line}, column ${column}: it ${fault}.`)
      }
    return rows
  } catch (error) {
    if (error instanceof CsvFault) return wrong(error.message)
    throw error
  }
}

const create: Action<'createPayoutBatch', NoRecord, BatchForm> = {
  name: 'new',
  title: 'New batch',
  confirm: 'Check the file',
  operation: 'createPayoutBatch',
  takesFile: 'csv',
  fields: async (seen) => [
    {
      name: 'currency',
      label: 'From your wallet',
      kind: 'select',
      required: true,
      options: (await seen.api.listWallets()).map(({ currency, available }) => [
        currency,
        `${wordOf(currency)}: ${seen.show.money(available, currency)} available`,
      ]),
    },
    {
      name: 'csv',
      label: 'The file, as CSV',
      kind: 'area',
      required: true,
      file: true,
      hint: 'Choose a file of UTF-8 text, or paste it. Up to 10,000 lines, below one that names the columns: amount, bank_code and account_number; or beneficiary, or chain, currency and address; and reference and description, where you like. Amounts as 1500 or 1500.50, all of them written in one way.',
    },
    {
      name: 'reference',
      label: 'Reference',
      kind: 'text',
      required: true,
      maxLength: 90,
      hint: 'Your own id for it.',
    },
    {
      name: 'description',
      label: 'Description',
      kind: 'text',
      maxLength: 500,
      hint: 'For your own eyes.',
    },
  ],
  start: (_doc, { ctx, show }) => ({
    reference: `batch-${dayOf(ctx.scope.now, show.timeZone)}-${randomText(6)}`,
  }),
  input: ({ body: { csv, ...body } }, { show }) => ({
    body: { ...body, dry_run: true, lines: linesOf(csv, show.locale, asCurrency(body.currency)) },
  }),
  done: 'The file is checked. Nobody is paid before you confirm it.',
}

const confirm: Action<'confirmPayoutBatch', PayoutBatch> = {
  name: 'confirm',
  title: 'Confirm',
  leads: true,
  confirm: 'Make the payouts',
  operation: 'confirmPayoutBatch',
  when: ({ status }) => status === 'draft',
  fields: (_seen, { counts }) =>
    counts.bad > 0
      ? [
          {
            name: 'skip_bad',
            label: `Leave out ${many(String(counts.bad), 'line', 'lines')} that cannot be paid`,
            kind: 'check',
          },
        ]
      : [],
  foresee: ({ doc: { currency, amount, fee, available, counts, sufficient_funds } }, { show }) => ({
    lines: [
      html`<strong>${show.money(amount, currency)}</strong> leaves your ${wordOf(currency)} wallet, which has ${show.money(available, currency)} available, and ${show.money(available - amount, currency)} then.`,
      `That is ${many(show.number(counts.waiting), 'payout', 'payouts')}, with fees of ${show.money(fee, currency)}.`,
      ...(counts.bad > 0
        ? [`${many(show.number(counts.bad), 'line is', 'lines are')} left out, and paid to nobody.`]
        : []),
      'They are sent one after another. Those above a limit wait for a second person.',
    ],
    warnings: sufficient_funds
      ? []
      : [en.tooMuch(wordOf(currency), show.money(available, currency))],
    blocked: !sufficient_funds,
  }),
  done: 'The payouts are being made.',
}

const cancel: Action<'cancelPayoutBatch', PayoutBatch> = {
  name: 'cancel',
  title: 'Cancel what is left',
  operation: 'cancelPayoutBatch',
  danger: true,
  when: ({ status }) => status === 'draft' || status === 'running',
  foresee: ({ doc: { counts } }, { show }) => ({
    lines: [
      `${many(show.number(counts.waiting), 'payout is', 'payouts are')} not made.`,
      counts.created > 0
        ? `${many(show.number(counts.created), 'payout was', 'payouts were')} made, and ${counts.created === 1 ? 'stays' : 'stay'}: each can be canceled while it is pending.`
        : 'No money moves: none of them was made yet.',
    ],
  }),
  done: 'No more payouts are made of this batch.',
}

const mostShown = 100

/** Lines that stand in one way, each with why. */
const linesSection = (title: string, status: 'bad' | 'refused'): Section<PayoutBatch> => ({
  title,
  async content({ id, counts }, { api, show }: Seen) {
    if (counts[status] === 0) return false
    const { docs } = await api.listPayoutBatchLines({
      params: { id },
      query: { status, limit: mostShown },
    })
    const rest = counts[status] - docs.length
    return html`<div class="scroll" tabindex="0" role="region" aria-label="${title}"><table><thead><tr><th scope="col">Line</th><th scope="col">What is wrong</th><th scope="col">Field</th><th scope="col">Reference</th></tr></thead><tbody>${docs.map(
      ({ line, message, field, code, reference }) =>
        html`<tr><td>${show.number(line)}</td><td>${field === 'amount' && code === 'validation_failed' ? 'This is no amount.' : message}</td><td>${field && wordOf(field)}</td><td><bdi>${reference}</bdi></td></tr>`,
    )}</tbody></table></div>${rest > 0 && html`<p class="dim">And ${show.number(rest)} more.</p>`}<p class="hint">Line 1 is the first row under the header.</p>`
  },
})

/** Payouts of the batch that did not go through, each with why. */
const undone: Section<PayoutBatch> = {
  title: 'Payouts that did not go through',
  async content({ id, currency, payouts: byStatus }, seen) {
    const count = ['failed', 'returned', 'canceled'].reduce(
      (sum, status) => sum + (byStatus?.[status] ?? 0),
      0,
    )
    if (count === 0) return false
    const rows = await findUndone(seen.ctx, id, mostShown)
    const why = ({ failure_reason: reason, is_unapproved }: (typeof rows)[number]): Part =>
      reason ? whyNot[reason] : is_unapproved ? en.needs.unapproved : en.canceledByHand
    return html`<div class="scroll stack" tabindex="0" role="region" aria-label="${undone.title}"><table><thead><tr><th scope="col">Payout</th><th scope="col" class="right">Line</th><th scope="col" class="right">Amount</th><th scope="col">Status</th><th scope="col">Why</th></tr></thead><tbody>${rows.map(
      (row) =>
        html`<tr><th scope="row">${linkTo(seen, 'payouts', row.reference)}</th>${labeled('Line', seen.show.number(row.line))}${labeled('Amount', seen.show.money(row.amount, currency))}${labeled('Status', badge(row.status), false)}${labeled('Why', why(row), false)}</tr>`,
    )}</tbody></table></div>${count > rows.length && html`<p class="dim">And ${seen.show.number(count - rows.length)} more.</p>`}`
  },
}

/** How far it is. */
function progressOf({ counts }: PayoutBatch, { show, path }: Seen): Part {
  const done = counts.created + counts.refused
  const all = counts.lines - counts.bad
  return html`<progress max="${all}" value="${done}" aria-label="Made"></progress> ${show.number(done)} of ${show.number(all)}. <a href="${path}">Look again</a>`
}

/** Returns the numbers of lines by what became of them. */
const linesBy = ({ counts: { waiting, created, bad, refused, canceled } }: PayoutBatch) => ({
  waiting,
  created,
  bad,
  refused,
  canceled,
})

const countsOf = (counts: Readonly<Record<string, number>>, show: Seen['show']): string =>
  Object.entries(counts)
    .filter(([, count]) => count > 0)
    .map(([name, count]) => `${wordOf(name)}: ${show.number(count)}`)
    .join(', ')

export const batches: Resource<PayoutBatch> = {
  path: 'payout-batches',
  title: 'Batches',
  one: 'batch',
  more: 'batches',
  group: 'out',
  list: 'listPayoutBatches',
  get: 'getPayoutBatch',
  key: 'id',
  tabs: 'status',
  about: 'A batch is a file of payouts: it is checked, each bad line is named, and you confirm it.',
  columns: [
    { title: 'Amount', cell: cells.money('amount') },
    { title: 'Status', cell: cells.status },
    {
      title: 'Lines',
      cell: ({ counts }, { show }) => many(show.number(counts.lines), 'line', 'lines'),
    },
    { title: 'Created', cell: cells.created },
    { title: 'Reference', cell: cells.text('reference'), less: true },
  ],
  heading: ({ amount, currency }, { show }) => show.money(amount, currency),
  called: ({ reference }) => `Batch ${reference}`,
  status: ({ status }) => status,
  rows: (doc, seen) => {
    const { show } = seen
    return [
      doc.status === 'running' && ['Made', progressOf(doc, seen)],
      ['Lines', `${show.number(doc.counts.lines)}: ${countsOf(linesBy(doc), show)}`],
      doc.counts.created > 0 && ['Payouts', countsOf(doc.payouts ?? {}, show)],
      ['Fees', show.money(doc.fee, doc.currency)],
      doc.status === 'draft' && [
        'Wallet afterwards',
        `${show.money(doc.available - doc.amount, doc.currency)}${doc.sufficient_funds ? '' : ': it does not have that much available'}`,
      ],
      ['Reference', html`<bdi>${doc.reference}</bdi>`],
      ['Description', doc.description && html`<bdi>${doc.description}</bdi>`],
      ['Ended', doc.ended_at && show.time(doc.ended_at)],
    ]
  },
  sections: [
    undone,
    linesSection('Lines that cannot be paid', 'bad'),
    linesSection('Lines that were refused', 'refused'),
  ],
  actions: [confirm, cancel],
  create,
}
