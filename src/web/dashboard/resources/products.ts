/**
 * What is sold by invoice.
 */
import type { AnswerOf } from '../../../core/operations.ts'
import { html } from '../../../lib/html.ts'
import { decimalOf } from '../../../lib/money.ts'
import type { Visit } from '../place.ts'
import { linkTo } from '../related.ts'
import { actionsOn, creation, type Resource } from '../resource.ts'
import { cells } from '../tables.ts'
import { badge, type Field } from '../view/parts.ts'
import { type Choices, choicesOf, walletCurrency } from './choosing.ts'
import { rateOf } from './taxes.ts'

type Product = AnswerOf<'getProduct'>
const action = actionsOn<Product>()

export const saleCurrency: Field = {
  ...walletCurrency,
  options: [...(walletCurrency.options ?? []), ['eur', 'EUR, which is collected in USD']],
}

const distributionsOf = ({ api }: Visit): Choices<AnswerOf<'getDistribution'>> => ({
  list: (query) => api.listDistributions({ query }),
  get: (id) => api.getDistribution({ params: { id } }),
  textOf: ({ name }) => name,
  first: 'Not shared',
})

const productFields = async (
  seen: Visit,
  { distribution }: { distribution?: string | null } = {},
): Promise<Field[]> => [
  {
    name: 'name',
    label: 'Name',
    kind: 'text',
    required: true,
    maxLength: 200,
    hint: 'Shown on invoices.',
  },
  { name: 'amount', label: 'Unit price', kind: 'money', required: true },
  {
    name: 'description',
    label: 'Description',
    kind: 'area',
    maxLength: 1_000,
    clears: true,
    hint: 'Only your team sees it.',
  },
  {
    name: 'tax_rate_bps',
    label: 'Tax, in percent',
    kind: 'percent',
    clears: true,
    hint: 'For example 7.5. Empty: invoices show no tax for it. 0 is shown.',
  },
  { name: 'tax_inclusive', label: 'The price includes tax', kind: 'check' },
  {
    name: 'distribution',
    label: 'Shared by',
    kind: 'select',
    clears: true,
    options: await choicesOf(distributionsOf(seen), [distribution]),
  },
]

/** What was typed for an amount, or for a percentage, which has two decimal places as well. */
export const typedAmount = (value: number | null): string =>
  value === null ? '' : decimalOf(BigInt(value))

/** A rate of tax in words, null where there is none: `7.5 %, in the price`. */
const taxOf = ({ tax_rate_bps, tax_inclusive }: Product, seen: Visit): string | null =>
  tax_rate_bps === null
    ? null
    : `${rateOf(seen, tax_rate_bps)}, ${tax_inclusive ? 'included in the price' : 'added to the price'}`

export const activeOr =
  (other: string) =>
  ({ active }: { active: boolean }): string =>
    active ? 'active' : other

export const products: Resource<Product> = {
  path: 'products',
  title: 'Products',
  one: 'product',
  more: 'products',
  group: 'sell',
  list: 'listProducts',
  get: 'getProduct',
  key: 'id',
  exports: 'exportProducts',
  searches: 'Name or id',
  tabs: 'active',
  about: 'A product has a name and a price, for the lines of invoices.',
  columns: [
    { title: 'Name', cell: cells.text('name') },
    { title: 'Status', cell: (doc) => badge(activeOr('archived')(doc)) },
    { title: 'Price', cell: cells.money('amount'), right: true },
    { title: 'Created', cell: cells.created },
    { title: 'Description', cell: cells.text('description'), less: true },
  ],
  heading: ({ name }) => html`<bdi>${name}</bdi>`,
  called: ({ name }) => name,
  status: activeOr('archived'),
  rows: (doc, seen) => [
    ['Unit price', html`<strong>${seen.show.money(doc.amount, doc.currency)}</strong>`],
    ['Tax', taxOf(doc, seen)],
    ['Description', doc.description && html`<bdi>${doc.description}</bdi>`],
    ['Shared by', linkTo(seen, 'distributions', doc.distribution)],
  ],
  actions: [
    action({
      name: 'edit',
      title: 'Change',
      confirm: 'Save',
      operation: 'updateProduct',
      fields: productFields,
      start: (doc) => ({
        name: doc.name,
        amount: decimalOf(BigInt(doc.amount)),
        description: doc.description ?? '',
        tax_rate_bps: typedAmount(doc.tax_rate_bps),
        tax_inclusive: String(doc.tax_inclusive),
        distribution: doc.distribution ?? '',
      }),
      done: 'Product updated. Existing invoices do not change.',
    }),
    action({
      name: 'archive',
      title: 'Archive',
      operation: 'archiveProduct',
      bulk: 'Archive products',
      when: ({ active }) => active,
      foresee: () => ({
        lines: ['New invoice lines cannot use it. Existing invoices do not change.'],
      }),
      done: 'Product archived.',
      undo: 'unarchive',
    }),
    action({
      name: 'unarchive',
      title: 'Restore',
      operation: 'unarchiveProduct',
      bulk: 'Restore products',
      when: ({ active }) => !active,
      foresee: () => ({ lines: ['New invoice lines can use it again.'] }),
      done: 'Product restored.',
      undo: 'archive',
    }),
  ],
  create: creation({
    name: 'new',
    title: 'New product',
    confirm: 'Create',
    operation: 'createProduct',
    fields: async (seen) =>
      [saleCurrency, ...(await productFields(seen))].toSorted(
        (a, b) => Number(b.name === 'name') - Number(a.name === 'name'),
      ),
    done: 'Product created.',
  }),
}
