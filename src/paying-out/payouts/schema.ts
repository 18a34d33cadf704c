import { currencies, walletCurrencies } from '../../lib/money.ts'
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
import { DestinationIn, DestinationOut } from '../destinations/destinations.ts'

export const payoutMethods = ['crypto', 'bank_transfer'] as const
export const payoutStatuses = ['pending', 'processing', 'completed', 'failed', 'canceled'] as const
export const failureReasons = [
  'invalid_account',
  'name_mismatch',
  'bank_unavailable',
  'limit_exceeded',
  'rejected',
  'network_error',
  'unknown',
] as const
export const feeTypes = ['platform', 'provider', 'network', 'fx'] as const

const order = {
  amount: AmountOut('What leaves the wallet; the fee comes out of it.'),
  currency: OneOf(walletCurrencies, { description: 'The wallet.' }),
  method: OneOf(payoutMethods, { description: 'By what means.' }),
}

const price = {
  fee: AmountOut('What it costs: the sum of `fee_breakdown`.'),
  net_amount: AmountOut('`amount` less `fee`. Below zero when a quoted amount does not cover the fee.'),
  fee_breakdown: Type.Array(
    Type.Object({
      type: OneOf(feeTypes, { description: 'What for.' }),
      amount: AmountOut('How much, in minor units of the wallet.'),
    }),
    { description: 'The parts of the fee. Each is rounded up to the minor unit.' },
  ),
  rate: Type.String({
    description: 'Units that arrive for one unit of the wallet; a decimal.',
    examples: ['0.00064516129'],
  }),
  destination_amount: AmountOut('What arrives: `net_amount` × `rate`, rounded down to the minor unit.'),
  destination_currency: OneOf(currencies, { description: 'The currency that arrives.' }),
}

const Warnings = Type.Array(
  Type.Object({
    code: Type.String({ description: 'Stable.' }),
    message: Type.String({ description: 'What to look at.' }),
  }),
  { description: 'What looks odd, but does not stop it.' },
)

export const QuoteIn = Body({
  amount: AmountIn(0, 'What would leave the wallet, in minor units. 0 asks for the least fee and the rate.'),
  currency: OneOf(walletCurrencies, { description: 'The wallet to pay from.' }),
  method: OneOf(payoutMethods, { description: 'By what means.' }),
  destination: DestinationIn,
})

export const QuoteRecord = RecordOf(
  'PayoutQuote',
  'What a payout would cost and what would arrive. Nothing is debited.',
  {
    ...order,
    destination: DestinationOut,
    ...price,
    estimated_arrival: Timestamp('When it would arrive if it were sent now.'),
    sufficient_funds: Type.Boolean({ description: 'Whether the wallet has `amount` available now.' }),
    expires_at: Timestamp('Until when a payout can lock this price.'),
    warnings: Warnings,
  },
)

export const PayoutIn = Body({
  reference: Reference,
  amount: AmountIn(1, 'What leaves the wallet, in minor units; the fee comes out of it.'),
  currency: OneOf(walletCurrencies, { description: 'The wallet to pay from.' }),
  method: OneOf(payoutMethods, { description: 'By what means.' }),
  destination: DestinationIn,
  quote: Type.Optional(IdText('A quote for the same payout: locks its fee and rate until it expires.')),
  description: Type.Optional(Text(1, 500, { description: 'For your own eyes.' })),
  metadata: Type.Optional(MetadataIn),
})

export const PayoutRecord = RecordOf('Payout', 'Money on its way out of a wallet.', {
  reference: Reference,
  ...order,
  destination: DestinationOut,
  quote: Nullable(IdText('The quote whose price it has.')),
  ...price,
  description: Nullable(Type.String({ description: 'For your own eyes.' })),
  status: OneOf(payoutStatuses, { description: 'Where it stands.' }),
  failure_reason: Nullable(OneOf(failureReasons, { description: 'Why it failed.' })),
  provider_reference: Nullable(Type.String({ description: 'The rail’s own id.' })),
  transaction: IdText('The transaction it makes.'),
  tx_hash: Nullable(Type.String({ description: 'Crypto: the hash on chain.' })),
  warnings: Warnings,
})

export const PayoutQuery = Body({
  ...pageQuery,
  status: Type.Optional(OneOf(payoutStatuses, { description: 'Only this status.' })),
  currency: Type.Optional(OneOf(walletCurrencies, { description: 'Only from this wallet.' })),
  method: Type.Optional(OneOf(payoutMethods, { description: 'Only this means.' })),
})

export const SimulateIn = Body({
  outcome: OneOf(['completed', 'failed'] as const, { description: 'How it ends.' }),
  failure_reason: Type.Optional(OneOf(failureReasons, { description: 'Why it fails. Default `unknown`.' })),
})

export const ReferenceParams = Body({ reference: Type.String({ description: 'Your reference of the payout.' }) })
