import type { AnswerOf } from '../../../core/operations.ts'
import { html } from '../../../lib/html.ts'
import { deadline } from '../deadline.ts'
import { copied, linkTo } from '../related.ts'
import { actionsOn, type Resource } from '../resource.ts'
import { cells } from '../tables.ts'
import { en } from '../view/strings.ts'

type Dispute = AnswerOf<'getDispute'>
const action = actionsOn<Dispute>()

export const disputes: Resource<Dispute> = {
  path: 'disputes',
  title: 'Disputes',
  one: 'dispute',
  more: 'disputes',
  group: 'in',
  list: 'listDisputes',
  get: 'getDispute',
  key: 'id',
  exports: 'exportDisputes',
  tabs: 'status',
  about:
    'Money of payments that payers’ banks take back until it is decided whose it is. Nothing leaves a wallet by that itself.',
  columns: [
    { title: 'Amount', cell: cells.money('amount') },
    { title: 'Status', cell: cells.status },
    {
      title: 'Evidence due',
      cell: ({ status, evidence_due_at }, seen) =>
        status === 'open' && evidence_due_at && deadline(seen, evidence_due_at),
    },
    { title: 'Created', cell: cells.created },
    { title: 'Reason', cell: cells.text('reason'), less: true },
  ],
  heading: ({ amount, currency }, { show }) => show.money(amount, currency),
  called: () => 'Dispute',
  status: ({ status }) => status,
  rows: (doc, seen) => [
    ['Payment', linkTo(seen, 'payments', doc.payment, en.see('payment'))],
    ['Customer', linkTo(seen, 'customers', doc.customer, en.see('customer'))],
    ['Reason', doc.reason && html`<bdi>${doc.reason}</bdi>`],
    [
      'Evidence due',
      doc.status === 'open' && doc.evidence_due_at && deadline(seen, doc.evidence_due_at),
    ],
    ['Held of the wallet', doc.held > 0 && seen.show.money(doc.held, doc.currency)],
    ['Taken from the wallet', doc.taken > 0 && seen.show.money(doc.taken, doc.currency)],
    ['Decided', doc.closed_at && seen.show.time(doc.closed_at)],
    ['Provider’s reference', copied(doc.provider_reference)],
    ['Came by', linkTo(seen, 'transactions', doc.transaction, en.see('transaction'))],
  ],
  actions: [
    action({
      name: 'simulate',
      title: 'Decide this dispute',
      operation: 'simulateDisputeEnd',
      simulates: true,
      when: ({ status, livemode }) => status === 'open' && !livemode,
      fields: () => [
        {
          name: 'outcome',
          label: 'It is',
          kind: 'select',
          required: true,
          options: [
            ['won', 'Won'],
            ['lost', 'Lost'],
          ],
        },
      ],
      done: 'The test dispute is decided.',
    }),
  ],
}
