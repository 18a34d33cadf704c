import { addressLines } from '../../../books/profiles/profiles.ts'
import type { AnswerOf, BodyOf } from '../../../core/operations.ts'
import { html } from '../../../lib/html.ts'
import type { Visit } from '../place.ts'
import { verifying, workingOf } from '../readiness.ts'
import { countries } from '../regions.ts'
import { copied, relatedTo } from '../related.ts'
import {
  type Action,
  actionsOn,
  type NoRecord,
  type Resource,
  type Section,
  type Values,
} from '../resource.ts'
import { cells } from '../tables.ts'
import { badge, type Field } from '../view/parts.ts'
import { en, wordOf } from '../view/strings.ts'
import { ofCustomer } from './accounts.ts'
import { bankOptions } from './banks.ts'
import { invoices } from './invoices.ts'
import { payments } from './payments.ts'

type Customer = AnswerOf<'getCustomer'>
const action = actionsOn<Customer>()

type CustomerForm = Pick<BodyOf<'createCustomer'>, 'name' | 'email' | 'type' | 'address'> & {
  phone?: string | null
  reference?: string | null
}

const fields: readonly Field[] = [
  { name: 'name', label: 'Name', kind: 'text', required: true, maxLength: 200 },
  { name: 'email', label: 'Email address', kind: 'email', required: true, maxLength: 254 },
  {
    name: 'type',
    label: 'Kind',
    kind: 'select',
    required: true,
    options: [
      ['individual', 'A person'],
      ['business', 'A company'],
    ],
  },
  {
    name: 'phone',
    label: 'Phone',
    kind: 'phone',
    maxLength: 30,
    clears: true,
    hint: 'As dialled in your country, or with + and the country code.',
  },
  {
    name: 'reference',
    label: 'Reference',
    kind: 'text',
    maxLength: 100,
    clears: true,
    hint: 'Your own name for it, to find it by.',
  },
  { name: 'address.line1', label: 'Street and number', kind: 'area', rows: 2, maxLength: 200 },
  { name: 'address.city', label: 'City', kind: 'text', maxLength: 200 },
  { name: 'address.state', label: 'State', kind: 'text', maxLength: 200 },
  { name: 'address.postal_code', label: 'Postal code', kind: 'text', maxLength: 200 },
  {
    name: 'address.country',
    label: 'Country',
    kind: 'select',
    options: [['', en.noCountry], ...countries],
  },
]

const startOf = ({ name, email, type, phone, reference, address }: Customer): Values => ({
  name,
  email,
  type,
  phone: phone ?? '',
  reference: reference ?? '',
  ...Object.fromEntries(
    Object.entries((address ?? {}) as Values).map(([part, text]) => [`address.${part}`, text]),
  ),
})

const documentTypes = ['bvn', 'nin', 'passport', 'drivers_license', 'voters_card', 'cac', 'tin']

const documentFields = async (seen: Visit): Promise<Field[]> => [
  {
    name: 'id_type',
    label: 'Document',
    kind: 'select',
    required: true,
    options: workingOf(
      documentTypes.map((one): [string, string] => [one, wordOf(one)]),
      verifying(seen, documentTypes),
    ),
  },
  {
    name: 'id_number',
    label: 'Number',
    kind: 'text',
    required: true,
    maxLength: 40,
    hint: 'Kept encrypted, and never shown again.',
  },
  {
    name: 'bank_code',
    label: 'Bank of the customer’s account',
    kind: 'select',
    options: await bankOptions(seen, 'ng'),
  },
  {
    name: 'account_number',
    label: 'Account number of the customer',
    kind: 'text',
    maxLength: 10,
    hint: 'Some providers compare the document with this account.',
  },
]

const documents: Section<Customer> = {
  title: 'Verified documents',
  async content({ id }, { api, show }) {
    const docs = await api.listCustomerDocuments({ params: { id } })
    if (docs.length === 0) return false
    return html`<div class="scroll" tabindex="0"><table><thead><tr><th scope="col">Document</th><th scope="col">Number</th><th scope="col">Status</th><th scope="col">Verified</th></tr></thead><tbody>${docs.map(
      (doc) =>
        html`<tr><td>${wordOf(doc.id_type)}</td><td><code>${doc.id_number}</code></td><td>${badge(doc.status)}</td><td>${doc.verified_at ? show.time(doc.verified_at) : en.none}</td></tr>`,
    )}</tbody></table></div>`
  },
}

const create: Action<'createCustomer', NoRecord, CustomerForm> = {
  name: 'new',
  title: 'New customer',
  confirm: 'Create',
  operation: 'createCustomer',
  fields: () => fields,
  input: ({ body: { phone, reference, ...body } }) => ({
    body: { ...body, ...(phone && { phone }), ...(reference && { reference }) },
  }),
  done: 'Customer created.',
}

export const customers: Resource<Customer> = {
  path: 'customers',
  title: 'Customers',
  one: 'customer',
  more: 'customers',
  group: 'in',
  list: 'listCustomers',
  get: 'getCustomer',
  key: 'id',
  exports: 'exportCustomers',
  searches: 'Name, email address, phone or reference',
  about: 'Customers pay you. Give them virtual accounts and send them invoices.',
  columns: [
    { title: 'Name', cell: cells.text('name') },
    {
      title: 'Identity',
      cell: ({ kyc_status }) =>
        kyc_status === 'none' ? badge('none', 'dim', 'Not verified') : badge(kyc_status),
    },
    { title: 'Email address', cell: cells.text('email') },
    { title: 'Created', cell: cells.created },
    { title: 'Kind', cell: cells.word('type'), less: true },
    { title: 'Reference', cell: cells.text('reference'), less: true },
  ],
  heading: ({ name }) => html`<bdi>${name}</bdi>`,
  called: ({ name }) => name,
  rows: (doc, { show }) => [
    ['Email address', html`<bdi>${doc.email}</bdi> `],
    ['Phone', copied(doc.phone)],
    ['Kind', doc.type === 'individual' ? 'A person' : 'A company'],
    ['Identity', doc.kyc_status === 'none' ? 'Not verified' : badge(doc.kyc_status)],
    ['Reference', copied(doc.reference)],
    [
      'Address',
      doc.address && html`<bdi>${addressLines(doc.address, show.locale).join(', ')}</bdi>`,
    ],
  ],
  sections: [
    relatedTo('Payments', payments, {
      input: ({ id }) => ({ query: { customer: id } }),
      all: ({ id }) => `/payments?customer=${id}`,
    }),
    relatedTo('Invoices', invoices, {
      input: ({ id }) => ({ query: { customer: id } }),
      all: ({ id }) => `/invoices?customer=${id}`,
    }),
    ...ofCustomer,
    documents,
  ],
  actions: [
    action({
      name: 'edit',
      title: 'Change',
      confirm: 'Save',
      operation: 'updateCustomer',
      fields: () => fields,
      start: startOf,
      input: ({ doc, body }) => ({
        params: { id: doc.id },
        body: { ...body, address: body.address ?? null },
      }),
      done: 'Customer updated.',
    }),
    action({
      name: 'verify',
      title: 'Verify a document',
      operation: 'verifyCustomerDocument',
      needs: (seen) => verifying(seen, documentTypes),
      fields: documentFields,
      done: 'Document sent for verification. See the result below.',
      leadsTo: (_answer, { id }) => `/customers/${id}`,
    }),
    action({
      name: 'delete',
      title: 'Delete',
      operation: 'deleteCustomer',
      danger: true,
      foresee: ({ doc }) => ({
        lines: [
          html`<bdi>${doc.name}</bdi> is no longer listed. You cannot create new records for them.`,
          'Existing payments and invoices do not change. No money moves.',
        ],
      }),
      done: 'Customer deleted.',
      leadsTo: () => '/customers',
    }),
    action({
      name: 'erase',
      title: 'Erase permanently',
      operation: 'eraseCustomer',
      danger: true,
      foresee: ({ doc }) => ({
        lines: [
          html`All personal data of <bdi>${doc.name}</bdi> is erased here and in payments, invoices, emails and events. You cannot undo this.`,
          'First download what the law requires you to keep, such as invoices. Amounts, times and ids stay. No money moves.',
        ],
      }),
      done: 'Customer erased.',
      leadsTo: () => '/customers',
    }),
  ],
  create,
}
