import type { AnswerOf, BodyOf } from '../../../core/operations.ts'
import { dayOf } from '../../../lib/days.ts'
import { html } from '../../../lib/html.ts'
import { randomText } from '../../../lib/secrets.ts'
import { approvalSection, approve, isOwn, refuse, waits, whatWaits } from '../approvals.ts'
import type { Visit } from '../place.ts'
import { payingOut } from '../readiness.ts'
import { copied, destinationOf, linkTo, shortDestination } from '../related.ts'
import type { Action, Foreseen, Resource, Values } from '../resource.ts'
import { cells } from '../tables.ts'
import type { Field } from '../view/parts.ts'
import { badge } from '../view/parts.ts'
import { en, wordOf } from '../view/strings.ts'
import { outcomeField, requireAvailable } from './choosing.ts'
import {
  aboutDestination,
  destinationFields,
  holderOf,
  kindOf,
  type PaidTo,
  paidTo,
  workingKinds,
} from './destinations.ts'
import { whyNot } from './why-not.ts'

type Payout = AnswerOf<'getPayout'>
type Beneficiary = AnswerOf<'getBeneficiary'>
type Quote = AnswerOf<'quotePayout'>
/** A payout as the form has it; `to` is a kind of destination, or a saved one. */
type PayoutForm = BodyOf<'createPayout'> & { to?: string }
type Order = Omit<PayoutForm, 'to' | 'reference' | 'description' | 'beneficiary'> & PaidTo

const saved = ['saved', 'Saved'] as const

/** Whom a payout can name. */
async function payeesOf({ api }: Visit): Promise<Beneficiary[]> {
  return (await api.listBeneficiaries({ query: { status: 'active', limit: 100 } })).docs
}

const payeeField = (payees: Beneficiary[]): Field => ({
  name: 'beneficiary',
  label: 'Beneficiary',
  kind: 'select',
  required: true,
  options: [
    ['', 'Choose one'],
    ...payees.map(({ id, label, destination }): [string, string] => [
      id,
      `${label}: ${shortDestination(destination)}`,
    ]),
  ],
})

async function fieldsOf(seen: Visit, _doc: object, values: Values): Promise<Field[]> {
  const [wallets, payees] = await Promise.all([seen.api.listWallets(), payeesOf(seen)])
  const from = wallets.map(({ currency, available }): [string, string] => [
    currency,
    `${wordOf(currency)}: ${seen.show.money(available, currency)} available`,
  ])
  return [
    {
      name: 'to',
      label: 'Destination',
      kind: 'choice',
      options: [...(payees.length > 0 ? [saved] : []), ...workingKinds(seen)],
    },
    { name: 'currency', label: 'From your wallet', kind: 'select', required: true, options: from },
    {
      name: 'amount',
      label: 'Amount',
      kind: 'money',
      required: true,
      hint: 'The amount that leaves the wallet. The fee is taken from it. You see it before you confirm.',
    },
    ...(values.to === saved[0] && payees.length > 0
      ? [payeeField(payees)]
      : await destinationFields(seen, kindOf(values))),
    {
      name: 'description',
      label: 'Description',
      kind: 'text',
      maxLength: 500,
      hint: 'Only your team sees it.',
    },
    {
      name: 'reference',
      label: 'Reference',
      kind: 'text',
      required: true,
      maxLength: 100,
      hint: 'Your own name for it, to find it by.',
    },
    { name: 'quote', label: '', kind: 'hidden' },
  ]
}

/** What the API is asked for, without what only the form knows. */
const payoutOf = ({ to, quote, ...body }: PayoutForm): BodyOf<'createPayout'> => ({
  ...body,
  ...(quote ? { quote } : {}),
  ...(body.beneficiary === undefined ? paidTo(kindOf({ to }), body.destination ?? {}) : {}),
})

/** Returns the payout as a quote takes it: with the destination itself. */
async function orderOf(
  { amount, currency, to, destination: typed = {}, beneficiary }: PayoutForm,
  { api }: Visit,
): Promise<{ order: Order; payee: Beneficiary | null }> {
  if (beneficiary === undefined)
    return { order: { amount, currency, ...paidTo(kindOf({ to }), typed) }, payee: null }
  const payee = await api.getBeneficiary({ params: { id: beneficiary } })
  const {
    bank_name: _bank,
    contract_address: _contract,
    resolved_account_name: _name,
    ...destination
  } = payee.destination
  return { order: { amount, currency, method: payee.method, destination }, payee }
}

async function foresee(body: PayoutForm, visit: Visit): Promise<Foreseen> {
  const { show } = visit
  const { order, payee } = await orderOf(body, visit)
  const holder = payee ? null : await holderOf(visit, order.destination)
  const quote = await visit.api.quotePayout({ body: order })
  const wallets = await visit.api.listWallets()
  const available = wallets.find(({ currency }) => currency === order.currency)?.available ?? 0
  requireAvailable(order, available, visit)
  const money = (value: number): string => show.money(value, order.currency)
  const destination = holder
    ? {
        ...quote.destination,
        resolved_account_name: holder.account_name,
        bank_name: holder.bank_name,
      }
    : (payee?.destination ?? quote.destination)
  const arrives = show.money(quote.destination_amount, quote.destination_currency)
  return {
    lines: [
      html`<strong>${money(order.amount)}</strong> leaves your ${wordOf(order.currency)} wallet, which has ${money(available)} available, and ${money(available - order.amount)} then.`,
      `The fee is ${money(quote.fee)}${feeParts(quote, money)}.`,
      html`<strong>${arrives}</strong> arrives${quote.destination_currency === order.currency ? '' : ` at a rate of ${quote.rate}`}, at about ${show.time(quote.estimated_arrival)}.`,
      html`Destination:<br>${destinationOf(destination)}`,
      `This price holds until ${show.time(quote.expires_at)}.`,
      ...(await whatWaits(order, visit)),
    ],
    warnings: quote.warnings.map(({ message }) => message as string),
    values: { quote: quote.id },
  }
}

const feeParts = (
  { fee_breakdown }: Pick<Quote, 'fee_breakdown'>,
  money: (value: number) => string,
): string =>
  fee_breakdown.length > 1
    ? `: ${fee_breakdown.map(({ type, amount }) => `${wordOf(type).toLowerCase()} ${money(amount)}`).join(', ')}`
    : ''

const create: Action<'createPayout', Pick<Payout, 'approval'>, PayoutForm> = {
  name: 'new',
  title: 'New payout',
  confirm: 'Pay out',
  operation: 'createPayout',
  needs: payingOut,
  fields: fieldsOf,
  start: (_doc, seen) => ({
    to: workingKinds(seen)[0]?.[0] ?? 'ng',
    reference: `payout-${dayOf(seen.ctx.scope.now, seen.show.timeZone)}-${randomText(6)}`,
  }),
  input: ({ body }) => ({ body: payoutOf(body) }),
  foresee: ({ body }, visit) => foresee(body, visit),
  done: 'Payout created.',
  ended: (doc) => waits(doc) && 'Payout created. It is sent when someone else approves it.',
  about: {
    ...aboutDestination,
    beneficiary_not_found: 'beneficiary',
    beneficiary_cooling_off: 'beneficiary',
  },
}

const cancel: Action<'cancelPayout', Payout> = {
  name: 'cancel',
  title: 'Cancel payout',
  operation: 'cancelPayout',
  bulk: 'Cancel payouts',
  danger: true,
  when: (doc, visit) =>
    doc.status === 'pending' &&
    (!waits(doc) || isOwn(doc, visit) || !visit.allowed(refuse.operation)),
  foresee: ({ doc }, { show }) => ({
    lines: [
      html`<strong>${show.money(doc.amount, doc.currency)}</strong> is available in your ${wordOf(doc.currency)} wallet again, including the fee.`,
      'Nothing is sent. If the payout is sent before you confirm, it cannot be canceled.',
    ],
  }),
  done: 'Payout canceled. Its money is available again.',
}

const simulate: Action<'simulatePayout', Payout> = {
  name: 'simulate',
  title: 'Simulate outcome',
  operation: 'simulatePayout',
  simulates: true,
  when: (doc) =>
    ['pending', 'processing', 'completed'].includes(doc.status) &&
    !waits(doc) &&
    doc.review === null,
  fields: (_seen, { status }) => [outcomeField(status)],
  done: 'Test payout ended.',
}

const statusOf = ({ status, review }: Payout): string =>
  review === null ? status : 'held_by_screening'

export const payouts: Resource<Payout> = {
  path: 'payouts',
  title: 'Payouts',
  one: 'payout',
  more: 'payouts',
  group: 'out',
  list: 'listPayouts',
  get: 'getPayout',
  key: 'reference',
  exports: 'exportPayouts',
  searches: 'Reference, account number, address or amount',
  tabs: 'status',
  about: 'A payout sends money from a wallet to a bank account or to an address.',
  columns: [
    { title: 'Amount', cell: cells.money('amount') },
    {
      title: 'Status',
      cell: (doc) =>
        waits(doc) ? badge('waiting', 'warn', 'Waits for approval') : badge(statusOf(doc)),
    },
    { title: 'To', cell: ({ destination }) => html`<bdi>${shortDestination(destination)}</bdi>` },
    { title: 'Created', cell: cells.created },
    { title: 'Reference', cell: cells.text('reference'), less: true },
    {
      title: 'Arrives',
      cell: cells.moneyIn('destination_amount', 'destination_currency'),
      less: true,
      right: true,
    },
  ],
  heading: ({ amount, currency }, { show }) => show.money(amount, currency),
  called: ({ reference }) => `Payout ${reference}`,
  status: (doc) => (waits(doc) ? 'waits_for_approval' : statusOf(doc)),
  rows: (doc, seen) => {
    const money = (value: number): string => seen.show.money(value, doc.currency)
    return [
      doc.failure_reason && [
        doc.status === 'returned' ? 'Why it came back' : 'Why it failed',
        html`<strong>${wordOf(doc.failure_reason)}</strong><br>${whyNot[doc.failure_reason]}`,
      ],
      doc.review && [
        'Held by screening',
        html`Since ${seen.show.time(doc.review.since)}. Its amount is held until the server operator has reviewed it.`,
      ],
      ['Goes to', destinationOf(doc.destination)],
      ['Beneficiary', linkTo(seen, 'beneficiaries', doc.beneficiary, en.see('beneficiary'))],
      ['Reference', copied(doc.reference)],
      ['Description', doc.description && html`<bdi>${doc.description}</bdi>`],
      ['Fee', html`${money(doc.fee)}${feeParts(doc, money)}`],
      ['Net', money(doc.net_amount)],
      ['Arrives', seen.show.money(doc.destination_amount, doc.destination_currency)],
      doc.destination_currency !== doc.currency && ['Rate', doc.rate],
      ['Provider’s reference', copied(doc.provider_reference)],
      ['Hash on chain', copied(doc.tx_hash)],
      ['Transaction', linkTo(seen, 'transactions', doc.transaction, en.see('transaction'))],
      ['Came back by', linkTo(seen, 'transactions', doc.return_transaction, en.see('transaction'))],
      ...doc.warnings.map(({ message }): [string, string] => ['Warning', message]),
    ]
  },
  sections: [approvalSection],
  actions: [approve, refuse, cancel, simulate],
  create,
}
