import type { AnswerOf, BodyOf } from '../../../core/operations.ts'
import { refuseInput } from '../../../lib/errors.ts'
import { html } from '../../../lib/html.ts'
import { decimalOf } from '../../../lib/money.ts'
import type { Visit } from '../place.ts'
import { collecting, methodsThere } from '../readiness.ts'
import { copied, customerOf, linkTo, relatedTo, webLink } from '../related.ts'
import type { Action, NoRecord, Resource } from '../resource.ts'
import { cells } from '../tables.ts'
import type { Field } from '../view/parts.ts'
import { badge } from '../view/parts.ts'
import { en, wordOf } from '../view/strings.ts'
import { bankOf, bankOptions } from './banks.ts'
import { paidChart } from './charts.ts'
import {
  customerField,
  readCustomer,
  readDay,
  requireAvailable,
  workingCurrency,
} from './choosing.ts'
import { refunds } from './refunds.ts'

type Payment = AnswerOf<'getPayment'>
type RefundForm = {
  amount: number
  reason?: string
  destination?: { bank_code: string; account_number: string }
}
type PaymentForm = Omit<BodyOf<'createPayment'>, 'methods' | 'fee_bearer'> & {
  methods?: Partial<Record<PaymentMethod, boolean>>
  fee_bearer?: boolean
}
type PaymentMethod = NonNullable<BodyOf<'createPayment'>['methods']>[number]

/** What of a payment was not given back yet. */
const leftOf = ({ amount_received, amount_refunded }: Payment): number =>
  amount_received - amount_refunded

const elsewhere: Record<string, (options: Field['options'] & object) => Field[]> = {
  bank_transfer: (options) => [
    {
      name: 'destination.bank_code',
      label: 'Bank of another account',
      kind: 'select',
      options,
      hint: 'Leave both empty to return the money to the account that paid.',
    },
    {
      name: 'destination.account_number',
      label: 'Number of another account',
      kind: 'text',
      maxLength: 17,
    },
  ],
}

const refund: Action<'createRefund', Payment, RefundForm> = {
  name: 'refund',
  title: 'Refund',
  confirm: 'Refund now',
  operation: 'createRefund',
  danger: true,
  when: (doc) => doc.status !== 'pending' && leftOf(doc) > 0,
  async fields(seen, doc) {
    const { method, currency } = doc
    const more =
      currency === 'ngn' && seen.can('refund_elsewhere') ? elsewhere[method ?? ''] : undefined
    return [
      {
        name: 'amount',
        label: `Amount in ${wordOf(currency)}`,
        kind: 'money',
        required: true,
        hint: `All or part: up to ${seen.show.money(leftOf(doc), currency)}.`,
      },
      {
        name: 'reason',
        label: 'Reason',
        kind: 'text',
        maxLength: 500,
        hint: 'Only your team sees it.',
      },
      ...(more ? more(await bankOptions(seen, 'ng')) : []),
    ]
  },
  start: (doc) => ({ amount: decimalOf(BigInt(leftOf(doc))) }),
  input: ({ doc, body }) => ({ body: { payment: doc.id, ...body } }),
  async foresee({ doc, body }, { show, api }) {
    const wallets = await api.listWallets()
    const { amount } = body
    const available = wallets.find(({ currency }) => currency === doc.currency)?.available ?? 0
    const money = (value: number): string => show.money(value, doc.currency)
    if (amount > leftOf(doc))
      refuseInput([
        {
          path: 'amount',
          message: `At most ${money(leftOf(doc))} of this payment can be refunded.`,
          location: 'body',
        },
      ])
    requireAvailable({ amount, currency: doc.currency }, available, { show })
    const { destination } = body
    const bank = destination?.bank_code ? await bankOf({ api }, 'ng', destination.bank_code) : null
    return {
      lines: [
        html`<strong>${money(amount)}</strong> leaves your ${wordOf(doc.currency)} wallet, which has ${money(available)} available, and ${money(available - amount)} then.`,
        destination
          ? html`It goes to <code>${destination.account_number}</code> at ${bank ?? destination.bank_code}, by a payout: limits, approval and screening hold for it as for any.`
          : `The money goes back to where it came from${doc.method ? `: ${wordOf(doc.method).toLowerCase()}` : ''}.`,
        `Of this payment, ${money(doc.amount_refunded + amount)} of ${money(doc.amount_received)} will then be refunded.`,
        doc.fee > 0
          ? `The fee of ${money(doc.fee)} is not returned. The refund has no fee.`
          : 'The refund has no fee.',
      ],
    }
  },
  done: 'Refund started.',
  leadsTo: ({ id }) => `/refunds/${id}`,
  about: { refund_too_large: 'amount', destination_required: 'destination.account_number' },
}

const cancel: Action<'cancelPayment', Payment> = {
  name: 'cancel',
  title: 'Cancel payment',
  operation: 'cancelPayment',
  bulk: 'Cancel payments',
  danger: true,
  when: ({ status, invoice }) => status === 'pending' && invoice === null,
  foresee: ({ doc }, { show }) => ({
    lines: [
      `Nobody can pay the ${show.money(doc.amount, doc.currency)} any more. The page says that the payment was canceled.`,
      'No money moves. Money that still arrives goes to your wallet, marked as late.',
    ],
  }),
  done: 'Payment canceled.',
}

const simulate: Action<'simulatePayment', Payment> = {
  name: 'simulate',
  title: 'Simulate payment',
  operation: 'simulatePayment',
  simulates: true,
  when: ({ status }) => status === 'pending',
  fields: (_seen, { methods }) => [
    {
      name: 'outcome',
      label: 'Outcome',
      kind: 'select',
      required: true,
      options: [
        ['completed', 'Pays'],
        ['failed', 'Is declined'],
        ['underpaid', 'Pays too little'],
        ['overpaid', 'Pays too much'],
      ],
    },
    {
      name: 'method',
      label: 'Method',
      kind: 'select',
      options: (methods as string[]).map((one) => [one, wordOf(one)]),
    },
  ],
  done: 'Payment simulated.',
}

const methods = ['bank_transfer', 'card', 'crypto'] as const

/** The methods that a payer can use on this server, in any currency. */
function methodsOf(seen: Visit): PaymentMethod[] {
  const there = methodsThere(seen)
  return methods.filter((method) => there.has(method))
}

const create: Action<'createPayment', NoRecord, PaymentForm> = {
  name: 'new',
  title: 'New payment',
  confirm: 'Create link',
  operation: 'createPayment',
  needs: collecting,
  fields: (seen) => [
    { name: 'amount', label: 'Amount', kind: 'money', required: true },
    workingCurrency(collecting(seen)),
    {
      name: 'description',
      label: 'What it is for',
      kind: 'text',
      maxLength: 500,
      hint: 'The payer sees it.',
    },
    { ...customerField, required: false },
    { name: 'email', label: 'Email address of the payer', kind: 'email', maxLength: 254 },
    ...methodsOf(seen).map(
      (method, i, { length }): Field => ({
        name: `methods.${method}`,
        label: wordOf(method),
        kind: 'check',
        group: 'Payment methods',
        ...(i === length - 1 ? { hint: 'If you select none, all are offered.' } : {}),
      }),
    ),
    { name: 'fee_bearer', label: 'The payer pays the fee on top', kind: 'check' },
    {
      name: 'expires_at',
      label: 'Expires at the end of',
      kind: 'date',
      hint: 'Left empty: for 24 hours. At most 30 days ahead.',
    },
    {
      name: 'reference',
      label: 'Reference',
      kind: 'text',
      maxLength: 100,
      hint: 'Your own name for it, to find it by.',
    },
  ],
  async input({ body: { methods: chosen = {}, fee_bearer, expires_at, customer, ...body } }, seen) {
    const ways = methods.filter((method) => chosen[method])
    return {
      body: {
        ...body,
        ...(customer && { customer: await readCustomer(seen, customer) }),
        ...(ways.length > 0 && { methods: ways }),
        ...(fee_bearer && { fee_bearer: 'customer' as const }),
        ...(expires_at && { expires_at: readDay('expires_at', expires_at, seen.show.timeZone, 1) }),
      },
    }
  },
  done: 'Payment created. Send its link to the payer.',
}

export const payments: Resource<Payment> = {
  path: 'payments',
  title: 'Payments',
  one: 'payment',
  more: 'payments',
  group: 'in',
  list: 'listPayments',
  get: 'getPayment',
  key: 'id',
  exports: 'exportPayments',
  searches: 'Reference, email address, customer or amount',
  tabs: 'status',
  moreTabs: [
    ['Underpaid', 'variance', 'underpaid'],
    ['Refunded', 'refunded', 'true'],
  ],
  namesCustomers: true,
  above: paidChart,
  about: 'Create a payment and send its link, share the link of a collection, or send an invoice.',
  columns: [
    { title: 'Amount', cell: cells.money('amount') },
    {
      title: 'Status',
      cell: ({ status, amount_refunded, amount_received }) =>
        amount_refunded > 0
          ? badge(
              'refunded',
              'dim',
              amount_refunded >= amount_received ? 'Refunded' : 'Partly refunded',
            )
          : badge(status),
    },
    {
      title: 'Payer',
      cell: (doc, seen) =>
        seen.nameOf(doc.customer) ?? cells.text('said')({ said: doc.email ?? doc.description }),
    },
    { title: 'Created', cell: cells.created },
    { title: 'Method', cell: cells.word('method'), less: true },
    { title: 'Reference', cell: cells.text('reference'), less: true },
  ],
  heading: ({ amount, currency }, { show }) => show.money(amount, currency),
  called: () => 'Payment',
  status: ({ status }) => status,
  rows: (doc, seen) => {
    const money = (value: number): string => seen.show.money(value, doc.currency)
    return [
      ['Customer', customerOf(doc, seen)],
      ['Email address', doc.email && html`<bdi>${doc.email}</bdi>`],
      ['Description', doc.description && html`<bdi>${doc.description}</bdi>`],
      ['Reference', copied(doc.reference)],
      ['Method', doc.method && wordOf(doc.method)],
      ['Received', money(doc.amount_received)],
      doc.variance &&
        doc.variance !== 'exact' && ['Compared with the amount due', badge(doc.variance, 'warn')],
      doc.amount_confirming > 0 && ['Waits for confirmations', money(doc.amount_confirming)],
      [
        'Fee',
        html`${money(doc.fee)} (${doc.fee_bearer === 'customer' ? 'paid by the payer' : 'paid by you'})`,
      ],
      ['Net', money(doc.net)],
      doc.amount_refunded > 0 && ['Refunded', money(doc.amount_refunded)],
      ['Paid', doc.paid_at && seen.show.time(doc.paid_at)],
      doc.failure_reason && ['Last decline', wordOf(doc.failure_reason)],
      doc.attempts > 0 && ['Card attempts', seen.show.number(doc.attempts)],
      ['Invoice', linkTo(seen, 'invoices', doc.invoice, en.see('invoice'))],
      ['Collection', linkTo(seen, 'collections', doc.collection, en.see('collection'))],
      ['Transaction', linkTo(seen, 'transactions', doc.transaction, en.see('transaction'))],
      doc.status === 'pending' && ['Payment page', webLink(doc.checkout_url)],
      doc.status === 'pending' && ['Until', seen.show.time(doc.expires_at)],
    ]
  },
  sections: [
    relatedTo('Refunds', refunds, {
      input: ({ id }) => ({ query: { payment: id } }),
      all: ({ id }) => `/refunds?payment=${id}`,
    }),
  ],
  actions: [refund, cancel, simulate],
  create,
}
