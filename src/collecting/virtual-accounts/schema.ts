import { walletCurrencies } from '../../lib/money.ts'
import * as s from '../../lib/schema.ts'

export const kinds = s.Named('VirtualAccountKind', ['static', 'dynamic'])
export const accountStatuses = s.Named('VirtualAccountStatus', [
  'pending',
  'active',
  'failed',
  'closed',
  'expired',
])
export const accountFailures = s.Named('VirtualAccountFailure', [
  'customer_incomplete',
  'identity_required',
  'limit_reached',
  'not_enabled',
  'amount_too_small',
  'rejected',
  'account_exists',
  'expired',
])

export const AccountIn = s.Documented(
  s.Body({
    customer: s.Type.Optional(s.IdText('Whose account it is. Required when `static`.')),
    currency: s.OneOf(walletCurrencies, {
      description: 'What it receives, and which wallet is credited.',
    }),
    kind: s.Type.Optional(
      s.OneOf(kinds, {
        description: '`static`: for good; `dynamic`: for one amount. Default `static`.',
      }),
    ),
    amount: s.Type.Optional(
      s.AmountIn(1, 'Dynamic: the one amount it is for, in minor units. Required then.'),
    ),
    expires_at: s.Type.Optional(
      s.Type.String({
        format: 'date-time',
        description: 'Dynamic: until when; 5 minutes to 30 days ahead. Default: 24 hours ahead.',
      }),
    ),
    account_name: s.Type.Optional(
      s.Line(1, 140, {
        description:
          'The holder that payers are shown. Default: the customer’s name, or the business’s.',
      }),
    ),
    reference: s.Type.Optional(s.Reference),
    metadata: s.Type.Optional(s.MetadataIn),
  }),
  s.when(
    { required: ['kind'], properties: { kind: { const: 'dynamic' } } },
    { required: ['amount'] },
    {
      required: ['customer'],
      not: { anyOf: [{ required: ['amount'] }, { required: ['expires_at'] }] },
    },
  ),
)

export const AccountRecord = s.RecordOf(
  'VirtualAccount',
  'A bank account that money can be sent to.',
  {
    reference: s.Nullable(s.Reference),
    customer: s.Nullable(s.IdText('Whose account it is.')),
    payment: s.Nullable(s.IdText('The payment whose one-time account it is.')),
    currency: s.OneOf(walletCurrencies, { description: 'What it receives.' }),
    kind: s.OneOf(kinds, { description: '`static`: for good; `dynamic`: for one amount.' }),
    amount: s.Nullable(s.AmountOut('Dynamic: the one amount it is for.')),
    expires_at: s.Nullable(s.Timestamp('Dynamic: until when.')),
    account_name: s.Type.String({ description: 'The holder that payers are shown.' }),
    account_number: s.Nullable(
      s.Type.String({
        description: 'The number; a NUBAN for `ngn`. Null until the bank has given it.',
      }),
    ),
    bank_name: s.Nullable(s.Type.String({ description: 'The bank. Null as the number.' })),
    bank_code: s.Nullable(
      s.Type.String({
        description: 'Its code; in the US, its routing number. Null as the number.',
      }),
    ),
    routing_number: s.Nullable(
      s.Type.String({ description: 'US accounts only: the ABA routing number.' }),
    ),
    status: s.OneOf(accountStatuses, {
      description:
        '`pending`: its bank gives the number later; only an `active` one has one that payers are shown. Money that comes to one that is `closed` or `expired` is booked all the same, and marked `late`.',
    }),
    failure_reason: s.Nullable(s.OneOf(accountFailures, { description: 'Why it is `failed`.' })),
    provider_reference: s.Nullable(s.Type.String({ description: 'What the provider calls it.' })),
  },
)

export const AccountQuery = s.Body({
  ...s.pageQuery,
  customer: s.Type.Optional(s.IdText('Only this customer’s.')),
  currency: s.Type.Optional(s.OneOf(walletCurrencies, { description: 'Only this currency.' })),
  status: s.Type.Optional(s.OneOf(accountStatuses, { description: 'Only this status.' })),
  search: s.searchQuery(
    'Only those with this `account_number`, `reference`, `id` or customer. Among the newest 5,000, a part of the `reference` or the last four digits of the number also match.',
    '0123456789',
  ),
})

export const AccountParams = s.Body({ id: s.Type.String({ description: 'The virtual account.' }) })

/** What the export of the list shows. */
export const exported = {
  id: 'text',
  created_at: 'time',
  reference: 'text',
  status: 'text',
  kind: 'text',
  currency: 'text',
  amount: 'amount',
  customer: 'text',
  payment: 'text',
  account_name: 'text',
  account_number: 'text',
  bank_name: 'text',
  bank_code: 'text',
  routing_number: 'text',
  expires_at: 'time',
} as const
