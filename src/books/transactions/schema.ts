import { HeldForReview } from '../../core/review.ts'
import { currencies, walletCurrencies } from '../../lib/money.ts'
import {
  AmountOut,
  Body,
  IdText,
  Named,
  Nullable,
  OneOf,
  OpenObject,
  pageQuery,
  RecordOf,
  rangeQuery,
  TimeOrDay,
  Timestamp,
  Type,
} from '../../lib/schema.ts'

export const types = Named('TransactionType', [
  'deposit',
  'payment',
  'payout',
  'payout_return',
  'refund',
  'dispute',
  'fee',
  'share',
  'conversion',
  'simulated_fund',
])
export const methods = Named('TransactionMethod', ['bank_transfer', 'card', 'crypto', 'wallet'])
export const statuses = Named('TransactionStatus', ['pending', 'completed', 'failed', 'reversed'])
export const directions = Named('TransactionDirection', ['credit', 'debit'])

export const TransactionRecord = RecordOf(
  'Transaction',
  'Money in or out of a wallet. Amounts in minor units.',
  {
    type: OneOf(types, { description: 'What it is.' }),
    method: OneOf(methods, { description: 'By what means the money moved.' }),
    direction: OneOf(directions, { description: '`credit`: into the wallet; `debit`: out of it.' }),
    status: OneOf(statuses, {
      description:
        '`pending`: on its way out, seen on a blockchain and not confirmed yet, or held by screening (`review`). `failed` and `reversed`: nothing moved in the end; the rail refused, the merchant canceled, or the chain dropped it.',
    }),
    currency: OneOf(currencies, { description: 'The wallet.' }),
    amount: AmountOut('How much moved, above zero.'),
    fee: AmountOut('The part of `amount` that is fee.'),
    net: AmountOut('`amount` less `fee`.'),
    balance_after: AmountOut('What the wallet had available right after.'),
    balance_change: AmountOut(
      'By how much it has changed what the wallet has available: above zero in, below zero out, fees included. Zero for what is `failed` or `reversed`, and for what is not credited yet.',
    ),
    completed_at: Nullable(
      Timestamp(
        'When it became final, as statements count it; null while it is `pending`, and for what is `failed` or `reversed`.',
      ),
    ),
    late: Type.Boolean({
      description:
        'Money that came after its account was closed or its payment had ended. It is booked all the same.',
    }),
    reference: Nullable(
      Type.String({ description: 'The merchant’s own id of the record behind it.' }),
    ),
    customer: Nullable(IdText('The customer, when one is known.')),
    source: Type.Optional(OpenObject('TransactionSource', 'Who paid, when known.')),
    review: Type.Optional(HeldForReview),
    related: Type.Unsafe<Record<string, string>>({
      type: 'object',
      additionalProperties: { type: 'string' },
      title: 'RelatedRecord',
      description: 'The record behind it, such as `{payout: id}`.',
    }),
  },
)

export const TransactionQuery = Body({
  ...pageQuery,
  currency: Type.Optional(OneOf(walletCurrencies, { description: 'Only this wallet.' })),
  direction: Type.Optional(OneOf(directions, { description: 'Only in, or only out.' })),
  method: Type.Optional(OneOf(methods, { description: 'Only this means.' })),
  status: Type.Optional(OneOf(statuses, { description: 'Only this status.' })),
  type: Type.Optional(OneOf(types, { description: 'Only this type.' })),
  customer: Type.Optional(IdText('Only this customer’s.')),
  ...rangeQuery,
  completed_from: Type.Optional(
    TimeOrDay(
      'Completed at or after: a time, or a day of your time zone. Those completed last come first then.',
    ),
  ),
  completed_to: Type.Optional(
    TimeOrDay('Completed before a time, or up to the end of a day of your time zone.'),
  ),
})

/** The columns of the export. */
export const exported = {
  id: 'text',
  created_at: 'time',
  completed_at: 'time',
  type: 'text',
  method: 'text',
  direction: 'text',
  status: 'text',
  currency: 'text',
  amount: 'amount',
  fee: 'amount',
  net: 'amount',
  balance_after: 'amount',
  balance_change: 'amount',
  reference: 'text',
  customer: 'text',
} as const
