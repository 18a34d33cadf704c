import { walletCurrencies } from '../../lib/money.ts'
import * as s from '../../lib/schema.ts'
import {
  DestinationIn,
  DestinationOut,
  payoutMethods,
} from '../../platform/destinations/destinations.ts'
import { failureReasons, PayoutReference, payoutStatuses } from '../payouts/payouts.ts'

export const batchStatuses = s.Named('PayoutBatchStatus', [
  'draft',
  'running',
  'completed',
  'canceled',
])
export const lineStatuses = s.Named('PayoutBatchLineStatus', [
  'waiting',
  'bad',
  'created',
  'refused',
  'canceled',
])

export const mostLines = 10_000
/** The most rows of a spreadsheet. */
export const mostRow = 1_048_576

/** A line, which the module itself checks: one that is wrong is named, and the others stay. */
export const PayoutLine = s.Body(
  {
    reference: s.Type.Optional(PayoutReference),
    amount: s.AmountIn(1, 'What leaves the wallet, in minor units; the fee comes out of it.'),
    method: s.Type.Optional(
      s.OneOf(payoutMethods, {
        description: 'By what means. Default: what its destination needs.',
      }),
    ),
    destination: s.Type.Optional(DestinationIn),
    beneficiary: s.Type.Optional(s.IdText('One of your beneficiaries, in place of `destination`.')),
    description: s.Type.Optional(s.Text(1, 500, { description: 'Only your team sees it.' })),
    metadata: s.Type.Optional(s.MetadataIn),
    row: s.Type.Optional(
      s.Small('Its row in your file or spreadsheet, by which it is named.', {
        minimum: 1,
        maximum: mostRow,
      }),
    ),
  },
  {
    title: 'PayoutBatchLineInput',
    description:
      'A payout of a batch. Its `reference` is that of the batch, `-` and its number, unless it has its own.',
  },
)

const reference = s.Type.String({ ...s.Reference, maxLength: 90 })
const skipBad =
  'Whether lines that cannot be paid are left out. Otherwise one of them stops the batch.'

export const BatchIn = s.Body({
  reference,
  currency: s.OneOf(walletCurrencies, { description: 'The wallet to pay from.' }),
  lines: s.Type.Array(
    s.Documented(
      s.Type.Unsafe<Record<string, unknown>>({
        type: 'object',
        maxProperties: 50,
        'x-max-bytes': 20_000,
      }),
      {
        ...PayoutLine,
        maxProperties: null,
      },
    ),
    {
      minItems: 1,
      maxItems: mostLines,
      description: `The payouts: up to ${mostLines.toLocaleString('en')}.`,
    },
  ),
  description: s.Type.Optional(s.Text(1, 500, { description: 'Only your team sees it.' })),
  metadata: s.Type.Optional(s.MetadataIn),
  dry_run: s.Type.Optional(
    s.Type.Boolean({
      description:
        'Keep it as a `draft`, which pays nobody before it is confirmed. Default `false`.',
    }),
  ),
  skip_bad: s.Type.Optional(s.Type.Boolean({ description: `${skipBad} Default \`false\`.` })),
})

export const ConfirmIn = s.Body({
  skip_bad: s.Type.Optional(s.Type.Boolean({ description: `${skipBad} Default \`false\`.` })),
})

export const RetryIn = s.Body({
  reference: s.Documented(reference, { description: 'The reference of the new batch.' }),
  lines: s.Type.Optional(
    s.Type.Array(s.Small('The number of a line.', { minimum: 1, maximum: mostLines }), {
      minItems: 1,
      maxItems: mostLines,
      uniqueItems: true,
      description: 'Only these lines. Default: all that failed.',
    }),
  ),
})

const LineRecord = s.Type.Object(
  {
    line: s.Small('Its number, from 1.'),
    row: s.Nullable(s.Small('Its row in your file, if you sent it.')),
    reference: s.Nullable(s.Type.String({ description: 'The reference of its payout.' })),
    amount: s.Nullable(s.AmountOut('What leaves the wallet; null of one that says none.')),
    status: s.OneOf(lineStatuses, {
      description:
        '`bad`: it could not be paid when the batch was checked; `refused`: when its payout was to be made; `created`: it has its payout.',
    }),
    beneficiary: s.Nullable(s.IdText('The beneficiary that it names.')),
    destination: s.Nullable(
      s.Documented(DestinationOut, { description: 'Destination; null if that cannot be read.' }),
    ),
    payout: s.Nullable(s.IdText('Its payout.')),
    payout_status: s.Nullable(s.OneOf(payoutStatuses, { description: 'The status of that.' })),
    failure_reason: s.Nullable(
      s.OneOf(failureReasons, { description: 'Why its payout failed or came back.' }),
    ),
    is_unapproved: s.Type.Boolean({
      description: 'Whether its payout was canceled because nobody approved it in time.',
    }),
    retriable: s.Type.Boolean({ description: 'Whether a retry of the batch pays it again.' }),
    retried_in: s.Nullable(s.IdText('The batch that pays it again.')),
    field: s.Nullable(s.Type.String({ description: 'The field that is wrong.' })),
    code: s.Nullable(
      s.Type.String({ description: 'Why not: the code that such a payout is refused with.' }),
    ),
    message: s.Nullable(s.Type.String({ description: 'The same in words.' })),
  },
  { title: 'PayoutBatchLine', description: 'A line of a batch, and what became of it.' },
)

export { LineRecord }

export const BatchRecord = s.RecordOf('PayoutBatch', 'Payouts that are made together.', {
  reference,
  description: s.Nullable(s.Type.String({ description: 'Only your team sees it.' })),
  currency: s.OneOf(walletCurrencies, { description: 'The wallet.' }),
  status: s.OneOf(batchStatuses, {
    description:
      '`draft`: it was checked, and waits to be confirmed; `running`: its payouts are being made; `completed`: each line has its payout, or was refused.',
  }),
  amount: s.AmountOut(
    'What the lines that can be paid take out of the wallet, as they were checked.',
  ),
  fee: s.AmountOut('What of that are fees.'),
  available: s.AmountOut('What the wallet has available now.'),
  sufficient_funds: s.Type.Boolean({
    description: 'Whether that is enough for what is left to be made.',
  }),
  counts: s.Type.Object(
    {
      lines: s.Small('All lines.'),
      waiting: s.Small('Those whose payout is to be made.'),
      bad: s.Small('Those that could not be paid when the batch was checked.'),
      created: s.Small('Those that have their payout.'),
      refused: s.Small('Those that were refused when their payout was to be made.'),
      canceled: s.Small('Those that were canceled before.'),
    },
    { title: 'PayoutBatchCounts', description: 'How many lines stand where.' },
  ),
  payouts: s.Nullable(
    s.Type.Unsafe<Record<string, number>>({
      type: 'object',
      additionalProperties: { type: 'integer', format: 'int32' },
      title: 'PayoutBatchPayouts',
      description:
        'How many of its payouts have which status, those that wait for approval as `waiting`. Null in lists.',
    }),
  ),
  retriable: s.Nullable(
    s.Small(
      'How many failed lines `POST /payout-batches/{id}/retry` would pay again. Null in lists.',
    ),
  ),
  retry_of: s.Nullable(s.IdText('The batch whose failed lines it pays again.')),
  ended_at: s.Nullable(s.Timestamp('When nothing of it was left to be made.')),
})

export const BatchQuery = s.Body({
  ...s.pageQuery,
  status: s.Type.Optional(s.OneOf(batchStatuses, { description: 'Only this status.' })),
})

const { page, limit } = s.pageQuery
export const LinesQuery = s.Body({
  page,
  limit,
  status: s.Type.Optional(s.OneOf(lineStatuses, { description: 'Only lines that stand there.' })),
  failed: s.Type.Optional(
    s.Type.Boolean({
      description:
        'Only lines that were refused, or whose payout failed, came back or was canceled.',
    }),
  ),
})

export const BatchParams = s.Body({ id: s.Type.String({ description: 'The batch.' }) })

export const OrdersQuery = s.Body({
  debtor_account: s.Line(1, 34, {
    description: 'The account that your bank shall pay from: an IBAN, or its number.',
    examples: ['0123456789'],
  }),
  debtor_bank: s.Type.Optional(
    s.Line(1, 35, {
      description: 'Your bank: a BIC, or its code in the clearing.',
      examples: ['GTBINGLA'],
    }),
  ),
})

export const OrdersFile = s.Type.Unsafe<AsyncIterable<string>>({
  type: 'string',
  description: 'XML in UTF-8.',
})
