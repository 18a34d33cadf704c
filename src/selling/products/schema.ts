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
  Text,
  Type,
} from '../../lib/schema.ts'

export const saleCurrencies = ['usd', 'ngn', 'eur'] as const

const fields = {
  name: Text(1, 200, { description: 'What it is called on invoices.', examples: ['Running shoes'] }),
  amount: AmountIn(1, 'The price of one, in minor units.'),
}
const optional = {
  description: Type.Optional(Nullable(Text(1, 1_000, { description: 'For your own eyes.' }))),
  distribution: Type.Optional(Nullable(IdText('How what is paid for it is shared. Null: not at all.'))),
  metadata: Type.Optional(MetadataIn),
}

export const ProductIn = Body({
  ...fields,
  currency: OneOf(saleCurrencies, { description: 'The currency of the price; `eur` is collected in usd.' }),
  ...optional,
})

export const ProductChange = Body({
  name: Type.Optional(fields.name),
  amount: Type.Optional(fields.amount),
  ...optional,
})

export const ProductRecord = RecordOf('Product', 'Something that is sold by invoice.', {
  name: Type.String({ description: 'What it is called on invoices.' }),
  amount: AmountOut('The price of one.'),
  currency: OneOf(saleCurrencies, { description: 'The currency of the price.' }),
  description: Nullable(Type.String({ description: 'For your own eyes.' })),
  distribution: Nullable(IdText('How what is paid for it is shared.')),
  active: Type.Boolean({ description: 'False once it is archived: no new line can name it.' }),
})

export const ProductQuery = Body({
  ...pageQuery,
  active: Type.Optional(Type.Boolean({ description: 'Only those that are active, or archived.' })),
  currency: Type.Optional(OneOf(saleCurrencies, { description: 'Only this currency.' })),
})

export const ProductParams = Body({ id: Type.String({ description: 'The product.' }) })
