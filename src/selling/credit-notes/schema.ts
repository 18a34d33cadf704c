import * as s from '../../lib/schema.ts'
import { rateColumns, Taxes } from '../invoices/invoices.ts'

export const CreditNoteRecord = s.RecordOf(
  'CreditNote',
  'What of a paid invoice was given back by a refund. Amounts in minor units of the invoice’s currency.',
  {
    number: s.Count('1, 2, 3 … per business and mode, without gaps; not those of invoices.'),
    invoice: s.IdText('The invoice.'),
    refund: s.IdText('The refund. One of an invoice in euros is in dollars.'),
    currency: s.OneOf(s.Named('SaleCurrency', ['usd', 'ngn', 'eur']), {
      description: 'Of the invoice.',
    }),
    amount: s.AmountOut('What is credited, with the taxes.'),
    subtotal: s.AmountOut('The same without the taxes.'),
    tax: s.AmountOut('The sum of the taxes.'),
    taxes: Taxes,
    status: s.OneOf(s.Named('CreditNoteStatus', ['issued', 'void']), {
      description: '`void` where the refund came back after it had completed.',
    }),
    sent_at: s.Nullable(s.Timestamp('When it was last mailed.')),
    voided_at: s.Nullable(s.Timestamp('When it was voided.')),
  },
)

export const CreditNoteQuery = s.Body({
  ...s.pageQuery,
  invoice: s.Type.Optional(s.IdText('Only those of this invoice.')),
  ...s.rangeQuery,
})

/** What the export of the list shows. */
export const exported = {
  id: 'text',
  created_at: 'time',
  number: 'text',
  status: 'text',
  invoice: 'text',
  refund: 'text',
  currency: 'text',
  amount: 'amount',
  subtotal: 'amount',
  tax: 'amount',
  voided_at: 'time',
} as const
/** What the export by tax rate shows. */
export const exportedByRate = {
  id: 'text',
  created_at: 'time',
  number: 'text',
  status: 'text',
  invoice: 'text',
  refund: 'text',
  currency: 'text',
  ...rateColumns,
  voided_at: 'time',
} as const

export const CreditNoteParams = s.Body({ id: s.Type.String({ description: 'The credit note.' }) })
