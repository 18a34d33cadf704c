import { payoutReference } from '../../../collecting/refunds/refunds.ts'
import type { AnswerOf } from '../../../core/operations.ts'
import { html } from '../../../lib/html.ts'
import { copied, destinationOf, linkTo } from '../related.ts'
import { actionsOn, type Resource } from '../resource.ts'
import { cells } from '../tables.ts'
import { en, wordOf } from '../view/strings.ts'
import { outcomeField } from './choosing.ts'

type Refund = AnswerOf<'getRefund'>
const action = actionsOn<Refund>()

export const refunds: Resource<Refund> = {
  path: 'refunds',
  title: 'Refunds',
  one: 'refund',
  more: 'refunds',
  group: 'in',
  list: 'listRefunds',
  get: 'getRefund',
  key: 'id',
  exports: 'exportRefunds',
  searches: 'Reference, email address, customer or amount',
  tabs: 'status',
  about: 'To refund a payment, open it and choose Refund.',
  columns: [
    { title: 'Amount', cell: cells.money('amount') },
    { title: 'Status', cell: cells.status },
    { title: 'Method', cell: cells.word('method') },
    { title: 'Created', cell: cells.created },
    { title: 'Reason', cell: cells.text('reason'), less: true },
    { title: 'Reference', cell: cells.text('reference'), less: true },
  ],
  heading: ({ amount, currency }, { show }) => show.money(amount, currency),
  called: () => 'Refund',
  status: ({ status, review }) => (review === null ? status : 'held_by_screening'),
  rows: (doc, seen) => [
    ['Payment', linkTo(seen, 'payments', doc.payment, en.see('payment'))],
    doc.review && [
      'Held by screening',
      html`Since ${seen.show.time(doc.review.since)}. Its amount is held until the server operator has reviewed it.`,
    ],
    doc.status === 'failed' && ['Why it failed', wordOf(doc.failure_reason ?? 'unknown')],
    ['Reason', doc.reason && html`<bdi>${doc.reason}</bdi>`],
    ['Reference', copied(doc.reference)],
    ['Method', wordOf(doc.method)],
    ['Goes to', destinationOf(doc.destination)],
    doc.destination_currency !== doc.currency && [
      'Arrives',
      seen.show.money(doc.destination_amount, doc.destination_currency),
    ],
    doc.destination_currency !== doc.currency && ['Rate', doc.rate],
    doc.automatic && ['Made by', 'The payment, which sends back money of a wrong amount or time'],
    ['Provider’s reference', copied(doc.provider_reference)],
    ['Hash on chain', copied(doc.tx_hash)],
    [
      'Payout',
      linkTo(
        seen,
        'payouts',
        doc.payout === null ? null : payoutReference({ id: doc.id }),
        en.see('payout'),
      ),
    ],
    ['Transaction', linkTo(seen, 'transactions', doc.transaction, en.see('transaction'))],
    ['Came back by', linkTo(seen, 'transactions', doc.return_transaction, en.see('transaction'))],
  ],
  actions: [
    action({
      name: 'simulate',
      title: 'Simulate outcome',
      operation: 'simulateRefund',
      simulates: true,
      when: ({ status, payout, review }) =>
        status !== 'failed' && payout === null && review === null,
      fields: (_seen, { status }) => [outcomeField(status)],
      done: 'Test refund ended.',
    }),
  ],
}
