import { HeldForReview } from '../../core/review.ts'
import { currencies, walletCurrencies } from '../../lib/money.ts'
import * as s from '../../lib/schema.ts'
import { DestinationIn, DestinationOut } from '../../platform/destinations/destinations.ts'

export const refundStatuses = s.Named('RefundStatus', ['initiated', 'completed', 'failed'])
const methods = s.Named('RefundMethod', ['card', 'bank_transfer', 'crypto'])

export const RefundIn = s.Body({
  payment: s.IdText('The payment.'),
  amount: s.Type.Optional(
    s.AmountIn(
      1,
      'How much, in minor units. Default: all that is left of the money that goes back this way.',
    ),
  ),
  reason: s.Type.Optional(s.Text(1, 500, { description: 'Why; for your own eyes.' })),
  reference: s.Type.Optional(s.Reference),
  transaction: s.Type.Optional(
    s.IdText(
      'Of several that the payment received, the one whose money goes back. Default: where the latest came from.',
    ),
  ),
  destination: s.Type.Optional(DestinationIn),
  metadata: s.Type.Optional(s.MetadataIn),
})

const Destination = s.Type.Unsafe<Record<string, unknown>>({
  type: 'object',
  additionalProperties: true,
  title: 'RefundDestination',
  description:
    'Where it goes: a payout destination; `{card: {brand, last4}}`; or, where the rail that took a transfer gives it back, what is known of its sender.',
  'x-document': {
    additionalProperties: null,
    ...s.extending(DestinationOut, {
      card: s.Type.Optional(
        s.Type.Object(
          {
            brand: s.Nullable(
              s.Type.String({ description: 'Its brand; null: its rail does not say.' }),
            ),
            last4: s.Nullable(s.Type.String({ description: 'Its last digits.' })),
          },
          { title: 'RefundCard', description: 'The card that the money goes back to.' },
        ),
      ),
    }),
  },
})

export const RefundRecord = s.RecordOf(
  'Refund',
  'Money on its way back to a payer. Amounts in minor units.',
  {
    payment: s.IdText('The payment.'),
    reference: s.Nullable(s.Reference),
    amount: s.AmountOut(
      'What leaves the wallet. The fee of the payment is not given back, and the refund has none.',
    ),
    currency: s.OneOf(walletCurrencies, { description: 'The wallet.' }),
    reason: s.Nullable(s.Type.String({ description: 'Why.' })),
    method: s.OneOf(methods, { description: 'By what means it goes back.' }),
    destination: Destination,
    rate: s.Type.String({
      description: 'Units that arrive for one unit of the wallet; a decimal.',
    }),
    destination_amount: s.AmountOut('What arrives.'),
    destination_currency: s.OneOf(currencies, { description: 'The currency that arrives.' }),
    automatic: s.Type.Boolean({
      description: 'Made because the payment sends back money of a wrong amount or time.',
    }),
    status: s.OneOf(refundStatuses, {
      description:
        'Where it stands. One that was `completed` is `failed` when its rail takes that back.',
    }),
    failure_reason: s.Nullable(
      s.Type.String({
        description:
          'Why it failed; `canceled`: its payout was canceled, or was not approved in time.',
      }),
    ),
    provider_reference: s.Nullable(s.Type.String({ description: 'The rail’s own id.' })),
    tx_hash: s.Nullable(s.Type.String({ description: 'Crypto: the hash on chain.' })),
    payout: s.Nullable(
      s.IdText(
        'The payout that it goes by, where it goes to where the money did not come from: limits, approval, screening and beneficiaries hold as for any. Its end is that of the refund.',
      ),
    ),
    review: s.Nullable(HeldForReview),
    transaction: s.IdText('The transaction it makes.'),
    return_transaction: s.Nullable(
      s.IdText(
        'Of one that failed after it had completed: the transaction by which its money is in the wallet again.',
      ),
    ),
  },
)

export const RefundQuery = s.Body({
  ...s.pageQuery,
  payment: s.Type.Optional(s.IdText('Only this payment’s.')),
  status: s.Type.Optional(s.OneOf(refundStatuses, { description: 'Only this status.' })),
  ...s.rangeQuery,
  amount: s.amountQuery,
  email: s.emailQuery('refunds of payments of'),
  reference: s.referenceQuery,
  search: s.searchQuery(
    'Only those with this text as the beginning of their `reference`, as their `id`, that of their payment, its payer’s email address or their amount in major units. Those of customers whose name or email address it finds in `GET /customers` also match. Among the newest 5,000, a part of the `reference` or the last four digits of the account that they go to also match.',
    'ada@example.com',
  ),
})

export const RefundParams = s.Body({ id: s.Type.String({ description: 'The refund.' }) })

const outcomes = s.Named('SimulatedRefundOutcome', ['completed', 'failed', 'returned'])

export const SimulateRefundIn = s.Body({
  outcome: s.OneOf(outcomes, { description: 'The outcome to simulate.' }),
})

/** What the export of the list shows. */
export const exported = {
  id: 'text',
  created_at: 'time',
  payment: 'text',
  reference: 'text',
  status: 'text',
  method: 'text',
  currency: 'text',
  amount: 'amount',
  destination_currency: 'text',
  destination_amount: 'text',
  reason: 'text',
  automatic: 'text',
  failure_reason: 'text',
  provider_reference: 'text',
  tx_hash: 'text',
  transaction: 'text',
  return_transaction: 'text',
} as const
