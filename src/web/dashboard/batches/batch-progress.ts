/**
 * How far a batch is. With scripts, the page follows a stream and shows each step; without them, a
 * link loads the page again.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { AnswerOf } from '../../../core/operations.ts'
import { type Html, html } from '../../../lib/html.ts'
import type { BusinessPage, Visit } from '../place.ts'
import { wordOf } from '../view/strings.ts'

type PayoutBatch = AnswerOf<'getPayoutBatch'>
type At = Pick<Visit, 'show' | 'base'>

/** The page says which status it shows, so that a change before its stream began is not missed. */
const streamOf = ({ base }: At, { id, status }: PayoutBatch): string =>
  `${base}/payout-batches/${id}/progress?shows=${status}`

/** Payouts in these states can still change by themselves or by a decision. */
const movingStates = ['waiting', 'pending', 'processing']

const isMoving = ({ status, payouts }: PayoutBatch): boolean =>
  status === 'running' || movingStates.some((state) => (payouts?.[state] ?? 0) > 0)

const countsOf = (counts: Readonly<Record<string, number>>, { show }: At): string =>
  Object.entries(counts)
    .filter(([, count]) => count > 0)
    .map(([name, count]) => `${wordOf(name)}: ${show.number(count)}`)
    .join(', ')

/** How many of its payouts are made. */
export function madeOf(batch: PayoutBatch, at: At): Html {
  const { counts, id } = batch
  const done = counts.created + counts.refused
  const all = counts.lines - counts.bad
  const { number } = at.show
  return html`<span id="batch-made"><progress max="${all}" value="${done}" aria-label="Made"></progress> ${number(done)} of ${number(all)}. <noscript><a href="${at.base}/payout-batches/${id}">Look again</a></noscript></span>`
}

/** The numbers of lines by what became of them. */
export function linesOfBatch({ counts }: PayoutBatch, at: At): Html {
  const { lines, waiting, created, bad, refused, canceled } = counts
  const by = countsOf({ waiting, created, bad, refused, canceled }, at)
  return html`<span id="batch-lines">${at.show.number(lines)}: ${by}</span>`
}

/** The numbers of its payouts by status, which the page follows while any can change. */
export const payoutsOf = (batch: PayoutBatch, at: At): Html =>
  html`<span id="batch-payouts"${isMoving(batch) && html` data-follow="${streamOf(at, batch)}"`}>${countsOf(batch.payouts ?? {}, at) || 'None yet'}</span>`

const pollEveryMs = 1_000

/**
 * The parts of the page that have changed, each time that they have. The business's events say when
 * to look; refused lines have none, so a batch that is being made is read each second as well.
 */
async function* progressOf(visit: Visit, events: AsyncIterable<string>): AsyncGenerator<string> {
  const id = visit.request.params.key ?? ''
  const stream = events[Symbol.asyncIterator]()
  let next = stream.next()
  let shown = ''
  let before = visit.request.query.shows
  for (;;) {
    const batch = await visit.api.getPayoutBatch({ params: { id } })
    const { status } = batch
    if (before !== undefined && before !== status) yield 'event: over\ndata: over\n\n'
    before = status
    const made = status === 'running' && madeOf(batch, visit)
    const parts = html`${made}${linesOfBatch(batch, visit)}${payoutsOf(batch, visit)}`.toString()
    yield parts === shown ? ': \n\n' : `data: ${parts.replaceAll('\n', ' ')}\n\n`
    shown = parts
    if (!isMoving(batch)) {
      yield 'event: over\ndata: over\n\n'
      return
    }
    const waits = status === 'running' ? [next, sleep(pollEveryMs, null, { ref: false })] : [next]
    const woken = await Promise.race(waits)
    if (woken?.done) return
    if (woken) next = stream.next()
  }
}

export const progressPage: BusinessPage = {
  method: 'GET',
  path: '/payout-batches/{key}/progress',
  async handler(visit) {
    await visit.api.getPayoutBatch({ params: { id: visit.request.params.key ?? '' } })
    return { events: progressOf(visit, await visit.follow('streamEvents')) }
  },
}
