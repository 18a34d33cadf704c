import type { AnswerOf } from '../../../core/operations.ts'
import { html } from '../../../lib/html.ts'
import { actionsOn, type Resource } from '../resource.ts'
import { cells } from '../tables.ts'
import { code, type Field } from '../view/parts.ts'
import { wordOf } from '../view/strings.ts'

type Review = AnswerOf<'getReview'>
const action = actionsOn<Review>()

const note: Field = {
  name: 'note',
  label: 'What was found',
  kind: 'area',
  maxLength: 500,
  hint: 'For those who look later. The business is not shown it.',
}
const waits = ({ status }: { status?: string }): boolean => status === 'waiting'
const isKept = ({ status, kind }: { status?: string; kind?: string }): boolean =>
  status === 'refused' && kind === 'deposit'

/** What screening holds. */
export const reviews: Resource<Review> = {
  path: 'reviews',
  title: 'Held by screening',
  one: 'review',
  more: 'reviews',
  group: 'out',
  list: 'listReviews',
  get: 'getReview',
  key: 'id',
  tabs: 'status',
  untold: true,
  about:
    'Payouts and deposits whose counterparty matches a sanctions list. They are on hold until you release or refuse them. Oldest first. Release one if the match is a different person; otherwise refuse it.',
  columns: [
    { title: 'What', cell: cells.text('what') },
    { title: 'Status', cell: cells.status },
    { title: 'Why', cell: ({ reason }) => wordOf(reason) },
    { title: 'Since', cell: cells.created },
    { title: 'Mode', cell: ({ livemode }) => (livemode ? 'Live' : 'Test'), less: true },
  ],
  heading: ({ what }) => what,
  called: ({ what }) => what,
  status: ({ status }) => status,
  rows: (doc, { show, base }) => [
    [
      'Found',
      html`${doc.hits.map((hit) => html`<p>On <bdi>${hit.list}</bdi>, by ${wordOf(hit.matched).toLowerCase()}: <bdi>${hit.value}</bdi>${hit.reason && html` (<bdi>${hit.reason}</bdi>)`}</p>`)}`,
    ],
    ['Business', html`<a href="${base}/businesses/${doc.business}">${code(doc.business)}</a>`],
    ['Mode', doc.livemode ? 'Live' : 'Test'],
    [wordOf(doc.kind), code(doc.subject)],
    [
      'Decided',
      doc.decided_by && html`${show.time(doc.decided_at ?? '')}, by <bdi>${doc.decided_by}</bdi>`,
    ],
    ['Note', doc.note && html`<bdi>${doc.note}</bdi>`],
  ],
  actions: [
    action({
      name: 'release',
      title: 'Release',
      operation: 'releaseReview',
      leads: true,
      when: waits,
      fields: () => [note],
      foresee: ({ doc }) => ({
        lines: [
          doc.kind === 'deposit'
            ? html`<bdi>${doc.what}</bdi> is credited, and pays what it was sent for. It cannot be taken back here.`
            : html`<bdi>${doc.what}</bdi> goes to its rail. It cannot be taken back here.`,
        ],
      }),
      done: 'It is released.',
    }),
    action({
      name: 'refuse',
      title: 'Refuse',
      operation: 'refuseReview',
      danger: true,
      when: waits,
      fields: () => [note],
      foresee: ({ doc }) => ({
        lines: [
          doc.kind === 'deposit'
            ? 'It stays on hold: pending in the wallet and not credited, unless you release it later.'
            : 'The payout fails and its amount is available to the business again. The business is notified, without the note.',
        ],
      }),
      done: 'It is refused.',
    }),
    action({
      name: 'release-after-all',
      title: 'Release after all',
      operation: 'releaseReview',
      when: isKept,
      fields: () => [note],
      input: ({ doc, body }) => ({
        params: { id: doc.id },
        body: { ...body, after_refusal: true },
      }),
      foresee: ({ doc }) => ({
        lines: [
          html`<bdi>${doc.what}</bdi> is credited, and pays what it was sent for. It cannot be taken back here.`,
        ],
      }),
      done: 'It is released.',
    }),
  ],
}
