import type { AnswerOf } from '../../../core/operations.ts'
import { html, type Part } from '../../../lib/html.ts'
import { modeOf } from '../../../lib/mode.ts'
import type { Action, Resource, Seen } from '../resource.ts'
import { cells } from '../tables.ts'
import { badge } from '../view/parts.ts'

type LedgerVerification = AnswerOf<'getLedgerVerification'>

const goesOn = ({ ended_at }: LedgerVerification): boolean => ended_at === null

/** How far it is, and how quickly it goes. */
function progressOf(
  { checks, checks_done, checks_left, seconds }: LedgerVerification,
  { show, path }: Seen,
): Part {
  const rate =
    seconds > 0 &&
    checks_done > 0 &&
    `, ${show.number(Math.round((checks_done * 60) / seconds))} a minute`
  return html`<progress max="${checks}" value="${checks_done}" aria-label="Checks done"></progress> ${show.number(checks_done)} of ${show.number(checks)} checks, ${show.number(checks_left)} left${rate}. <a href="${path}">Look again</a>`
}

const length = (seconds: number, { show }: Seen): string =>
  seconds < 60
    ? `${show.number(seconds)} s`
    : `${show.number(Math.floor(seconds / 60))} min ${show.number(seconds % 60)} s`

const meanings: Record<string, string> = {
  waiting: 'A worker takes it up in a moment. If none does, look at Queues.',
  running: 'It is under way. This page is loaded again every few seconds.',
  clean: 'All agrees.',
  differs:
    'Something in the ledger does not agree. Tell whoever runs the server: no page can change the ledger.',
  unfinished: 'It ended without a result: its process was stopped, or it broke. Start another.',
}

const create: Action<'startLedgerVerification', Pick<LedgerVerification, 'ended_at'>> = {
  name: 'new',
  title: 'Verify the ledger',
  confirm: 'Verify the ledger',
  operation: 'startLedgerVerification',
  input: () => ({}),
  foresee: () => ({
    lines: [
      'A worker recomputes every balance from the postings since the ledger was last closed, and compares every record changed since with them, as bursar ledger verify does. Only bursar ledger verify --whole reads what was closed before.',
      'It changes nothing. With much to read it can take minutes, and slow down other work meanwhile.',
      'Only one runs at a time: if one is under way, you see that one.',
    ],
  }),
  done: 'Started. You can leave this page: it continues.',
  ended: ({ ended_at }) => ended_at !== null && 'It has ended.',
}

/** `bursar ledger verify` by a press. */
export const verifications: Resource<LedgerVerification> = {
  path: 'ledger-verifications',
  title: 'Ledger verifications',
  one: 'verification',
  more: 'verifications',
  group: 'developers',
  list: 'listLedgerVerifications',
  get: 'getLedgerVerification',
  key: 'id',
  untold: true,
  about:
    'A verification recomputes every balance from the postings since the ledger was last closed, and compares every record changed since with them.',
  columns: [
    { title: 'Asked for', cell: cells.created },
    { title: 'Status', cell: cells.status },
    {
      title: 'Differences',
      cell: ({ differences_count: count }, { show }) => show.number(count),
      right: true,
    },
    { title: 'Took', cell: (doc, seen) => length(doc.seconds, seen), less: true },
  ],
  goesOn,
  heading: () => 'Verification of the ledger',
  called: () => 'Verification of the ledger',
  status: ({ status }) => status,
  rows: (doc, seen) => {
    const { show } = seen
    return [
      ['Says', meanings[doc.status]],
      goesOn(doc) && ['Done', progressOf(doc, seen)],
      ['Under way', doc.doing],
      doc.status === 'unfinished' && [
        'Done',
        `${show.number(doc.checks_done)} of ${show.number(doc.checks)} checks`,
      ],
      doc.postings !== null && [
        'Looked at',
        `${show.number(doc.checks)} checks, ${show.number(doc.accounts ?? 0)} accounts, ${show.number(doc.postings)} postings`,
      ],
      doc.closed_at !== null && [
        'Read',
        html`What came since the ledger was closed on ${show.time(doc.closed_at)}. What was posted before was taken as it was closed: <code>bursar ledger verify --whole</code> reads it again.`,
      ],
      doc.began_at !== null && ['Took', length(doc.seconds, seen)],
      ['Started by', html`<bdi>${doc.made_by ?? 'A command'}</bdi>`],
    ]
  },
  sections: [
    {
      title: 'What differs',
      content: ({ differences, differences_count: count }, { show, base }) =>
        differences.length > 0 &&
        html`<div class="scroll" tabindex="0" role="group" aria-label="What differs"><table><thead><tr>${['What does not hold', 'Of', 'Business', 'Expected', 'Found'].map((one) => html`<th scope="col">${one}</th>`)}</tr></thead><tbody>${differences.map(
          ({ check, what, business, livemode, expected, found }) =>
            html`<tr><td>${check}</td><td><bdi>${what}</bdi></td><td><a href="${base}/businesses/${business}">${business}</a> ${badge(modeOf(livemode), 'dim')}</td><td>${expected}</td><td>${found}</td></tr>`,
        )}</tbody></table></div>${count > differences.length && html`<p class="dim">And ${show.number(count - differences.length)} more: <code>bursar ledger verify</code> has them all.</p>`}`,
    },
  ],
  actions: [],
  create,
}
