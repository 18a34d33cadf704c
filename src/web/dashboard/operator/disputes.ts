import type { AnswerOf } from '../../../core/operations.ts'
import { html } from '../../../lib/html.ts'
import { decimalOf } from '../../../lib/money.ts'
import { deadline } from '../deadline.ts'
import { copied } from '../related.ts'
import { actionsOn, type Resource } from '../resource.ts'
import { cells } from '../tables.ts'
import { code, type Field } from '../view/parts.ts'
import { wordOf } from '../view/strings.ts'

type Dispute = AnswerOf<'getOperatorDispute'>
const action = actionsOn<Dispute>()

const left = ({ amount, taken }: Dispute): string => decimalOf(BigInt(amount) - BigInt(taken))
const amountField = ({ currency }: Dispute): Field => ({
  name: 'amount',
  label: `Amount in ${wordOf(currency)}`,
  kind: 'money',
  required: true,
  hint: 'Of the merchant’s wallet: all that is left of the dispute, or a part.',
})

export const disputes: Resource<Dispute> = {
  path: 'disputes',
  title: 'Disputes',
  one: 'dispute',
  more: 'disputes',
  group: 'in',
  list: 'listOperatorDisputes',
  get: 'getOperatorDispute',
  key: 'id',
  tabs: 'status',
  untold: true,
  about:
    'Money of payments that payers’ banks take back, the newest thousand. Answer them at the provider; what is held or taken of a wallet is decided here.',
  columns: [
    { title: 'Amount', cell: cells.money('amount') },
    { title: 'Status', cell: cells.status },
    {
      title: 'Evidence due',
      cell: ({ status, evidence_due_at }, seen) =>
        status === 'open' && evidence_due_at && deadline(seen, evidence_due_at),
    },
    { title: 'Rail', cell: ({ rail }) => html`<bdi>${wordOf(rail)}</bdi>` },
    { title: 'Created', cell: cells.created, less: true },
  ],
  heading: ({ amount, currency }, { show }) => show.money(amount, currency),
  called: () => 'Dispute',
  status: ({ status }) => status,
  rows: (doc, { show, base, ctx }) => [
    ['Business', html`<a href="${base}/businesses/${doc.business}">${code(doc.business)}</a>`],
    ['Mode', doc.livemode ? 'Live' : 'Test'],
    ['Rail', html`<bdi>${wordOf(doc.rail)}</bdi>`],
    ['Provider’s reference', copied(doc.provider_reference)],
    ['Payment', copied(doc.payment)],
    ['Reason', doc.reason && html`<bdi>${doc.reason}</bdi>`],
    ['Evidence due', doc.evidence_due_at && deadline({ show, ctx }, doc.evidence_due_at)],
    ['On hold in the wallet', doc.held > 0 && show.money(doc.held, doc.currency)],
    ['Taken from the wallet', doc.taken > 0 && show.money(doc.taken, doc.currency)],
    ['Decided', doc.closed_at && show.time(doc.closed_at)],
  ],
  actions: [
    action({
      name: 'hold',
      title: 'Hold money',
      operation: 'holdForDispute',
      when: ({ status, held, taken, amount }) => status !== 'won' && held === 0 && taken < amount,
      fields: (_seen, doc) => [amountField(doc)],
      start: (doc) => ({ amount: left(doc) }),
      foresee: () => ({
        lines: [
          'It leaves what the merchant can spend, and is shown to the merchant as pending.',
          'You can release it. It is released automatically if the dispute is won.',
        ],
      }),
      done: 'Money held.',
    }),
    action({
      name: 'release',
      title: 'Release it',
      operation: 'releaseForDispute',
      when: ({ held }) => held > 0,
      foresee: ({ doc }, { show }) => ({
        lines: [html`${show.money(doc.held, doc.currency)} can be spent by the merchant again.`],
      }),
      done: 'Money released.',
    }),
    action({
      name: 'take',
      title: 'Take money',
      operation: 'takeForDispute',
      when: ({ status, held, taken, amount }) => status === 'lost' && (held > 0 || taken < amount),
      fields: (_seen, doc) => (doc.held > 0 ? [] : [amountField(doc)]),
      start: (doc) => ({ amount: left(doc) }),
      foresee: () => ({
        lines: [
          'It leaves the merchant’s wallet for good, and pays what the dispute has cost.',
          'The wallet cannot go below zero: if it has less, take less. You bear the rest.',
        ],
      }),
      done: 'Money taken.',
    }),
  ],
}
