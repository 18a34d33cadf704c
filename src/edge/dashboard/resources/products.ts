/**
 * What is sold by invoice, and how what is paid for it is shared.
 */
import { html } from '../../../lib/html.ts'
import { decimalOf } from '../../../lib/money.ts'
import type { Doc, Visit } from '../place.ts'
import { destinationOf, linkTo } from '../related.ts'
import type { Resource } from '../resource.ts'
import { cells } from '../tables.ts'
import { badge, type Field } from '../view/parts.ts'
import { wordOf } from '../view/strings.ts'
import { choicesOf } from './choosing.ts'

export const saleCurrency: Field = {
  name: 'currency',
  label: 'Currency',
  kind: 'select',
  required: true,
  options: [
    ['ngn', 'NGN'],
    ['usd', 'USD'],
    ['eur', 'EUR, which is collected in USD'],
  ],
}

const productFields = async (seen: Visit): Promise<Field[]> => [
  { name: 'name', label: 'Name', kind: 'text', required: true, maxLength: 200, hint: 'What it is called on invoices.' },
  { name: 'amount', label: 'Price of one', kind: 'money', required: true },
  {
    name: 'description',
    label: 'Description',
    kind: 'area',
    maxLength: 1_000,
    clears: true,
    hint: 'For your own eyes.',
  },
  {
    name: 'distribution',
    label: 'Shared by',
    kind: 'select',
    clears: true,
    options: await choicesOf(seen, 'listDistributions', ({ name }) => name, 'Not shared'),
  },
]

const activeOr =
  (other: string) =>
  ({ active }: Doc): string =>
    active ? 'active' : other

export const products: Resource = {
  path: 'products',
  title: 'Products',
  one: 'product',
  more: 'products',
  group: 'sell',
  list: 'listProducts',
  get: 'getProduct',
  key: 'id',
  tabs: 'active',
  about: 'A product has a name and a price: invoices are made of them.',
  columns: [
    { title: 'Name', cell: cells.text('name') },
    { title: 'Status', cell: (doc) => badge(activeOr('archived')(doc)) },
    { title: 'Price', cell: cells.money('amount') },
    { title: 'Created', cell: cells.created },
    { title: 'Description', cell: cells.text('description'), less: true },
  ],
  heading: ({ name }) => html`<bdi>${name}</bdi>`,
  called: ({ name }) => name,
  status: activeOr('archived'),
  rows: (doc, seen) => [
    ['Price of one', html`<strong>${seen.show.money(doc.amount, doc.currency)}</strong>`],
    ['Description', doc.description && html`<bdi>${doc.description}</bdi>`],
    ['Shared by', linkTo(seen, 'distributions', doc.distribution)],
  ],
  actions: [
    {
      name: 'edit',
      title: 'Change',
      confirm: 'Save',
      operation: 'updateProduct',
      fields: productFields,
      start: (doc) => ({
        name: doc.name,
        amount: decimalOf(BigInt(doc.amount)),
        description: doc.description ?? '',
        distribution: doc.distribution ?? '',
      }),
      done: 'The product is changed. Invoices that have it stay as they were.',
    },
    {
      name: 'archive',
      title: 'Archive',
      operation: 'archiveProduct',
      when: ({ active }) => active,
      foresee: () => ({ lines: ['No new line of an invoice can name it. Invoices that have it stay as they are.'] }),
      done: 'The product is archived.',
    },
    {
      name: 'unarchive',
      title: 'Sell again',
      operation: 'unarchiveProduct',
      when: ({ active }) => !active,
      foresee: () => ({ lines: ['Invoices can name it again.'] }),
      done: 'The product can be sold again.',
    },
  ],
  create: {
    name: 'new',
    title: 'New product',
    confirm: 'Create',
    operation: 'createProduct',
    fields: async (seen) =>
      [saleCurrency, ...(await productFields(seen))].toSorted(
        (a, b) => Number(b.name === 'name') - Number(a.name === 'name'),
      ),
    done: 'The product is there.',
  },
}

const partOf = ({ percentage_bps, flat_amount }: Doc, currency: string, { show }: Visit): string =>
  percentage_bps === null ? `${show.money(flat_amount, currency)} for each` : `${show.number(percentage_bps / 100)} %`

const sharesOf = (doc: Doc, seen: Visit) =>
  html`<div class="scroll" tabindex="0"><table><thead><tr><th scope="col">For</th><th scope="col">Share</th><th scope="col" class="right">Holds</th><th scope="col" class="right">Paid out</th><th scope="col">Goes to</th></tr></thead><tbody>${(
    doc.shares as Doc[]
  ).map(
    (share) =>
      html`<tr><td><bdi>${share.name}</bdi>${share.removed && html` ${badge('removed')}`}</td><td>${partOf(share, doc.currency, seen)}</td><td class="right">${seen.show.money(share.accrued, doc.settlement_currency)}</td><td class="right">${seen.show.money(share.settled, doc.settlement_currency)}</td><td>${share.destination ? destinationOf(share.destination) : 'Not known yet'}</td></tr>`,
  )}</tbody></table></div>`

const accruedOf = ({ shares }: Doc): Doc[] => (shares as Doc[]).filter(({ accrued }) => accrued > 0)
const sum = (amounts: number[]): number => amounts.reduce((a, b) => a + b, 0)

export const distributions: Resource = {
  path: 'distributions',
  title: 'Distributions',
  one: 'distribution',
  more: 'distributions',
  group: 'sell',
  list: 'listDistributions',
  get: 'getDistribution',
  key: 'id',
  tabs: 'active',
  about: 'A distribution shares what a product sells for among partners. They are made by the API.',
  columns: [
    { title: 'Name', cell: cells.text('name') },
    { title: 'Status', cell: (doc) => badge(activeOr('inactive')(doc)) },
    {
      title: 'Held for others',
      cell: (doc, { show }) => show.money(sum(accruedOf(doc).map(({ accrued }) => accrued)), doc.settlement_currency),
    },
    { title: 'Created', cell: cells.created },
    { title: 'Shares', cell: ({ shares }, { show }) => show.number(shares.length), less: true, right: true },
  ],
  heading: ({ name }) => html`<bdi>${name}</bdi>`,
  called: ({ name }) => name,
  status: activeOr('inactive'),
  rows: (doc) => [
    ['Currency of its products', wordOf(doc.currency)],
    ['Shares are held in', wordOf(doc.settlement_currency)],
  ],
  sections: [{ title: 'Shares', content: sharesOf }],
  actions: [
    {
      name: 'settle',
      title: 'Pay the shares out',
      operation: 'settleDistribution',
      danger: true,
      when: (doc) => accruedOf(doc).length > 0,
      foresee: ({ doc }, { show }) => ({
        lines: accruedOf(doc).map(({ name, accrued, destination }) =>
          destination
            ? html`<strong>${show.money(accrued, doc.settlement_currency)}</strong> goes to <bdi>${name}</bdi>, less the fee of its payout: ${destinationOf(destination)}`
            : html`<bdi>${name}</bdi> keeps ${show.money(accrued, doc.settlement_currency)} for now: where it goes is not known yet.`,
        ),
      }),
      done: 'The shares are on their way. What could not be paid out stays held.',
      leadsTo: (_answer, { id }) => `/distributions/${id}`,
    },
    {
      name: 'deactivate',
      title: 'Turn off',
      operation: 'deactivateDistribution',
      when: ({ active }) => active,
      foresee: () => ({ lines: ['What is paid from now on is not shared. What its shares hold stays theirs.'] }),
      done: 'The distribution is off.',
    },
    {
      name: 'activate',
      title: 'Turn on',
      operation: 'activateDistribution',
      when: ({ active }) => !active,
      foresee: () => ({ lines: ['What is paid for its products from now on is shared.'] }),
      done: 'The distribution is on.',
    },
  ],
}
