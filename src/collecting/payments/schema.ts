import { walletCurrencies } from '../../lib/money.ts'
import * as s from '../../lib/schema.ts'

export const paymentMethods = s.Named('PaymentMethod', ['card', 'bank_transfer', 'crypto'])
export const paymentStatuses = s.Named('PaymentStatus', [
  'pending',
  'completed',
  'failed',
  'expired',
  'canceled',
])
export const feeBearers = s.Named('FeeBearer', ['business', 'customer'])
export const mismatchRules = s.Named('MismatchRule', ['accept', 'reverse'])
export const mismatchers = s.Named('PaymentMismatchBy', ['rail'])
const mismatches = s.Named('PaymentMismatch', ['underpaid', 'overpaid', 'late'])
export const variances = s.Named('PaymentVariance', ['exact', 'underpaid', 'overpaid', 'late'])

export type PaymentMethod = (typeof paymentMethods)[number]

const Url = (description: string) =>
  s.Text(1, 2_000, {
    format: 'uri',
    description: `${description} https, or http on localhost.`,
    examples: ['https://shop.example/back'],
    'x-document': { pattern: s.returnUrl },
  })

export const PaymentIn = s.Body({
  reference: s.Type.Optional(s.Reference),
  amount: s.AmountIn(
    1,
    'What the payer pays, in minor units; with `fee_bearer: customer` the fee comes on top.',
  ),
  currency: s.OneOf(walletCurrencies, {
    description: 'The currency, and the wallet that is credited.',
  }),
  customer: s.Type.Optional(s.IdText('The customer who pays.')),
  email: s.Type.Optional(
    s.Type.String({ format: 'email', maxLength: 254, description: 'The payer’s email address.' }),
  ),
  description: s.Type.Optional(
    s.Text(1, 500, { description: 'What it is for; the payer sees it.' }),
  ),
  methods: s.Type.Optional(
    s.Type.Array(s.OneOf(paymentMethods), {
      minItems: 1,
      maxItems: 3,
      uniqueItems: true,
      description: 'How it may be paid. Default: every way.',
    }),
  ),
  redirect_url: s.Type.Optional(
    Url('Where the payer is sent afterwards, with `reference` and `status` appended.'),
  ),
  cancel_url: s.Type.Optional(
    Url('Where a payer who gives up is sent, with `reference` and `status` appended.'),
  ),
  expires_at: s.Type.Optional(
    s.Type.String({
      format: 'date-time',
      description: 'Until when: 5 minutes to 30 days ahead. Default: 24 hours ahead.',
    }),
  ),
  fee_bearer: s.Type.Optional(
    s.OneOf(feeBearers, {
      description: 'Who bears the fee. `customer`: the payer pays it on top. Default `business`.',
    }),
  ),
  on_mismatch: s.Type.Optional(
    s.OneOf(mismatchRules, {
      description:
        'What happens to money of a wrong amount or time: `accept` keeps it, `reverse` sends it back. Default `accept`.',
    }),
  ),
  metadata: s.Type.Optional(s.MetadataIn),
})

export const PaymentRecord = s.RecordOf('Payment', 'A one-time checkout. Amounts in minor units.', {
  reference: s.Reference,
  amount: s.AmountOut('What it is for.'),
  currency: s.OneOf(walletCurrencies, { description: 'The currency.' }),
  customer: s.Nullable(s.IdText('The customer who pays.')),
  email: s.Nullable(s.Type.String({ description: 'The payer’s email address.' })),
  description: s.Nullable(s.Type.String({ description: 'What it is for; the payer sees it.' })),
  methods: s.Type.Array(s.OneOf(paymentMethods), { description: 'How it may be paid.' }),
  redirect_url: s.Nullable(s.Type.String({ description: 'Where the payer is sent afterwards.' })),
  cancel_url: s.Nullable(s.Type.String({ description: 'Where a payer who gives up is sent.' })),
  expires_at: s.Timestamp('Until when it can be paid.'),
  fee_bearer: s.OneOf(feeBearers, { description: 'Who bears the fee.' }),
  on_mismatch: s.OneOf(mismatchRules, {
    description: 'What happens to money of a wrong amount or time.',
  }),
  mismatch_by: s.Nullable(
    s.OneOf(mismatchers, {
      description:
        '`rail`: the provider of its one-time account takes the exact amount only, and sends any other back itself, whatever `on_mismatch` says.',
    }),
  ),
  checkout_url: s.Type.String({ description: 'The page that the payer is sent to.' }),
  status: s.OneOf(paymentStatuses, { description: 'Where it stands.' }),
  method: s.Nullable(s.OneOf(paymentMethods, { description: 'How it was paid.' })),
  amount_received: s.AmountOut('Everything that came for it, also what was sent back.'),
  variance: s.Nullable(
    s.OneOf(variances, { description: 'How what came differs from what was due.' }),
  ),
  transaction: s.Nullable(s.IdText('The transaction that completed it.')),
  fee: s.AmountOut('What it has cost so far.'),
  net: s.AmountOut(
    'What of `amount_received` counts toward the price, less `fee`: money of a wrong amount or time may not.',
  ),
  amount_refunded: s.AmountOut('What has been given back to the payer.'),
  amount_confirming: s.AmountOut(
    'What was seen on a blockchain and is not confirmed yet; it is credited then.',
  ),
  attempts: s.Small('How often a card was tried.'),
  failure_reason: s.Nullable(s.Type.String({ description: 'Why the last card was declined.' })),
  paid_at: s.Nullable(s.Timestamp('When it was completed.')),
  collection: s.Nullable(s.IdText('The collection it belongs to.')),
  invoice: s.Nullable(s.IdText('The invoice it belongs to.')),
})

export const PaymentQuery = s.Body({
  ...s.pageQuery,
  status: s.Type.Optional(s.OneOf(paymentStatuses, { description: 'Only this status.' })),
  currency: s.Type.Optional(s.OneOf(walletCurrencies, { description: 'Only this currency.' })),
  method: s.Type.Optional(s.OneOf(paymentMethods, { description: 'Only what was paid this way.' })),
  customer: s.Type.Optional(s.IdText('Only this customer’s.')),
  variance: s.Type.Optional(
    s.OneOf(mismatches, {
      description: 'Only those for which too little or too much came, or too late.',
    }),
  ),
  refunded: s.Type.Optional(
    s.Type.Boolean({ description: '`true`: only those of which something was given back.' }),
  ),
  ...s.rangeQuery,
  amount: s.amountQuery,
  email: s.emailQuery('payments of'),
  reference: s.referenceQuery,
  search: s.searchQuery(
    'Only those with this text as the beginning of their `reference`, as their `id`, email address or amount in major units (`5000` or `5,000.00`). Those of customers whose name or email address it finds in `GET /customers` also match. Among the newest 5,000, a part of the `reference` or the last four digits of the card also match.',
    'ada oka',
  ),
})

export const PaymentParams = s.Body({ id: s.Type.String({ description: 'The payment.' }) })
export const PaymentReferenceParams = s.Body({
  reference: s.Type.String({ description: 'The payment’s reference.' }),
})

/** What the export of the list shows. */
export const exported = {
  id: 'text',
  created_at: 'time',
  reference: 'text',
  status: 'text',
  method: 'text',
  currency: 'text',
  amount: 'amount',
  amount_received: 'amount',
  fee: 'amount',
  net: 'amount',
  amount_refunded: 'amount',
  variance: 'text',
  customer: 'text',
  email: 'text',
  description: 'text',
  paid_at: 'time',
  collection: 'text',
  invoice: 'text',
  transaction: 'text',
} as const
