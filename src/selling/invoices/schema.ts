import { walletCurrencies } from '../../lib/money.ts'
import * as s from '../../lib/schema.ts'

export const invoiceStatuses = s.Named('InvoiceStatus', ['draft', 'open', 'paid', 'void'])
const saleCurrencies = s.Named('SaleCurrency', ['usd', 'ngn', 'eur'])

const NewLine = s.Body(
  {
    product: s.Type.Optional(
      s.IdText('The product that name, amount and taxes are copied from, unless you send them.'),
    ),
    name: s.Type.Optional(s.Text(1, 200, { description: 'What is sold.' })),
    amount: s.Type.Optional(s.AmountIn(1, 'The price of one, in minor units.')),
    quantity: s.Small('How many.', { minimum: 1, maximum: 1_000_000 }),
    discount: s.Type.Optional(
      s.AmountIn(0, 'What is taken off `amount` × `quantity`, in minor units.'),
    ),
    discount_bps: s.Type.Optional(
      s.Small('The same as a share, in hundredths of a percent; rounded half up.', {
        minimum: 0,
        maximum: 10_000,
      }),
    ),
    tax_rate_bps: s.Type.Optional(
      s.Nullable(
        s.Small('The rate of its tax, in hundredths of a percent. Null: none.', {
          minimum: 0,
          maximum: 10_000,
        }),
      ),
    ),
    tax_inclusive: s.Type.Optional(
      s.Type.Boolean({ description: 'Whether the price has the tax in it.' }),
    ),
  },
  {
    title: 'NewInvoiceLine',
    description: 'A line: a product, or a name and an amount, which are required without one.',
  },
)

const Lines = s.Type.Array(NewLine, {
  minItems: 1,
  maxItems: 100,
  description: 'What is asked money for; all in one currency.',
})

const currency = s.Type.Optional(
  s.OneOf(saleCurrencies, {
    description: 'Of lines without a product. Default: that of the products.',
  }),
)

const Days = s.Type.Optional(
  s.Type.Array(s.Small('Days.', { minimum: 0, maximum: 90 }), {
    maxItems: 5,
    uniqueItems: true,
    description: 'How many days.',
  }),
)

const Reminders = s.Body(
  { days_before: Days, days_after: Days },
  {
    title: 'InvoiceReminders',
    description:
      'Mails while it is open: so many days before and after `due_date`, which they need. Empty: none.',
  },
)

const fields = {
  due_date: s.Type.Optional(
    s.Nullable(s.TimeOrDay('When it is due: a day of your time zone, or a time on it.')),
  ),
  memo: s.Type.Optional(
    s.Nullable(
      s.Text(1, 1_000, { description: 'A note to the customer, printed below the lines.' }),
    ),
  ),
  reminders: s.Type.Optional(Reminders),
  metadata: s.Type.Optional(s.MetadataIn),
}

const hasDays = (name: string) => ({ required: [name], properties: { [name]: { minItems: 1 } } })

export const InvoiceIn = s.Documented(
  s.Body({
    customer: s.IdText('Who is asked. Fixed for good.'),
    lines: Lines,
    currency,
    ...fields,
  }),
  s.when(
    {
      required: ['reminders'],
      properties: { reminders: { anyOf: [hasDays('days_before'), hasDays('days_after')] } },
    },
    { required: ['due_date'], properties: { due_date: { type: 'string' } } },
  ),
)
export const InvoiceChange = s.Body({ lines: s.Type.Optional(Lines), currency, ...fields })
export const PreviewIn = s.Body({ lines: Lines, currency })

/** Totals by rate, of an invoice or of what is credited of it. */
export const Taxes = s.Type.Array(
  s.Type.Object(
    {
      rate_bps: s.Small('The rate, in hundredths of a percent.'),
      net: s.AmountOut('What it is of, without the tax.'),
      tax: s.AmountOut('The tax.'),
    },
    { title: 'TaxByRate', description: 'What is sold at a rate.' },
  ),
  { description: 'The taxes by their rates, the lowest first. What has no rate is not in it.' },
)

const InvoiceLines = s.Type.Array(
  s.Type.Object(
    {
      product: s.Nullable(s.IdText('The product it was copied from. Null: none.')),
      name: s.Type.String({ description: 'As it was.' }),
      amount: s.AmountOut('The price of one, as it was.'),
      quantity: s.AmountOut('How many.'),
      discount: s.AmountOut('What is taken off `amount` × `quantity`.'),
      discount_bps: s.Nullable(
        s.Small('The same as a share, in hundredths of a percent, if it was given as one.'),
      ),
      total: s.AmountOut(
        '`amount` × `quantity` − `discount`: with its tax where `tax_inclusive`, else without.',
      ),
      tax_rate_bps: s.Nullable(
        s.Small('The rate of its tax as it was, in hundredths of a percent. Null: none.'),
      ),
      tax_inclusive: s.Type.Boolean({
        description: 'Whether `amount` and `total` have the tax in them.',
      }),
      tax: s.AmountOut(
        'Its tax. Of all lines with one rate it is rounded once, and shared among them.',
      ),
    },
    { title: 'InvoiceLine', description: 'A line, as its product was when it was copied.' },
  ),
  { description: 'What is asked money for.' },
)

const totals = {
  total: s.AmountOut('What is asked for: the sum of the lines, with their taxes.'),
  subtotal: s.AmountOut('The same without the taxes.'),
  tax: s.AmountOut('The sum of the taxes.'),
  taxes: Taxes,
}

export const PreviewRecord = s.Type.Object(
  {
    currency: s.OneOf(saleCurrencies, { description: 'Of all lines.' }),
    lines: InvoiceLines,
    ...totals,
  },
  { title: 'InvoicePreview', description: 'What an invoice of these lines would ask for.' },
)

export const InvoiceRecord = s.RecordOf(
  'Invoice',
  'A request for payment, with lines. Amounts in minor units.',
  {
    number: s.Nullable(
      s.Count('Given when it is finalized: 1, 2, 3 … per business and mode, without gaps.'),
    ),
    customer: s.IdText('Who is asked.'),
    currency: s.OneOf(saleCurrencies, { description: 'Of all lines.' }),
    lines: InvoiceLines,
    ...totals,
    exchange_rate: s.Nullable(
      s.Type.String({
        description: '`eur` only: dollars for one euro, fixed when it was finalized; a decimal.',
      }),
    ),
    collect_currency: s.Nullable(s.OneOf(walletCurrencies, { description: 'What it is paid in.' })),
    collect_amount: s.Nullable(s.AmountOut('What is paid, in that currency.')),
    amount_paid: s.AmountOut(
      'What came and counts toward it, in minor units of `collect_currency`.',
    ),
    amount_due: s.AmountOut(
      'What is still to be paid, in minor units of `collect_currency`; of `currency` while it is a draft.',
    ),
    due_date: s.Nullable(
      s.Timestamp('When it is due. Of a day that was given: when it begins for your business.'),
    ),
    due_day: s.Nullable(
      s.Day(
        'The day on which it is due, such as `2026-12-05`: in mails, on the page and on the PDF. Late from the next day on.',
      ),
    ),
    memo: s.Nullable(s.Type.String({ description: 'A note to the customer.' })),
    reminders: Reminders,
    status: s.OneOf(invoiceStatuses, { description: 'Where it stands.' }),
    payment: s.Nullable(s.IdText('The payment it is paid by.')),
    payment_url: s.Nullable(
      s.Type.String({ description: 'The page where it is paid. It stays the same.' }),
    ),
    sent_at: s.Nullable(s.Timestamp('When it was last mailed.')),
    finalized_at: s.Nullable(s.Timestamp('When it was finalized.')),
    paid_at: s.Nullable(s.Timestamp('When it was paid.')),
    voided_at: s.Nullable(s.Timestamp('When it was voided.')),
  },
)

export const InvoiceQuery = s.Body({
  ...s.pageQuery,
  status: s.Type.Optional(s.OneOf(invoiceStatuses, { description: 'Only this status.' })),
  customer: s.Type.Optional(s.IdText('Only this customer’s.')),
  currency: s.Type.Optional(s.OneOf(saleCurrencies, { description: 'Only this currency.' })),
  overdue: s.Type.Optional(
    s.Type.Boolean({ description: '`true`: only open ones whose `due_day` is over.' }),
  ),
  ...s.rangeQuery,
  number: s.Type.Optional(
    s.Count('Only the one of this number.', { minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
  ),
  amount: s.Type.Optional(s.AmountIn(1, 'Only of exactly this `total`, in minor units.')),
  email: s.emailQuery('invoices to customers of'),
  search: s.searchQuery(
    'Only those with this text as their `number`, as their `id`, or as their `total` in major units (`5000` or `5,000.00`); and those of customers whose name or email address it finds in `GET /customers`.',
    'ada oka',
  ),
})

export const InvoiceParams = s.Body({ id: s.Type.String({ description: 'The invoice.' }) })

/** What the export of the list shows. */
export const exported = {
  id: 'text',
  created_at: 'time',
  number: 'text',
  status: 'text',
  currency: 'text',
  total: 'amount',
  subtotal: 'amount',
  tax: 'amount',
  collect_currency: 'text',
  collect_amount: 'amount',
  amount_paid: 'amount',
  amount_due: 'amount',
  customer: 'text',
  due_date: 'time',
  due_day: 'text',
  finalized_at: 'time',
  sent_at: 'time',
  paid_at: 'time',
  voided_at: 'time',
  payment: 'text',
  payment_url: 'text',
  memo: 'text',
} as const

/** What an export shows of each rate. */
export const rateColumns = {
  tax_rate_percent: 'text',
  net: 'amount',
  tax: 'amount',
  gross: 'amount',
} as const

/**
 * What the export by tax rate shows: no sum of the whole invoice, so that each column can be added
 * up.
 */
export const exportedByRate = {
  id: 'text',
  created_at: 'time',
  number: 'text',
  status: 'text',
  currency: 'text',
  ...rateColumns,
  customer: 'text',
  finalized_at: 'time',
  paid_at: 'time',
  voided_at: 'time',
} as const
