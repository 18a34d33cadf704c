import { walletCurrencies } from '../../lib/money.ts'
import {
  AmountIn,
  AmountOut,
  Body,
  IdText,
  MetadataIn,
  Nullable,
  OneOf,
  pageQuery,
  RecordOf,
  Reference,
  Text,
  Timestamp,
  Type,
} from '../../lib/schema.ts'

export const paymentMethods = ['card', 'bank_transfer', 'crypto'] as const
export const paymentStatuses = ['pending', 'completed', 'failed', 'expired', 'canceled'] as const
export const feeBearers = ['business', 'customer'] as const
export const mismatchRules = ['accept', 'reverse'] as const
export const variances = ['exact', 'underpaid', 'overpaid', 'late'] as const

export type PaymentMethod = (typeof paymentMethods)[number]

const Url = (description: string) =>
  Text(1, 2_000, {
    description: `${description} https, or http on localhost.`,
    examples: ['https://shop.example/back'],
  })

export const PaymentIn = Body({
  reference: Type.Optional(Reference),
  amount: AmountIn(1, 'What the payer pays, in minor units; with `fee_bearer: customer` the fee comes on top.'),
  currency: OneOf(walletCurrencies, { description: 'The currency, and the wallet that is credited.' }),
  customer: Type.Optional(IdText('The customer who pays.')),
  email: Type.Optional(Type.String({ format: 'email', maxLength: 254, description: 'The payer’s email address.' })),
  description: Type.Optional(Text(1, 500, { description: 'What it is for; the payer sees it.' })),
  methods: Type.Optional(
    Type.Array(OneOf(paymentMethods), {
      minItems: 1,
      maxItems: 3,
      uniqueItems: true,
      description: 'How it may be paid. Default: every way.',
    }),
  ),
  redirect_url: Type.Optional(Url('Where the payer is sent afterwards, with `reference` and `status` appended.')),
  cancel_url: Type.Optional(Url('Where a payer who gives up is sent, with `reference` and `status` appended.')),
  expires_at: Type.Optional(
    Type.String({
      format: 'date-time',
      description: 'Until when: 5 minutes to 30 days ahead. Default: 24 hours ahead.',
    }),
  ),
  fee_bearer: Type.Optional(
    OneOf(feeBearers, { description: 'Who bears the fee. `customer`: the payer pays it on top. Default `business`.' }),
  ),
  on_mismatch: Type.Optional(
    OneOf(mismatchRules, {
      description:
        'What happens to money of a wrong amount or time: `accept` keeps it, `reverse` sends it back. Default `accept`.',
    }),
  ),
  metadata: Type.Optional(MetadataIn),
})

export const PaymentRecord = RecordOf('Payment', 'A one-time checkout. Amounts in minor units.', {
  reference: Reference,
  amount: AmountOut('What it is for.'),
  currency: OneOf(walletCurrencies, { description: 'The currency.' }),
  customer: Nullable(IdText('The customer who pays.')),
  email: Nullable(Type.String({ description: 'The payer’s email address.' })),
  description: Nullable(Type.String({ description: 'What it is for; the payer sees it.' })),
  methods: Type.Array(OneOf(paymentMethods), { description: 'How it may be paid.' }),
  redirect_url: Nullable(Type.String({ description: 'Where the payer is sent afterwards.' })),
  cancel_url: Nullable(Type.String({ description: 'Where a payer who gives up is sent.' })),
  expires_at: Timestamp('Until when it can be paid.'),
  fee_bearer: OneOf(feeBearers, { description: 'Who bears the fee.' }),
  on_mismatch: OneOf(mismatchRules, { description: 'What happens to money of a wrong amount or time.' }),
  checkout_url: Type.String({ description: 'The page that the payer is sent to.' }),
  status: OneOf(paymentStatuses, { description: 'Where it stands.' }),
  method: Nullable(OneOf(paymentMethods, { description: 'How it was paid.' })),
  amount_received: AmountOut('Everything that came for it, also what was sent back.'),
  variance: Nullable(OneOf(variances, { description: 'How what came differs from what was due.' })),
  transaction: Nullable(IdText('The transaction that completed it.')),
  fee: AmountOut('What it has cost so far.'),
  net: AmountOut(
    'What of `amount_received` counts toward the price, less `fee`: money of a wrong amount or time may not.',
  ),
  amount_refunded: AmountOut('What has been given back to the payer.'),
  amount_confirming: AmountOut('What was seen on a blockchain and is not confirmed yet; it is credited then.'),
  attempts: Type.Integer({ description: 'How often a card was tried.' }),
  failure_reason: Nullable(Type.String({ description: 'Why the last card was declined.' })),
  paid_at: Nullable(Timestamp('When it was completed.')),
  collection: Nullable(IdText('The collection it belongs to.')),
  invoice: Nullable(IdText('The invoice it belongs to.')),
})

export const PaymentQuery = Body({
  ...pageQuery,
  status: Type.Optional(OneOf(paymentStatuses, { description: 'Only this status.' })),
  currency: Type.Optional(OneOf(walletCurrencies, { description: 'Only this currency.' })),
  method: Type.Optional(OneOf(paymentMethods, { description: 'Only what was paid this way.' })),
  customer: Type.Optional(IdText('Only this customer’s.')),
})

export const PaymentParams = Body({ id: Type.String({ description: 'The payment.' }) })
export const PaymentReferenceParams = Body({ reference: Type.String({ description: 'The payment’s reference.' }) })
