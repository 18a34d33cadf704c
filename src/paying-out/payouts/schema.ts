import { rateOrigin } from '../../books/exchange/exchange.ts'
import { periodQuery, reported } from '../../books/statements/statements.ts'
import { HeldForReview } from '../../core/review.ts'
import { currencies, walletCurrencies } from '../../lib/money.ts'
import * as s from '../../lib/schema.ts'
import {
  DestinationIn,
  DestinationOut,
  payoutMethods,
  QuoteDestinationIn,
} from '../../platform/destinations/destinations.ts'
import { WhoRecord } from '../../platform/team/team.ts'
import { approvalReasons } from '../limits/limits.ts'

export const payoutStatuses = s.Named('PayoutStatus', [
  'pending',
  'processing',
  'completed',
  'failed',
  'canceled',
  'returned',
])
export const failureReasons = s.Named('PayoutFailureReason', [
  'invalid_account',
  'name_mismatch',
  'bank_unavailable',
  'limit_exceeded',
  'rejected',
  'network_error',
  'unknown',
])
/** The state of a payout's approval by a second person. */
export const approvals = s.Named('PayoutApproval', ['none', 'waiting', 'approved', 'refused'])
export const feeTypes = s.Named('PayoutFeeType', ['platform', 'provider', 'network', 'fx'])

const order = {
  amount: s.AmountOut('What leaves the wallet; the fee comes out of it.'),
  currency: s.OneOf(walletCurrencies, { description: 'The wallet.' }),
  method: s.OneOf(payoutMethods, { description: 'By what means.' }),
}

const price = {
  fee: s.AmountOut('What it costs: the sum of `fee_breakdown`.'),
  net_amount: s.AmountOut(
    '`amount` less `fee`. Below zero when a quoted amount does not cover the fee.',
  ),
  fee_breakdown: s.Type.Array(
    s.Type.Object(
      {
        type: s.OneOf(feeTypes, { description: 'What for.' }),
        amount: s.AmountOut('How much, in minor units of the wallet.'),
      },
      { title: 'PayoutFee', description: 'A part of the fee.' },
    ),
    { description: 'The parts of the fee. Each is rounded up to the minor unit.' },
  ),
  rate: s.Type.String({
    description: 'Units that arrive for one unit of the wallet; a decimal.',
    examples: ['0.00064516129'],
  }),
  destination_amount: s.AmountOut(
    'What arrives: `net_amount` × `rate`, rounded down to the minor unit.',
  ),
  destination_currency: s.OneOf(currencies, { description: 'The currency that arrives.' }),
}

export const QuoteIn = s.Body({
  amount: s.AmountIn(
    0,
    'What would leave the wallet, in minor units. 0 asks for the least fee and the rate.',
  ),
  currency: s.OneOf(walletCurrencies, { description: 'The wallet to pay from.' }),
  method: s.OneOf(payoutMethods, { description: 'By what means.' }),
  destination: QuoteDestinationIn,
})

export const QuoteRecord = s.RecordOf(
  'PayoutQuote',
  'What a payout would cost and what would arrive. Nothing is debited.',
  {
    ...order,
    destination: DestinationOut,
    ...price,
    ...rateOrigin,
    estimated_arrival: s.Timestamp('When it would arrive if it were sent now.'),
    sufficient_funds: s.Type.Boolean({
      description: 'Whether the wallet has `amount` available now.',
    }),
    expires_at: s.Timestamp('Until when a payout can lock this price.'),
    warnings: s.Warnings,
  },
)

const Approval = s.Type.Object(
  {
    reasons: s.Type.Array(s.OneOf(approvalReasons, { description: 'A reason.' }), {
      description:
        'Why it waits. `payout_limit`: it is above what one payout may be; `daily_limit`: the day would send too much.',
    }),
    made_by: WhoRecord('Who made the payout, and so cannot approve it.'),
    until: s.Timestamp('Until when it waits: then it is canceled and given back.'),
    decided_by: WhoRecord(
      'Who approved it, refused it, or canceled it while it waited; null while it waits, and after the time limit decided.',
    ),
    decided_at: s.Nullable(s.Timestamp('When.')),
  },
  {
    title: 'PayoutApprovalDetails',
    description: 'Why it needs a second person, and what became of that.',
  },
)

/** `GET /payouts/export` is the export of the list. */
export const PayoutReference = s.Type.String({
  ...s.Reference,
  pattern: '^(?!(\\.{1,2}|export)$)[A-Za-z0-9._:=-]+$',
  'x-message': 'may only have letters, digits and . _ : - =, and cannot be ., .. or export',
})

const PayoutBody = s.Body({
  reference: PayoutReference,
  amount: s.AmountIn(1, 'What leaves the wallet, in minor units; the fee comes out of it.'),
  currency: s.OneOf(walletCurrencies, { description: 'The wallet to pay from.' }),
  method: s.Type.Optional(
    s.OneOf(payoutMethods, { description: 'By what means. Needed with `destination`.' }),
  ),
  destination: s.Type.Optional(DestinationIn),
  beneficiary: s.Type.Optional(
    s.IdText('One of your beneficiaries, in place of `destination`: its own is copied.'),
  ),
  quote: s.Type.Optional(
    s.IdText(
      'A quote for the same payout: its fee and rate hold until it expires. It prices one payout.',
    ),
  ),
  description: s.Type.Optional(s.Text(1, 500, { description: 'Only your team sees it.' })),
  metadata: s.Type.Optional(s.MetadataIn),
})

/** Either `destination` or `beneficiary` says where it goes; `payouts.ts` checks that. */
export const PayoutIn = s.Documented(
  PayoutBody,
  s.when(
    { not: { required: ['beneficiary'] } },
    { required: ['method', 'destination'] },
    { not: { required: ['destination'] } },
  ),
)

export const PayoutRecord = s.RecordOf('Payout', 'Money on its way out of a wallet.', {
  reference: s.Reference,
  ...order,
  destination: DestinationOut,
  beneficiary: s.Nullable(
    s.IdText('The beneficiary that it was made for, whose destination it has copied.'),
  ),
  quote: s.Nullable(s.IdText('The quote whose price it has.')),
  refund: s.Nullable(
    s.IdText('The refund that it is, to where the money did not come from. It costs nothing.'),
  ),
  ...price,
  description: s.Nullable(s.Type.String({ description: 'Only your team sees it.' })),
  status: s.OneOf(payoutStatuses, {
    description: 'Where it stands. `returned`: it was `completed`, and the money came back.',
  }),
  approval: s.OneOf(approvals, {
    description:
      'Whether a second person must look at it (`GET /limits`). `waiting`: it is `pending`, its amount is held, and no rail has it; `refused`: by a person, by the time limit, or because it was canceled meanwhile.',
  }),
  approval_details: s.Nullable(Approval),
  review: s.Nullable(HeldForReview),
  failure_reason: s.Nullable(
    s.OneOf(failureReasons, { description: 'Why it failed, or came back.' }),
  ),
  provider_reference: s.Nullable(s.Type.String({ description: 'The rail’s own id.' })),
  transaction: s.IdText('The transaction it makes.'),
  return_transaction: s.Nullable(
    s.IdText(
      'Of one that was returned: the transaction by which what had arrived is in the wallet again.',
    ),
  ),
  tx_hash: s.Nullable(s.Type.String({ description: 'Crypto: the hash on chain.' })),
  warnings: s.Warnings,
})

const approved = s.Named('PayoutApprovalSought', ['waiting', 'approved', 'refused'])

/** No index exists for this search, because every payout would pay for it. */
const amongNewest = 'among the newest 50,000 payouts, or the newest 50,000 between `from` and `to`'

export const PayoutQuery = s.Body({
  ...s.pageQuery,
  status: s.Type.Optional(s.OneOf(payoutStatuses, { description: 'Only this status.' })),
  currency: s.Type.Optional(s.OneOf(walletCurrencies, { description: 'Only from this wallet.' })),
  method: s.Type.Optional(s.OneOf(payoutMethods, { description: 'Only this means.' })),
  approval: s.Type.Optional(
    s.OneOf(approved, {
      description: 'Only those that wait for a second person, or that one has approved or refused.',
    }),
  ),
  beneficiary: s.Type.Optional(s.IdText('Only those that were made for this beneficiary.')),
  ...s.rangeQuery,
  amount: s.Type.Optional(
    s.AmountIn(1, `Only of exactly this amount, in minor units, ${amongNewest}.`),
  ),
  reference: s.referenceQuery,
  search: s.searchQuery(
    'Only those with this text as the beginning of their `reference` or as their `id`. Among the newest 5,000, a part of the `reference` or the last four digits of the account that they go to also match. So does the account number or address that they go to, or the amount in major units, ' +
      amongNewest +
      '.',
    'rent-2026',
  ),
})

const outcomes = s.Named('SimulatedPayoutOutcome', ['completed', 'failed', 'returned'])

export const SimulateIn = s.Body({
  outcome: s.OneOf(outcomes, { description: 'The outcome to simulate.' }),
  failure_reason: s.Type.Optional(
    s.OneOf(failureReasons, { description: 'Why it fails, or comes back. Default `unknown`.' }),
  ),
})

const decisions = s.Named('PayoutDecision', ['approve', 'refuse'])

export const DecisionsIn = s.Body({
  decision: s.OneOf(decisions, { description: 'What becomes of them.' }),
  references: s.Type.Array(
    s.Type.String({ minLength: 1, maxLength: 100, description: 'Your reference of a payout.' }),
    {
      minItems: 1,
      maxItems: 100,
      uniqueItems: true,
      description: 'The payouts, by your references: up to 100.',
    },
  ),
})

export const DecisionsRecord = s.Type.Object(
  {
    decided: s.Type.Array(PayoutRecord, {
      description: 'The payouts that were decided, in the order of your list.',
    }),
    skipped: s.Type.Array(
      s.Type.Object(
        {
          reference: s.Type.String({ description: 'Your reference.' }),
          code: s.Type.String({
            description: 'Why not: the code that it would be refused with alone.',
          }),
          message: s.Type.String({ description: 'The same in words.' }),
        },
        { title: 'SkippedDecision', description: 'A payout that stays as it was.' },
      ),
      { description: 'Those that stay as they were, and why.' },
    ),
  },
  { title: 'PayoutDecisions', description: 'What became of payouts that were decided together.' },
)

export const ReferenceParams = s.Body({
  reference: s.Type.String({ description: 'Your reference of the payout.' }),
})

export const ReportQuery = s.Body(periodQuery)

const outcome = {
  count: s.Count('How many.'),
  amount: s.AmountOut('What they were made for, fee included.'),
  fee: s.AmountOut('What was charged for them: nothing, unless they completed.'),
  net_amount: s.AmountOut('What was sent: nothing, unless they completed.'),
}

export const ReportRecord = s.Type.Object(
  {
    ...reported,
    totals: s.Type.Array(
      s.Type.Object(
        { currency: s.OneOf(walletCurrencies, { description: 'The wallet.' }), ...outcome },
        { title: 'PayoutReportTotal' },
      ),
      { description: 'One for each wallet.' },
    ),
    lines: s.Type.Array(
      s.Type.Object(
        {
          currency: s.OneOf(walletCurrencies, { description: 'The wallet.' }),
          status: s.OneOf(payoutStatuses, { description: 'Where they stand now.' }),
          failure_reason: s.Nullable(
            s.OneOf(failureReasons, { description: 'Why they failed, or came back.' }),
          ),
          method: s.OneOf(payoutMethods, { description: 'By what means.' }),
          ...outcome,
        },
        { title: 'PayoutReportLine' },
      ),
      { description: 'By wallet, status, reason and means.' },
    ),
  },
  {
    title: 'PayoutReport',
    description: 'What became of the payouts that were made in a period. Amounts in minor units.',
  },
)

/** What the export of the list shows. */
export const exported = {
  id: 'text',
  created_at: 'time',
  reference: 'text',
  status: 'text',
  approval: 'text',
  method: 'text',
  currency: 'text',
  amount: 'amount',
  fee: 'amount',
  net_amount: 'amount',
  destination_currency: 'text',
  destination_amount: 'text',
  rate: 'text',
  'destination.country': 'text',
  'destination.bank_code': 'text',
  'destination.bank_name': 'text',
  'destination.account_number': 'text',
  'destination.account_name': 'text',
  'destination.resolved_account_name': 'text',
  'destination.chain': 'text',
  'destination.address': 'text',
  failure_reason: 'text',
  provider_reference: 'text',
  tx_hash: 'text',
  transaction: 'text',
  description: 'text',
  return_transaction: 'text',
  beneficiary: 'text',
} as const
