import type { AnswerOf } from '../../../core/operations.ts'
import { dayOf } from '../../../lib/days.ts'
import { refuseInput } from '../../../lib/errors.ts'
import { html, type Part } from '../../../lib/html.ts'
import type { Visit } from '../place.ts'
import { collectingIn, mailing } from '../readiness.ts'
import { customerOf, linkTo, relatedTo, webLink } from '../related.ts'
import {
  type Action,
  type AnyAction,
  actionsOn,
  type NoRecord,
  type Resource,
  type Values,
} from '../resource.ts'
import { cells, labeled } from '../tables.ts'
import { badge, type Field, fact, facts } from '../view/parts.ts'
import { en } from '../view/strings.ts'
import { type CustomerForm, choicesOf, chosenCustomer, customerFields } from './choosing.ts'
import { creditNotes } from './credit-notes.ts'
import { type InvoiceForm, linesOf, rowsOf } from './invoice-lines.ts'
import { rateOf, taxRows } from './taxes.ts'

type Invoice = AnswerOf<'getInvoice'>
const action = actionsOn<Invoice>()

const titleOf = ({ number }: Invoice): string => (number === null ? 'Draft' : `Invoice ${number}`)

/** Whether the day on which it is due is over, where the business is. */
const isLate = ({ status, due_day }: Invoice, { ctx, show }: Visit): boolean =>
  status === 'open' && due_day !== null && due_day < dayOf(ctx.scope.now, show.timeZone)

const dueOf = ({ amount_due, collect_currency, currency }: Invoice, show: Visit['show']): string =>
  show.money(amount_due, collect_currency ?? currency)

const more: readonly Field[] = [
  { name: 'due_date', label: 'Due date', kind: 'date', clears: true },
  {
    name: 'memo',
    label: 'Note',
    kind: 'area',
    maxLength: 1_000,
    clears: true,
    hint: 'Printed below the lines.',
  },
]

const lines: NonNullable<AnyAction['rows']> = {
  name: 'lines',
  title: 'Lines',
  about:
    'Choose a product, or describe what you sell. Empty fields are filled in from the product. If you choose another product, its name, price and tax are used unless you type your own.',
  filledBy: ['product', 'name', 'amount'],
  least: 3,
  fields: async (seen: Visit, values: Values) => [
    {
      name: 'product',
      label: 'Product',
      kind: 'select',
      options: await choicesOf(
        {
          list: (query) => seen.api.listProducts({ query }),
          get: (id) => seen.api.getProduct({ params: { id } }),
          first: 'None: described here',
          textOf: ({ name, amount, currency }) => `${name} – ${seen.show.money(amount, currency)}`,
        },
        Object.entries(values).flatMap(([name, value]) =>
          /^lines\.\d+\.product$/.test(name) ? [value] : [],
        ),
      ),
    },
    { name: 'name', label: 'Description', kind: 'text', maxLength: 200 },
    { name: 'amount', label: 'Unit price', kind: 'money' },
    { name: 'quantity', label: 'Quantity', kind: 'number' },
    { name: 'discount_bps', label: 'Discount in %', kind: 'percent' },
    { name: 'tax_rate_bps', label: 'Tax in %', kind: 'percent' },
    { name: 'carried', label: '', kind: 'hidden' },
  ],
}

const currencyField: Field = {
  name: 'currency',
  label: 'Currency',
  kind: 'select',
  options: [
    ['', 'From the products'],
    ['ngn', 'NGN'],
    ['usd', 'USD'],
    ['eur', 'EUR'],
  ],
  hint: 'Required if no line has a product.',
}

/** What the lines of a form come to, by the rules of the API. */
async function totalOf({ body }: { body: InvoiceForm }, { api, show }: Visit): Promise<Part> {
  const lines = linesOf(body)
  if (lines.length === 0) return en.noTotal
  const { currency } = body
  const {
    total,
    subtotal,
    tax,
    lines: worked,
    ...of
  } = await api.previewInvoice({
    body: { lines, ...(currency ? { currency } : {}) },
  })
  const money = (amount: number): string => show.money(amount, of.currency)
  const discount = worked.reduce((sum, line) => sum + line.discount, 0)
  return facts([
    discount > 0 && fact('Discounts', `−${money(discount)}`),
    tax > 0 && fact('Without tax', money(subtotal)),
    tax > 0 && fact('Tax', money(tax)),
    fact('Total', html`<strong>${money(total)}</strong>`),
  ])
}

const linesTable = (doc: Invoice, seen: Visit) => {
  const { lines, total, currency, taxes } = doc
  const { show } = seen
  const taxed = taxes.length > 0
  return html`<div class="scroll stack" tabindex="0"><table><thead><tr><th scope="col">Product</th><th scope="col" class="right">Price</th><th scope="col" class="right">Quantity</th>${taxed && html`<th scope="col" class="right">Tax</th>`}<th scope="col" class="right">Total</th></tr></thead><tbody>${lines.map(
    (line) =>
      html`<tr><th scope="row"><bdi>${line.name}</bdi>${line.discount > 0 && html`<br><small class="dim">Discount${line.discount_bps !== null && ` of ${rateOf(seen, line.discount_bps)}`}: −${show.money(line.discount, currency)}</small>`}</th>${labeled('Price', show.money(line.amount, currency))}${labeled('Quantity', show.number(line.quantity))}${taxed && labeled('Tax', line.tax_rate_bps === null ? en.none : `${line.tax_inclusive ? 'incl. ' : ''}${rateOf(seen, line.tax_rate_bps)}`)}${labeled('Total', show.money(line.total, currency))}</tr>`,
  )}</tbody><tfoot>${taxRows(doc, seen).map((row) => html`<tr class="sum"><th scope="row" colspan="4">${row[0]}</th><td class="right">${row[1]}</td></tr>`)}<tr class="sum"><th scope="row" colspan="${taxed ? 4 : 3}">Total</th><td class="right"><strong>${show.money(total, currency)}</strong></td></tr></tfoot></table></div>`
}

const startOf = async (
  { due_day, memo, lines, currency }: Invoice,
  seen: Visit,
): Promise<Values> => ({
  due_date: due_day ?? '',
  memo: memo ?? '',
  currency,
  ...(await rowsOf(lines, seen)),
})

const edit: Action<'updateInvoice', Invoice, InvoiceForm> = {
  name: 'edit',
  title: 'Change',
  confirm: 'Save',
  operation: 'updateInvoice',
  when: ({ status }) => status === 'draft',
  fields: () => [currencyField, ...more],
  rows: lines,
  start: startOf,
  total: totalOf,
  input: ({ doc, body }) => ({
    params: { id: doc.id },
    body: { ...body, lines: linesOf(body) },
  }),
  done: 'Draft updated.',
}

const create: Action<'createInvoice', NoRecord, InvoiceForm & CustomerForm> = {
  name: 'new',
  title: 'New invoice',
  confirm: 'Create',
  operation: 'createInvoice',
  fields: async (seen) => [...(await customerFields(seen)), currencyField, ...more],
  rows: lines,
  total: totalOf,
  async input({ body: { customer, new_name, new_email, ...body } }, seen) {
    const lines = linesOf(body)
    if (lines.length === 0)
      return refuseInput([{ path: 'lines.0.name', message: en.required, location: 'body' }])
    const chosen = { customer, new_name, new_email }
    return {
      body: { ...body, customer: await chosenCustomer(seen, chosen as CustomerForm), lines },
    }
  },
  done: 'Draft created. Finalize it to request payment.',
}

export const invoices: Resource<Invoice> = {
  path: 'invoices',
  title: 'Invoices',
  one: 'invoice',
  more: 'invoices',
  group: 'sell',
  list: 'listInvoices',
  get: 'getInvoice',
  key: 'id',
  exports: 'exportInvoices',
  searches: 'Number, customer, email address or total',
  tabs: 'status',
  moreTabs: [['Overdue', 'overdue', 'true']],
  namesCustomers: true,
  about: 'An invoice requests payment from a customer, by email and on its own page.',
  columns: [
    { title: 'Invoice', cell: titleOf },
    {
      title: 'Status',
      cell: (doc, seen) => (isLate(doc, seen) ? badge('overdue') : badge(doc.status)),
    },
    { title: 'Customer', cell: ({ customer }, seen) => seen.nameOf(customer) },
    { title: 'Total', cell: cells.money('total'), right: true },
    { title: 'Still due', cell: (doc, { show }) => dueOf(doc, show), less: true, right: true },
    {
      title: 'Due',
      cell: ({ due_day }, { show }) => (due_day ? show.date(due_day) : en.none),
      less: true,
    },
    { title: 'Created', cell: cells.created, less: true },
  ],
  heading: (doc, { show }) => `${titleOf(doc)} · ${show.money(doc.total, doc.currency)}`,
  called: titleOf,
  status: ({ status }) => status,
  rows: (doc, seen) => {
    const { show } = seen
    return [
      ['Customer', customerOf(doc, seen)],
      doc.status !== 'draft' && [
        'Paid so far',
        seen.show.money(doc.amount_paid, doc.collect_currency ?? doc.currency),
      ],
      doc.status !== 'draft' && ['Still due', dueOf(doc, show)],
      ['Due', doc.due_day && show.date(doc.due_day)],
      ['Payment page', doc.payment_url && webLink(doc.payment_url)],
      ['Payment', linkTo(seen, 'payments', doc.payment, en.see('payment'))],
      doc.collect_currency &&
        doc.collect_currency !== doc.currency && [
          'Collected',
          `${show.money(doc.collect_amount ?? 0, doc.collect_currency)}, at ${doc.exchange_rate}`,
        ],
      ['Note', doc.memo && html`<bdi>${doc.memo}</bdi>`],
      ['Last mailed', doc.sent_at && show.time(doc.sent_at)],
      ['Finalized', doc.finalized_at && show.time(doc.finalized_at)],
      ['Paid', doc.paid_at && show.time(doc.paid_at)],
      ['Voided', doc.voided_at && show.time(doc.voided_at)],
      ['PDF', html`<a href="${seen.base}/invoices/${doc.id}/pdf">Download invoice</a>`],
    ]
  },
  sections: [
    { title: 'Lines', content: linesTable },
    relatedTo('Credit notes', creditNotes, {
      input: ({ id }) => ({ query: { invoice: id } }),
      all: ({ id }) => `/credit-notes?invoice=${id}`,
    }),
  ],
  elsewhere: ({ payment, status, amount_paid, number }, seen) =>
    payment !== null && status !== 'draft' && amount_paid > 0 && seen.allowed('createRefund')
      ? [[`/payments/${payment}/refund?reason=Invoice+${number}`, 'Refund or credit']]
      : [],
  actions: [
    action({
      name: 'finalize',
      title: 'Finalize',
      leads: true,
      operation: 'finalizeInvoice',
      bulk: 'Finalize invoices',
      needs: (seen, { currency }) => collectingIn(seen, currency),
      when: ({ status }) => status === 'draft',
      foresee: ({ doc }, { show }) => ({
        lines: [
          html`The customer owes <strong>${show.money(doc.total, doc.currency)}</strong> and gets a page to pay it.`,
          'It gets the next number. After that you can only void it.',
          doc.currency === 'eur'
            ? 'The rate to dollars is fixed at this moment.'
            : 'No money moves until it is paid.',
        ],
      }),
      done: 'Invoice finalized. Send it to the customer.',
    }),
    action({
      name: 'send',
      title: 'Send by email',
      operation: 'sendInvoice',
      bulk: 'Send invoices by email',
      needs: mailing,
      when: ({ status }) => status === 'open',
      foresee: ({ doc }, { show }) => ({
        lines: [
          'It is sent to the customer’s email address, with the PDF and the payment page.',
          doc.sent_at ? `It was last sent: ${show.time(doc.sent_at)}.` : 'It was not sent before.',
        ],
      }),
      done: 'Invoice sent.',
    }),
    edit,
    action({
      name: 'void',
      title: 'Void',
      operation: 'voidInvoice',
      bulk: 'Void invoices',
      danger: true,
      when: ({ status }) => status === 'open',
      foresee: ({ doc }, { show }) => ({
        lines: [
          `The customer no longer owes ${show.money(doc.total, doc.currency)}, and the page says so.`,
          'It keeps its number. Money that still arrives goes to your wallet, marked as late.',
        ],
      }),
      done: 'Invoice voided.',
    }),
    action({
      name: 'delete',
      title: 'Delete draft',
      operation: 'deleteInvoice',
      bulk: 'Delete drafts',
      danger: true,
      when: ({ status }) => status === 'draft',
      foresee: () => ({
        lines: ['You cannot undo this. The draft has no number, and nobody owes anything for it.'],
      }),
      done: 'Draft deleted.',
      leadsTo: () => '/invoices',
    }),
  ],
  create,
}
