import { walletCurrencies } from '../../lib/money.ts'
import * as s from '../../lib/schema.ts'
import { PaymentRecord } from '../payments/payments.ts'

const limits = {
  amount: s.Type.Optional(
    s.Nullable(s.AmountIn(1, 'What each payer pays, in minor units. Null: the payer chooses.')),
  ),
  min_amount: s.Type.Optional(s.Nullable(s.AmountIn(1, 'The least a payer may choose.'))),
  max_amount: s.Type.Optional(s.Nullable(s.AmountIn(1, 'The most a payer may choose.'))),
  redirect_url: s.Type.Optional(
    s.Nullable(
      s.Text(1, 2_000, {
        format: 'uri',
        description: 'Where payers are sent afterwards: https, or http on localhost.',
        examples: ['https://shop.example/thanks'],
        'x-document': { pattern: s.returnUrl },
      }),
    ),
  ),
  max_payments: s.Type.Optional(
    s.Nullable(s.AmountIn(1, 'Maximum number of payments. Null: no limit.')),
  ),
  metadata: s.Type.Optional(s.MetadataIn),
}
const name = s.Line(1, 200, {
  description: 'What payers see as its title.',
  examples: ['School fees'],
})
const description = s.Type.Optional(
  s.Nullable(s.Text(1, 1_000, { description: 'What it is for; payers see it.' })),
)

export const CollectionIn = s.Documented(
  s.Body({
    name,
    description,
    currency: s.OneOf(walletCurrencies, {
      description: 'The currency, and the wallet that is credited.',
    }),
    ...limits,
  }),
  s.when(
    { required: ['amount'], properties: { amount: { type: 'integer' } } },
    { properties: { min_amount: { type: 'null' }, max_amount: { type: 'null' } } },
  ),
)

export const CollectionChange = s.Body({
  name: s.Type.Optional(name),
  description,
  active: s.Type.Optional(s.Type.Boolean({ description: 'Whether it can be used.' })),
  ...limits,
})

export const CollectionRecord = s.RecordOf(
  'Collection',
  'A reusable checkout link. Amounts in minor units.',
  {
    name,
    description: s.Nullable(s.Type.String({ description: 'What it is for.' })),
    currency: s.OneOf(walletCurrencies, { description: 'The currency.' }),
    amount: s.Nullable(s.AmountOut('What each payer pays. Null: the payer chooses.')),
    min_amount: s.Nullable(s.AmountOut('The least a payer may choose.')),
    max_amount: s.Nullable(s.AmountOut('The most a payer may choose.')),
    active: s.Type.Boolean({ description: 'Whether it can be used.' }),
    canceled_at: s.Nullable(
      s.Timestamp(
        'When it was canceled, for good. Null: it was not; an inactive one can be active again.',
      ),
    ),
    redirect_url: s.Nullable(s.Type.String({ description: 'Where payers are sent afterwards.' })),
    max_payments: s.Nullable(s.AmountOut('Maximum number of payments. Null: no limit.')),
    checkout_url: s.Type.String({ description: 'The page that payers are sent to.' }),
    payments_count: s.AmountOut('How many of its payments are completed.'),
    amount_collected: s.AmountOut('What those payments kept, before fees and refunds.'),
  },
)

/** What `collection.completed` carries. */
export const CompletedCollection = s.Documented(
  s.Type.Object(
    { ...CollectionRecord.properties, payment: PaymentRecord },
    {
      title: 'CompletedCollection',
      description: 'A collection that was paid once more, and the payment that did it.',
    },
  ),
  s.extending(CollectionRecord, { payment: PaymentRecord }),
)

export const CollectionQuery = s.Body({
  ...s.pageQuery,
  active: s.Type.Optional(
    s.Type.Boolean({ description: 'Only those that can be used, or cannot.' }),
  ),
  currency: s.Type.Optional(s.OneOf(walletCurrencies, { description: 'Only this currency.' })),
  search: s.searchQuery('Only those with this in their `name`, or as their `id`.', 'fees'),
})

/** What the export of the list shows. */
export const exported = {
  id: 'text',
  created_at: 'time',
  name: 'text',
  description: 'text',
  active: 'text',
  canceled_at: 'time',
  currency: 'text',
  amount: 'amount',
  min_amount: 'amount',
  max_amount: 'amount',
  max_payments: 'text',
  payments_count: 'text',
  amount_collected: 'amount',
  checkout_url: 'text',
} as const

export const CollectionParams = s.Body({ id: s.Type.String({ description: 'The collection.' }) })
