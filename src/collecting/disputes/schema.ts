import { walletCurrencies } from '../../lib/money.ts'
import * as s from '../../lib/schema.ts'

export const disputeStatuses = s.Named('DisputeStatus', ['open', 'won', 'lost'])

const fields = {
  payment: s.Nullable(
    s.IdText('The payment; null where the money came to a virtual account and is no payment.'),
  ),
  transaction: s.IdText('The transaction by which the money came.'),
  customer: s.Nullable(s.IdText('The customer, when one is known.')),
  amount: s.AmountOut('What the payer’s bank takes back, which may be less than was paid.'),
  currency: s.OneOf(walletCurrencies, { description: 'The wallet that the money came to.' }),
  reason: s.Nullable(s.Type.String({ description: 'Why, in the provider’s words.' })),
  evidence_due_at: s.Nullable(
    s.Timestamp('Until when the provider takes evidence. Null: it says no time.'),
  ),
  status: s.OneOf(disputeStatuses, {
    description: 'Where it stands: `open` until the provider has decided it.',
  }),
  held: s.AmountOut('What the operator of the installation holds of the wallet for it.'),
  taken: s.AmountOut('What was taken from the wallet for it, as it was lost.'),
  closed_at: s.Nullable(s.Timestamp('When it was decided.')),
  provider_reference: s.Type.String({ description: 'The provider’s own id of it.' }),
}

export const DisputeRecord = s.RecordOf(
  'Dispute',
  'Money of a payment that the payer’s bank takes back until it is decided whose it is. Amounts in minor units.',
  fields,
)

export const OperatorDisputeRecord = s.RecordOf(
  'OperatorDispute',
  'A dispute, as the operator is shown it.',
  {
    ...fields,
    business: s.IdText('Whose payment it is.'),
    rail: s.Type.String({ description: 'The account at the provider.' }),
  },
)

export const DisputeQuery = s.Body({
  ...s.pageQuery,
  payment: s.Type.Optional(s.IdText('Only this payment’s.')),
  status: s.Type.Optional(s.OneOf(disputeStatuses, { description: 'Only this status.' })),
  ...s.rangeQuery,
})

export const OperatorDisputeQuery = s.Body({
  ...s.pageQuery,
  status: s.Type.Optional(s.OneOf(disputeStatuses, { description: 'Only this status.' })),
})

export const DisputeParams = s.Body({ id: s.Type.String({ description: 'The dispute.' }) })
export const PaymentParams = s.Body({ id: s.Type.String({ description: 'The payment.' }) })

const most = 'in minor units. Default: all that is left.'

export const SimulateDisputeIn = s.Body({
  amount: s.Type.Optional(s.AmountIn(1, `How much the payer’s bank takes back, ${most}`)),
  reason: s.Type.Optional(s.Text(1, 200, { description: 'Why; as a provider would say it.' })),
})

const outcomes = s.Named('SimulatedDisputeOutcome', ['won', 'lost'])
export const SimulateDisputeEndIn = s.Body({
  outcome: s.OneOf(outcomes, { description: 'How it is decided.' }),
})

export const HoldIn = s.Body({
  amount: s.Type.Optional(s.AmountIn(1, `How much of the wallet, ${most}`)),
})
export const TakeIn = s.Body({
  amount: s.Type.Optional(
    s.AmountIn(
      1,
      'How much of the wallet, in minor units, where nothing is held. Default: all that is left.',
    ),
  ),
})

/** What the export of the list shows. */
export const exported = {
  id: 'text',
  created_at: 'time',
  payment: 'text',
  transaction: 'text',
  customer: 'text',
  status: 'text',
  currency: 'text',
  amount: 'amount',
  held: 'amount',
  taken: 'amount',
  reason: 'text',
  evidence_due_at: 'time',
  closed_at: 'time',
  provider_reference: 'text',
} as const
