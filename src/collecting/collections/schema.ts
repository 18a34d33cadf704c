import { walletCurrencies } from '../../lib/money.ts'
import {
  AmountIn,
  AmountOut,
  Body,
  MetadataIn,
  Nullable,
  OneOf,
  pageQuery,
  RecordOf,
  Text,
  Timestamp,
  Type,
} from '../../lib/schema.ts'
import { PaymentRecord } from '../payments/payments.ts'

const limits = {
  amount: Type.Optional(Nullable(AmountIn(1, 'What each payer pays, in minor units. Null: the payer chooses.'))),
  min_amount: Type.Optional(Nullable(AmountIn(1, 'The least a payer may choose.'))),
  max_amount: Type.Optional(Nullable(AmountIn(1, 'The most a payer may choose.'))),
  redirect_url: Type.Optional(
    Nullable(
      Text(1, 2_000, {
        description: 'Where payers are sent afterwards: https, or http on localhost.',
        examples: ['https://shop.example/thanks'],
      }),
    ),
  ),
  max_payments: Type.Optional(Nullable(AmountIn(1, 'How many payments it takes. Null: no limit.'))),
  metadata: Type.Optional(MetadataIn),
}
const name = Text(1, 200, { description: 'What payers see as its title.', examples: ['School fees'] })
const description = Type.Optional(Nullable(Text(1, 1_000, { description: 'What it is for; payers see it.' })))

export const CollectionIn = Body({
  name,
  description,
  currency: OneOf(walletCurrencies, { description: 'The currency, and the wallet that is credited.' }),
  ...limits,
})

export const CollectionChange = Body({
  name: Type.Optional(name),
  description,
  active: Type.Optional(Type.Boolean({ description: 'Whether it can be used.' })),
  ...limits,
})

export const CollectionRecord = RecordOf('Collection', 'A reusable checkout link. Amounts in minor units.', {
  name,
  description: Nullable(Type.String({ description: 'What it is for.' })),
  currency: OneOf(walletCurrencies, { description: 'The currency.' }),
  amount: Nullable(AmountOut('What each payer pays. Null: the payer chooses.')),
  min_amount: Nullable(AmountOut('The least a payer may choose.')),
  max_amount: Nullable(AmountOut('The most a payer may choose.')),
  active: Type.Boolean({ description: 'Whether it can be used.' }),
  canceled_at: Nullable(
    Timestamp('When it was canceled, for good. Null: it was not; an inactive one can be active again.'),
  ),
  redirect_url: Nullable(Type.String({ description: 'Where payers are sent afterwards.' })),
  max_payments: Nullable(AmountOut('How many payments it takes. Null: no limit.')),
  checkout_url: Type.String({ description: 'The page that payers are sent to.' }),
  payments_count: AmountOut('How many of its payments are completed.'),
  amount_collected: AmountOut('What those payments kept, before fees and refunds.'),
})

/** What `collection.completed` carries. */
export const CompletedCollection = Type.Object(
  { ...CollectionRecord.properties, payment: PaymentRecord },
  { title: 'CompletedCollection', description: 'A collection that was paid once more, and the payment that did it.' },
)

export const CollectionQuery = Body({
  ...pageQuery,
  active: Type.Optional(Type.Boolean({ description: 'Only those that can be used, or cannot.' })),
  currency: Type.Optional(OneOf(walletCurrencies, { description: 'Only this currency.' })),
})

export const CollectionParams = Body({ id: Type.String({ description: 'The collection.' }) })
