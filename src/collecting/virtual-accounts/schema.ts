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

export const kinds = ['static', 'dynamic'] as const
export const accountStatuses = ['active', 'closed', 'expired'] as const

export const AccountIn = Body({
  customer: Type.Optional(IdText('Whose account it is. Required when `static`.')),
  currency: OneOf(walletCurrencies, { description: 'What it receives, and which wallet is credited.' }),
  kind: Type.Optional(
    OneOf(kinds, { description: '`static`: for good; `dynamic`: for one amount. Default `static`.' }),
  ),
  amount: Type.Optional(AmountIn(1, 'Dynamic: the one amount it is for, in minor units. Required then.')),
  expires_at: Type.Optional(
    Type.String({
      format: 'date-time',
      description: 'Dynamic: until when; 5 minutes to 30 days ahead. Default: 24 hours ahead.',
    }),
  ),
  account_name: Type.Optional(
    Text(1, 140, { description: 'The holder that payers are shown. Default: the customer’s name, or the business’s.' }),
  ),
  reference: Type.Optional(Reference),
  metadata: Type.Optional(MetadataIn),
})

export const AccountRecord = RecordOf('VirtualAccount', 'A bank account that money can be sent to.', {
  reference: Nullable(Reference),
  customer: Nullable(IdText('Whose account it is.')),
  payment: Nullable(IdText('The payment whose one-time account it is.')),
  currency: OneOf(walletCurrencies, { description: 'What it receives.' }),
  kind: OneOf(kinds, { description: '`static`: for good; `dynamic`: for one amount.' }),
  amount: Nullable(AmountOut('Dynamic: the one amount it is for.')),
  expires_at: Nullable(Timestamp('Dynamic: until when.')),
  account_name: Type.String({ description: 'The holder that payers are shown.' }),
  account_number: Type.String({ description: 'The number; a NUBAN for `ngn`.' }),
  bank_name: Type.String({ description: 'The bank.' }),
  bank_code: Type.String({ description: 'Its code; in the US, its routing number.' }),
  routing_number: Nullable(Type.String({ description: 'US accounts only: the ABA routing number.' })),
  status: OneOf(accountStatuses, {
    description: 'Money that comes to an account that is not `active` is booked all the same, and marked `late`.',
  }),
})

export const AccountQuery = Body({
  ...pageQuery,
  customer: Type.Optional(IdText('Only this customer’s.')),
  currency: Type.Optional(OneOf(walletCurrencies, { description: 'Only this currency.' })),
  status: Type.Optional(OneOf(accountStatuses, { description: 'Only this status.' })),
})

export const AccountParams = Body({ id: Type.String({ description: 'The virtual account.' }) })
