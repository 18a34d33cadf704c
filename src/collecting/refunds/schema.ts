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
  Type,
} from '../../lib/schema.ts'
import { DestinationIn } from '../../paying-out/destinations/destinations.ts'

export const refundStatuses = ['initiated', 'completed', 'failed'] as const
const methods = ['card', 'bank_transfer', 'crypto'] as const

export const RefundIn = Body({
  payment: IdText('The payment.'),
  amount: Type.Optional(
    AmountIn(1, 'How much, in minor units. Default: all that is left of the money that goes back this way.'),
  ),
  reason: Type.Optional(Text(1, 500, { description: 'Why; for your own eyes.' })),
  reference: Type.Optional(Reference),
  transaction: Type.Optional(
    IdText('Of several that the payment received, the one whose money goes back. Default: where the latest came from.'),
  ),
  destination: Type.Optional(DestinationIn),
  metadata: Type.Optional(MetadataIn),
})

export const RefundRecord = RecordOf('Refund', 'Money on its way back to a payer. Amounts in minor units.', {
  payment: IdText('The payment.'),
  reference: Nullable(Reference),
  amount: AmountOut('What leaves the wallet. The fee of the payment is not given back, and the refund has none.'),
  currency: OneOf(walletCurrencies, { description: 'The wallet.' }),
  reason: Nullable(Type.String({ description: 'Why.' })),
  method: OneOf(methods, { description: 'By what means it goes back.' }),
  destination: Type.Unsafe<Record<string, unknown>>({
    type: 'object',
    additionalProperties: true,
    description: 'Where it goes: a payout destination, or `{card: {brand, last4}}`.',
  }),
  rate: Type.String({ description: 'Units that arrive for one unit of the wallet; a decimal.' }),
  destination_amount: AmountOut('What arrives.'),
  destination_currency: OneOf(currencies, { description: 'The currency that arrives.' }),
  automatic: Type.Boolean({ description: 'Made because the payment sends back money of a wrong amount or time.' }),
  status: OneOf(refundStatuses, { description: 'Where it stands.' }),
  failure_reason: Nullable(Type.String({ description: 'Why it failed.' })),
  provider_reference: Nullable(Type.String({ description: 'The rail’s own id.' })),
  tx_hash: Nullable(Type.String({ description: 'Crypto: the hash on chain.' })),
  transaction: IdText('The transaction it makes.'),
})

export const RefundQuery = Body({
  ...pageQuery,
  payment: Type.Optional(IdText('Only this payment’s.')),
  status: Type.Optional(OneOf(refundStatuses, { description: 'Only this status.' })),
})

export const RefundParams = Body({ id: Type.String({ description: 'The refund.' }) })

export const SimulateRefundIn = Body({
  outcome: OneOf(['completed', 'failed'] as const, { description: 'How it ends.' }),
})
