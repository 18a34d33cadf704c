import * as s from '../../lib/schema.ts'

export const saleCurrencies = s.Named('SaleCurrency', ['usd', 'ngn', 'eur'])

const fields = {
  name: s.Text(1, 200, {
    description: 'Shown on invoices.',
    examples: ['Running shoes'],
  }),
  amount: s.AmountIn(1, 'The price of one, in minor units.'),
}
const optional = {
  description: s.Type.Optional(
    s.Nullable(s.Text(1, 1_000, { description: 'Only your team sees it.' })),
  ),
  distribution: s.Type.Optional(
    s.Nullable(s.IdText('How what is paid for it is shared. Null: not at all.')),
  ),
  tax_rate_bps: s.Type.Optional(
    s.Nullable(
      s.Small(
        'The rate of its tax, in hundredths of a percent. Null: its lines show no tax; 0: a rate of nothing.',
        {
          minimum: 0,
          maximum: 10_000,
          examples: [750],
        },
      ),
    ),
  ),
  tax_inclusive: s.Type.Optional(
    s.Type.Boolean({
      description:
        'Whether the price has the tax in it. Else, and unless it says, it comes on top.',
    }),
  ),
  metadata: s.Type.Optional(s.MetadataIn),
}

export const ProductIn = s.Body({
  ...fields,
  currency: s.OneOf(saleCurrencies, {
    description: 'The currency of the price; `eur` is collected in usd.',
  }),
  ...optional,
})

export const ProductChange = s.Body({
  name: s.Type.Optional(fields.name),
  amount: s.Type.Optional(fields.amount),
  ...optional,
})

export const ProductRecord = s.RecordOf('Product', 'Something that is sold by invoice.', {
  name: s.Type.String({ description: 'Shown on invoices.' }),
  amount: s.AmountOut('The price of one.'),
  currency: s.OneOf(saleCurrencies, { description: 'The currency of the price.' }),
  description: s.Nullable(s.Type.String({ description: 'Only your team sees it.' })),
  distribution: s.Nullable(s.IdText('How what is paid for it is shared.')),
  tax_rate_bps: s.Nullable(
    s.Small('The rate of its tax, in hundredths of a percent. Null: its lines show no tax.'),
  ),
  tax_inclusive: s.Type.Boolean({ description: 'Whether the price has the tax in it.' }),
  active: s.Type.Boolean({ description: 'False once it is archived: no new line can name it.' }),
})

export const ProductQuery = s.Body({
  ...s.pageQuery,
  active: s.Type.Optional(
    s.Type.Boolean({ description: 'Only those that are active, or archived.' }),
  ),
  currency: s.Type.Optional(s.OneOf(saleCurrencies, { description: 'Only this currency.' })),
  search: s.searchQuery('Only those with this in their `name`, or as their `id`.', 'shoes'),
})

/** What the export of the list shows. */
export const exported = {
  id: 'text',
  created_at: 'time',
  name: 'text',
  description: 'text',
  active: 'text',
  currency: 'text',
  amount: 'amount',
  tax_rate_bps: 'text',
  tax_inclusive: 'text',
  distribution: 'text',
} as const

export const ProductParams = s.Body({ id: s.Type.String({ description: 'The product.' }) })
