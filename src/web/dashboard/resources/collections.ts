import type { AnswerOf } from '../../../core/operations.ts'
import { html } from '../../../lib/html.ts'
import { decimalOf } from '../../../lib/money.ts'
import { collecting } from '../readiness.ts'
import { relatedTo, webLink } from '../related.ts'
import { actionsOn, creation, type Resource } from '../resource.ts'
import { cells } from '../tables.ts'
import { badge, type Field } from '../view/parts.ts'
import { en, wordOf } from '../view/strings.ts'
import { workingCurrency } from './choosing.ts'
import { payments } from './payments.ts'

type Collection = AnswerOf<'getCollection'>
const action = actionsOn<Collection>()

const statusOf = ({ active, canceled_at }: Collection): string =>
  canceled_at ? 'canceled' : active ? 'active' : 'inactive'

const fields: readonly Field[] = [
  {
    name: 'name',
    label: 'Name',
    kind: 'text',
    required: true,
    maxLength: 200,
    hint: 'What payers see as its title.',
  },
  {
    name: 'description',
    label: 'Description',
    kind: 'area',
    maxLength: 1_000,
    clears: true,
    hint: 'Payers see it.',
  },
  {
    name: 'amount',
    label: 'Amount',
    kind: 'money',
    clears: true,
    hint: 'Leave empty to let payers choose the amount.',
  },
  { name: 'min_amount', label: 'Minimum amount', kind: 'money', clears: true },
  { name: 'max_amount', label: 'Maximum amount', kind: 'money', clears: true },
  {
    name: 'max_payments',
    label: 'Maximum number of payments',
    kind: 'number',
    clears: true,
    hint: 'Left empty: any number.',
  },
  {
    name: 'redirect_url',
    label: 'Redirect after payment',
    kind: 'text',
    maxLength: 2_000,
    clears: true,
    hint: 'An address that begins with https://.',
  },
]

const typed = (amount: number | null): string => (amount === null ? '' : decimalOf(BigInt(amount)))

export const collections: Resource<Collection> = {
  path: 'collections',
  title: 'Collections',
  one: 'collection',
  more: 'collections',
  group: 'in',
  list: 'listCollections',
  get: 'getCollection',
  key: 'id',
  exports: 'exportCollections',
  searches: 'Name or id',
  tabs: 'active',
  about:
    'A collection is a payment link to share. Everyone who opens it can pay, as often as you allow.',
  columns: [
    { title: 'Name', cell: cells.text('name') },
    { title: 'Status', cell: (doc) => badge(statusOf(doc)) },
    { title: 'Collected', cell: cells.money('amount_collected'), right: true },
    { title: 'Created', cell: cells.created },
    {
      title: 'Amount',
      cell: (doc, { show }) =>
        doc.amount === null ? 'Payers choose' : show.money(doc.amount, doc.currency),
      less: true,
      right: true,
    },
    {
      title: 'Payments',
      cell: ({ payments_count }, { show }) => show.number(payments_count),
      less: true,
      right: true,
    },
  ],
  heading: ({ name }) => html`<bdi>${name}</bdi>`,
  called: ({ name }) => name,
  status: statusOf,
  rows: (doc, { show }) => {
    const money = (value: number): string => show.money(value, doc.currency)
    return [
      ['Link to share', webLink(doc.checkout_url)],
      [
        'Collected',
        html`<strong>${money(doc.amount_collected)}</strong> by ${en.list.total(show.number(doc.payments_count), 'payment', 'payments')}`,
      ],
      ['Amount', doc.amount === null ? 'Payers choose' : money(doc.amount)],
      ['At least', doc.min_amount !== null && money(doc.min_amount)],
      ['At most', doc.max_amount !== null && money(doc.max_amount)],
      [
        'Most payments',
        doc.max_payments !== null &&
          en.list.total(show.number(doc.max_payments), 'payment', 'payments'),
      ],
      ['Currency', wordOf(doc.currency)],
      ['Description', doc.description && html`<bdi>${doc.description}</bdi>`],
      ['Redirect after payment', doc.redirect_url && webLink(doc.redirect_url)],
      ['Canceled', doc.canceled_at && show.time(doc.canceled_at)],
    ]
  },
  sections: [
    relatedTo('Payments', payments, {
      list: 'listCollectionPayments',
      input: ({ id }) => ({ params: { id } }),
    }),
  ],
  actions: [
    action({
      name: 'edit',
      title: 'Change',
      confirm: 'Save',
      operation: 'updateCollection',
      when: ({ canceled_at }) => canceled_at === null,
      fields: () => fields,
      start: (doc) => ({
        name: doc.name,
        description: doc.description ?? '',
        amount: typed(doc.amount),
        min_amount: typed(doc.min_amount),
        max_amount: typed(doc.max_amount),
        max_payments: doc.max_payments === null ? '' : String(doc.max_payments),
        redirect_url: doc.redirect_url ?? '',
      }),
      done: 'Collection updated. Payments that are already open do not change.',
    }),
    action({
      name: 'pause',
      title: 'Pause',
      operation: 'updateCollection',
      when: ({ active, canceled_at }) => active && canceled_at === null,
      input: ({ doc }) => ({ params: { id: doc.id }, body: { active: false } }),
      foresee: () => ({
        lines: [
          'No new payments can start from its link until you resume it.',
          'Payers who have started can finish. No money moves.',
        ],
      }),
      done: 'Collection paused.',
      undo: 'resume',
    }),
    action({
      name: 'resume',
      title: 'Resume',
      operation: 'updateCollection',
      when: ({ active, canceled_at }) => !active && canceled_at === null,
      input: ({ doc }) => ({ params: { id: doc.id }, body: { active: true } }),
      foresee: () => ({ lines: ['Everyone with its link can pay again.'] }),
      done: 'Collection resumed.',
      undo: 'pause',
    }),
    action({
      name: 'cancel',
      title: 'Cancel permanently',
      operation: 'cancelCollection',
      danger: true,
      when: ({ canceled_at }) => canceled_at === null,
      foresee: ({ doc }, { show }) => ({
        lines: [
          'No new payments can start from its link. You cannot resume it.',
          `Payers who have started can finish. The collected amount, ${show.money(doc.amount_collected, doc.currency)}, stays in your wallet.`,
        ],
      }),
      done: 'Collection canceled.',
    }),
  ],
  create: creation({
    name: 'new',
    title: 'New collection',
    confirm: 'Create',
    operation: 'createCollection',
    needs: collecting,
    fields: (seen) =>
      [workingCurrency(collecting(seen)), ...fields].toSorted(
        (a, b) => Number(b.name === 'name') - Number(a.name === 'name'),
      ),
    done: 'Collection created. Share its link.',
  }),
}
