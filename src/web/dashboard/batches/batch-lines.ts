/** The lines of a batch: whom each pays, what became of it, why it failed, and who pays it again. */
import type { AnswerOf } from '../../../core/operations.ts'
import { Refusal } from '../../../lib/errors.ts'
import { type Html, html, type Part } from '../../../lib/html.ts'
import type { Visit } from '../place.ts'
import { linkTo } from '../related.ts'
import type { Section } from '../resource.ts'
import { whyNot } from '../resources/why-not.ts'
import { labeled } from '../tables.ts'
import { badge } from '../view/parts.ts'
import { en, wordOf } from '../view/strings.ts'

type PayoutBatch = AnswerOf<'getPayoutBatch'>
export type BatchLine = AnswerOf<'listPayoutBatchLines'>['docs'][number]

/** A line with the holder as the bank knows them, or why the bank did not say. */
type NamedLine = BatchLine & { holder?: string | null }

const shownOnPage = 25
const shownOnRecord = 10
const lookupsAtOnce = 5

/** Why a line was not paid, and what to do. */
export function whyFailed(line: BatchLine): Part {
  const { status, field, code, message, payout_status, failure_reason: reason } = line
  if (status === 'bad' || status === 'refused')
    return field === 'amount' && code === 'validation_failed' ? 'This is no amount.' : message
  if (payout_status === 'canceled')
    return line.is_unapproved ? en.needs.unapproved : en.canceledByHand
  return reason && whyNot[reason]
}

/** Whom a line pays: name, bank and account. */
export function recipientOf({ destination, holder }: NamedLine): Part {
  if (!destination) return html`<span class="dim">${en.none}</span>`
  if (destination.address)
    return html`<code>${destination.address}</code> ${wordOf(destination.chain ?? '')}`
  const { account_name: typed, bank_name, bank_code, routing_number } = destination
  const known = holder ?? destination.resolved_account_name
  const name = known ?? typed
  const differs = known && typed && !isSameName(known, typed)
  return html`${name && html`<bdi>${name}</bdi>${differs && html`<br><span class="badge warn">You wrote <bdi>${typed}</bdi></span>`}<br>`}${bank_name ?? bank_code ?? routing_number} <code>${destination.account_number}</code>`
}

/** Names are the same if their words are, in any order. */
const isSameName = (one: string, other: string): boolean => wordsOf(one) === wordsOf(other)
const wordsOf = (name: string): string =>
  name
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean)
    .sort()
    .join(' ')

/** Asks the banks who holds the accounts of some lines. One that does not say is left without. */
export async function withHolders(
  { api }: Visit,
  lines: readonly BatchLine[],
): Promise<NamedLine[]> {
  const named: NamedLine[] = lines.map((line) => ({ ...line }))
  const left = named.filter(
    ({ status, destination }) =>
      status === 'waiting' && destination?.bank_code && !destination.resolved_account_name,
  )
  const askNext = async (): Promise<void> => {
    for (let line = left.shift(); line; line = left.shift()) {
      const { bank_code = '', account_number = '' } = line.destination ?? {}
      try {
        const query = { bank_code, account_number }
        const answer = await api.resolveAccount({ params: { country: 'ng' }, query })
        line.holder = answer.account_name
      } catch (error) {
        if (!(error instanceof Refusal)) throw error
        if (error.code === 'account_not_found') line.message = error.message
      }
    }
  }
  await Promise.all(Array.from({ length: lookupsAtOnce }, askNext))
  return named
}

/** What became of a line: its state, its payout, why it failed, and the batch that pays it again. */
function stateOf(line: NamedLine, visit: Visit): Html {
  const { status, payout_status, payout, reference, message, retried_in } = line
  const why = status === 'waiting' ? message : whyFailed(line)
  const state =
    status === 'waiting' && message
      ? badge('waiting', 'warn', 'Account not found')
      : badge(payout_status ?? status)
  return html`${state}${payout !== null && html` ${linkTo(visit, 'payouts', reference)}`}${why && html`<br>${why}`}${
    retried_in !== null &&
    html`<br>${linkTo(visit, 'payout-batches', retried_in, 'Paid again by another batch')}`
  }`
}

/** Lines as a table. A row's number is that of the spreadsheet. */
export function linesTable(
  title: string,
  { currency, retry_of }: PayoutBatch,
  lines: readonly NamedLine[],
  visit: Visit,
): Html {
  const { show } = visit
  const number = retry_of === null ? 'Row' : 'Row of the first file'
  return html`<div class="scroll stack" tabindex="0" role="region" aria-label="${title}"><table><thead><tr><th scope="col">Recipient</th><th scope="col" class="right">${number}</th><th scope="col" class="right">Amount</th><th scope="col">Status</th></tr></thead><tbody>${lines.map(
    (line) =>
      html`<tr><th scope="row">${recipientOf(line)}</th>${labeled(number, show.number(line.row ?? line.line))}${labeled(
        'Amount',
        line.amount === null ? en.none : show.money(line.amount, currency),
      )}${labeled('Status', stateOf(line, visit), false)}</tr>`,
  )}</tbody></table></div>`
}

/** The kinds of lines that can be looked at alone. */
export const kinds = {
  all: ['All', {}],
  failed: ['Failed', { failed: true }],
  bad: ['Cannot be paid', { status: 'bad' }],
  waiting: ['Waiting', { status: 'waiting' }],
} as const
export type Kind = keyof typeof kinds

export const linesOf = (
  visit: Visit,
  { id }: PayoutBatch,
  kind: Kind,
  number = 1,
  limit = shownOnPage,
) =>
  visit.api.listPayoutBatchLines({
    params: { id },
    query: { ...kinds[kind][1], limit, page: number },
  })

export const pathOf = ({ base }: Pick<Visit, 'base'>, { id }: PayoutBatch, kind: Kind): string =>
  `${base}/payout-batches/${id}/lines${kind === 'all' ? '' : `?show=${kind}`}`

const sectionOf = (title: string, kind: Kind): Section<PayoutBatch> => ({
  title,
  async content(doc, seen) {
    if (kind === 'failed' && doc.status === 'draft') return false
    const { docs, totalDocs } = await linesOf(seen, doc, kind, 1, shownOnRecord)
    if (docs.length === 0) return false
    const lines = doc.status === 'draft' ? await withHolders(seen, docs) : docs
    const all =
      totalDocs > docs.length &&
      html`<p><a href="${pathOf(seen, doc, kind)}">All ${seen.show.number(totalDocs)}</a></p>`
    return html`${linesTable(title, doc, lines, seen)}${all}`
  },
})

export const failedSection = sectionOf('Payouts that did not go through', 'failed')
export const badSection = sectionOf('Lines that cannot be paid', 'bad')
export const recipientsSection = sectionOf('Recipients', 'all')
