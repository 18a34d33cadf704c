import {
  AmountOut,
  Body,
  IdText,
  MetadataIn,
  Nullable,
  OneOf,
  pageQuery,
  RecordOf,
  Text,
  TimeOrDay,
  Timestamp,
  Type,
} from '../../lib/schema.ts'

export const invoiceStatuses = ['draft', 'open', 'paid', 'void'] as const
const saleCurrencies = ['usd', 'ngn', 'eur'] as const

const Lines = Type.Array(
  Body({
    product: IdText('The product. Its name and amount are copied.'),
    quantity: Type.Integer({ minimum: 1, maximum: 1_000_000, description: 'How many.' }),
  }),
  { minItems: 1, maxItems: 100, description: 'What is asked money for; all in one currency.' },
)

const Days = Type.Optional(
  Type.Array(Type.Integer({ minimum: 0, maximum: 90 }), {
    maxItems: 5,
    uniqueItems: true,
    description: 'How many days.',
  }),
)

const fields = {
  due_date: Type.Optional(Nullable(TimeOrDay('When it is due: a time, or a day (midnight UTC).'))),
  memo: Type.Optional(Nullable(Text(1, 1_000, { description: 'A note to the customer, printed below the lines.' }))),
  reminders: Type.Optional(
    Body(
      { days_before: Days, days_after: Days },
      {
        title: 'InvoiceReminders',
        description: 'Mails while it is open: so many days before and after `due_date`, which they need. Empty: none.',
      },
    ),
  ),
  metadata: Type.Optional(MetadataIn),
}

export const InvoiceIn = Body({ customer: IdText('Who is asked. Fixed for good.'), lines: Lines, ...fields })
export const InvoiceChange = Body({ lines: Type.Optional(Lines), ...fields })

export const InvoiceRecord = RecordOf('Invoice', 'A request for payment, with lines. Amounts in minor units.', {
  number: Nullable(
    Type.Integer({ description: 'Given when it is finalized: 1, 2, 3 … per business and mode, without gaps.' }),
  ),
  customer: IdText('Who is asked.'),
  currency: OneOf(saleCurrencies, { description: 'Of all lines.' }),
  lines: Type.Array(
    Type.Object({
      product: IdText('The product it was copied from.'),
      name: Type.String({ description: 'As it was.' }),
      amount: AmountOut('The price of one, as it was.'),
      quantity: AmountOut('How many.'),
      total: AmountOut('`amount` × `quantity`.'),
    }),
    { description: 'What is asked money for.' },
  ),
  total: AmountOut('The sum of the lines.'),
  exchange_rate: Nullable(
    Type.String({ description: '`eur` only: dollars for one euro, fixed when it was finalized; a decimal.' }),
  ),
  collect_currency: Nullable(OneOf(['usd', 'ngn'] as const, { description: 'What it is paid in.' })),
  collect_amount: Nullable(AmountOut('What is paid, in that currency.')),
  due_date: Nullable(Timestamp('When it is due.')),
  memo: Nullable(Type.String({ description: 'A note to the customer.' })),
  reminders: Type.Object(
    { days_before: Type.Optional(Type.Array(Type.Integer())), days_after: Type.Optional(Type.Array(Type.Integer())) },
    { description: 'When reminders are mailed.' },
  ),
  status: OneOf(invoiceStatuses, { description: 'Where it stands.' }),
  payment: Nullable(IdText('The payment it is paid by.')),
  payment_url: Nullable(Type.String({ description: 'The page where it is paid. It stays the same.' })),
  sent_at: Nullable(Timestamp('When it was last mailed.')),
  finalized_at: Nullable(Timestamp('When it was finalized.')),
  paid_at: Nullable(Timestamp('When it was paid.')),
  voided_at: Nullable(Timestamp('When it was voided.')),
})

export const InvoiceQuery = Body({
  ...pageQuery,
  status: Type.Optional(OneOf(invoiceStatuses, { description: 'Only this status.' })),
  customer: Type.Optional(IdText('Only this customer’s.')),
  currency: Type.Optional(OneOf(saleCurrencies, { description: 'Only this currency.' })),
})

export const InvoiceParams = Body({ id: Type.String({ description: 'The invoice.' }) })

export const PdfFile = Type.Unsafe<AsyncIterable<Uint8Array>>({
  type: 'string',
  contentEncoding: 'binary',
  description: 'A PDF.',
})
