import { html } from '../../../lib/html.ts'
import { randomText } from '../../../lib/secrets.ts'
import { approvalSection, approve, isOwn, refuse, waits, whatWaits } from '../approving.ts'
import type { Doc, Visit } from '../place.ts'
import { copied, destinationOf, linkTo, shortDestination } from '../related.ts'
import type { Action, Foreseen, Resource, Values } from '../resource.ts'
import { cells } from '../tables.ts'
import type { Field } from '../view/parts.ts'
import { badge } from '../view/parts.ts'
import { wordOf } from '../view/strings.ts'
import { bankOptions } from './banks.ts'
import { outcomeField } from './choosing.ts'

type Kind = 'ng' | 'us' | 'crypto'
const kinds: readonly (readonly [Kind, string])[] = [
  ['ng', 'A bank account in Nigeria'],
  ['us', 'A bank account in the US'],
  ['crypto', 'An address on a blockchain'],
]
const kindOf = ({ to }: Values): Kind => (kinds.find(([kind]) => kind === to) ?? ['ng' as const])[0]

async function fieldsOf(seen: Visit, _doc: Doc, values: Values): Promise<Field[]> {
  const kind = kindOf(values)
  const wallets: Doc[] = await seen.operate('listWallets')
  const from = wallets.map(({ currency, available }): [string, string] => [
    currency,
    `${wordOf(currency)}: ${seen.show.money(available, currency)} available`,
  ])
  return [
    { name: 'to', label: 'Where it goes', kind: 'choice', options: kinds.map(([value, text]) => [value, text]) },
    { name: 'currency', label: 'From your wallet', kind: 'select', required: true, options: from },
    {
      name: 'amount',
      label: 'Amount',
      kind: 'money',
      required: true,
      hint: 'What leaves the wallet. The fee comes out of it, and is shown before you confirm.',
    },
    ...(await destinationFields(seen, kind)),
    { name: 'description', label: 'Description', kind: 'text', maxLength: 500, hint: 'For your own eyes.' },
    {
      name: 'reference',
      label: 'Reference',
      kind: 'text',
      required: true,
      maxLength: 100,
      hint: 'Your own id for it.',
    },
    { name: 'quote', label: '', kind: 'hidden' },
  ]
}

async function destinationFields(seen: Visit, kind: Kind): Promise<Field[]> {
  const number: Field = {
    name: 'destination.account_number',
    label: 'Account number',
    kind: 'text',
    required: true,
    maxLength: 17,
  }
  if (kind === 'ng')
    return [
      {
        name: 'destination.bank_code',
        label: 'Bank',
        kind: 'select',
        required: true,
        options: await bankOptions(seen, 'ng'),
      },
      { ...number, hint: 'Ten digits. Its holder is looked up before you confirm.' },
    ]
  if (kind === 'us')
    return [
      { name: 'destination.routing_number', label: 'Routing number', kind: 'text', required: true, maxLength: 9 },
      number,
      { name: 'destination.account_name', label: 'Account holder', kind: 'text', required: true, maxLength: 140 },
      {
        name: 'destination.account_type',
        label: 'Kind of account',
        kind: 'select',
        required: true,
        options: [
          ['checking', 'Checking'],
          ['savings', 'Savings'],
        ],
      },
    ]
  const tokens: Doc[] = await seen.operate('listCryptoTokens')
  const networks = new Map<string, string>(
    tokens.flatMap(({ networks }) => (networks as Doc[]).map((one): [string, string] => [one.id, one.name])),
  )
  return [
    {
      name: 'destination.currency',
      label: 'Stablecoin',
      kind: 'select',
      required: true,
      options: tokens.map(({ currency, name }) => [currency, name]),
    },
    { name: 'destination.chain', label: 'Network', kind: 'select', required: true, options: [...networks] },
    { name: 'destination.address', label: 'Address', kind: 'text', required: true, maxLength: 42 },
  ]
}

/** What the API is asked for, without what only the form knows. */
function payoutOf({ to, quote, ...body }: Doc): Doc {
  const kind = kindOf({ to })
  const country = kind === 'crypto' ? {} : { country: kind }
  return {
    ...body,
    ...(quote ? { quote } : {}),
    method: kind === 'crypto' ? 'crypto' : 'bank_transfer',
    destination: { ...country, ...body.destination },
  }
}

async function foresee(body: Doc, visit: Visit): Promise<Foreseen> {
  const { show } = visit
  const { reference: _reference, description: _description, quote: _quote, ...order } = payoutOf(body)
  const isNigerian = order.destination.country === 'ng'
  const holder: Doc | null = isNigerian
    ? await visit.operate('resolveAccount', {
        params: { country: 'ng' },
        query: { bank_code: order.destination.bank_code, account_number: order.destination.account_number },
      })
    : null
  const quote: Doc = await visit.operate('quotePayout', { body: order })
  const wallets: Doc[] = await visit.operate('listWallets')
  const available = wallets.find(({ currency }) => currency === order.currency)?.available ?? 0
  const money = (value: number): string => show.money(value, order.currency)
  const destination = holder
    ? { ...quote.destination, resolved_account_name: holder.account_name, bank_name: holder.bank_name }
    : quote.destination
  const arrives = show.money(quote.destination_amount, quote.destination_currency)
  return {
    lines: [
      html`<strong>${money(order.amount)}</strong> leaves your ${wordOf(order.currency)} wallet, which has ${money(available)} available, and ${money(available - order.amount)} then.`,
      `The fee is ${money(quote.fee)}${feeParts(quote, money)}.`,
      html`<strong>${arrives}</strong> arrives${quote.destination_currency === order.currency ? '' : ` at a rate of ${quote.rate}`}, at about ${show.time(quote.estimated_arrival)}.`,
      html`It goes to:<br>${destinationOf(destination)}`,
      `This price holds until ${show.time(quote.expires_at)}.`,
      ...(await whatWaits(order, visit)),
    ],
    warnings: [
      ...(quote.sufficient_funds ? [] : ['Your wallet does not have that much available.']),
      ...(quote.warnings as Doc[]).map(({ message }) => message as string),
    ],
    values: { quote: quote.id },
  }
}

const feeParts = ({ fee_breakdown }: Doc, money: (value: number) => string): string =>
  fee_breakdown.length > 1
    ? `: ${(fee_breakdown as Doc[]).map(({ type, amount }) => `${wordOf(type).toLowerCase()} ${money(amount)}`).join(', ')}`
    : ''

const create: Action = {
  name: 'new',
  title: 'New payout',
  confirm: 'Pay out',
  operation: 'createPayout',
  fields: fieldsOf,
  start: (_doc, { ctx }) => ({
    reference: `payout-${ctx.scope.now.toISOString().slice(0, 10)}-${randomText(6)}`,
  }),
  input: ({ body }) => ({ body: payoutOf(body) }),
  foresee: ({ body }, visit) => foresee(body, visit),
  done: 'The payout is on its way.',
  ended: (doc) => waits(doc) && 'The payout is made. It goes nowhere until somebody else approves it.',
  about: {
    account_not_found: 'destination.account_number',
    invalid_destination: 'destination.account_number',
    unknown_bank: 'destination.bank_code',
    unsupported_chain: 'destination.chain',
    invalid_address: 'destination.address',
  },
}

const cancel: Action = {
  name: 'cancel',
  title: 'Cancel the payout',
  operation: 'cancelPayout',
  danger: true,
  when: (doc, visit) =>
    doc.status === 'pending' && (!waits(doc) || isOwn(doc, visit) || !visit.allowed(refuse.operation)),
  foresee: ({ doc }, { show }) => ({
    lines: [
      html`<strong>${show.money(doc.amount, doc.currency)}</strong> is available in your ${wordOf(doc.currency)} wallet again, the fee included.`,
      'Nothing is sent. If the payout has left in the meantime, it is not canceled.',
    ],
  }),
  done: 'The payout is canceled. Its money is available again.',
}

const simulate: Action = {
  name: 'simulate',
  title: 'End this payout',
  operation: 'simulatePayout',
  simulates: true,
  when: (doc) => ['pending', 'processing', 'completed'].includes(doc.status) && !waits(doc),
  fields: (_seen, { status }) => [outcomeField(status)],
  done: 'The test payout has ended.',
}

/** What a failed payout means, and what to do, by its reason. */
export const whyNot: Record<string, string> = {
  invalid_account: 'The bank knows no such account. Check the number and the bank, then make a new payout.',
  name_mismatch: 'The account is someone else’s. Check whose it is, then make a new payout.',
  bank_unavailable: 'The bank did not answer. Try again later with a new payout.',
  limit_exceeded: 'It was above a limit of the rail or of the account. Send less, or ask for a higher limit.',
  rejected: 'The rail or the bank refused it. Ask them for the reason with the rail’s reference.',
  network_error: 'The network did not take it. Try again with a new payout.',
  unknown: 'The rail did not say why. Ask with its reference.',
}

export const payouts: Resource = {
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
      cell: (doc) => (waits(doc) ? badge('waiting', 'warn', 'Waits for approval') : badge(doc.status)),
    },
    { title: 'To', cell: ({ destination }) => html`<bdi>${shortDestination(destination)}</bdi>` },
    { title: 'Created', cell: cells.created },
    { title: 'Reference', cell: cells.text('reference'), less: true },
    { title: 'Arrives', cell: cells.money('destination_amount', 'destination_currency'), less: true, right: true },
  ],
  heading: ({ amount, currency }, { show }) => show.money(amount, currency),
  called: ({ reference }) => `Payout ${reference}`,
  status: (doc) => (waits(doc) ? 'waits_for_approval' : doc.status),
  rows: (doc, seen) => {
    const money = (value: number): string => seen.show.money(value, doc.currency)
    return [
      doc.failure_reason && [
        doc.status === 'returned' ? 'Why it came back' : 'Why it failed',
        html`<strong>${wordOf(doc.failure_reason)}</strong><br>${whyNot[doc.failure_reason]}`,
      ],
      ['Goes to', destinationOf(doc.destination)],
      ['Reference', copied(doc.reference)],
      ['Description', doc.description && html`<bdi>${doc.description}</bdi>`],
      ['Fee', html`${money(doc.fee)}${feeParts(doc, money)}`],
      ['Net', money(doc.net_amount)],
      ['Arrives', seen.show.money(doc.destination_amount, doc.destination_currency)],
      doc.destination_currency !== doc.currency && ['Rate', doc.rate],
      ['Rail’s reference', copied(doc.provider_reference)],
      ['Hash on chain', copied(doc.tx_hash)],
      ['Transaction', linkTo(seen, 'transactions', doc.transaction)],
      ['Came back by', linkTo(seen, 'transactions', doc.return_transaction)],
      ...(doc.warnings as Doc[]).map(({ message }): [string, string] => ['Warning', message]),
    ]
  },
  sections: [approvalSection],
  actions: [approve, refuse, cancel, simulate],
  create,
}
