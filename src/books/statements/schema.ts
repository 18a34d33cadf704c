import { walletCurrencies } from '../../lib/money.ts'
import {
  AmountOut,
  Body,
  Count,
  IdText,
  Named,
  Nullable,
  OneOf,
  rangeQuery,
  type Static,
  Timestamp,
  Type,
} from '../../lib/schema.ts'
import { methods } from '../transactions/transactions.ts'

export const activityTypes = Named('ActivityType', [
  'deposit',
  'payout',
  'refund',
  'dispute',
  'conversion',
  'share',
  'simulated_fund',
])

const Activity = Type.Object(
  {
    type: OneOf(activityTypes, {
      description:
        'What moved: `deposit` is money from payers, of payments too; `dispute` what was held and taken for disputes; `conversion` what went to the other wallet, or came from it; `share` what distributions keep for others; `simulated_fund` test money.',
    }),
    in: AmountOut('What came into the wallet, before fees.'),
    out: AmountOut('What left the wallet, without fees.'),
    fees: AmountOut('Fees, less those that were given back.'),
  },
  { title: 'StatementActivity' },
)

const WalletStatement = Type.Object(
  {
    currency: OneOf(walletCurrencies, { description: 'The wallet.' }),
    opening: AmountOut(
      'What the wallet held when the month began, available and pending, without deposits that screening held.',
    ),
    in: AmountOut('What came in, before fees.'),
    out: AmountOut('What left, without fees.'),
    fees: AmountOut('Fees, less those that were given back.'),
    closing: AmountOut(
      '`opening` + `in` − `out` − `fees`: what the wallet held when the month ended. It is `opening` and each `balance_change` of the transactions that were completed in the month.',
    ),
    activity: Type.Array(Activity, { description: 'The same by what moved.' }),
  },
  { title: 'WalletStatement' },
)

export const StatementRecord = Type.Object(
  {
    month: Type.String({ description: 'The month.', examples: ['2026-11'] }),
    livemode: Type.Boolean({ description: '`true` for live keys, `false` for test keys.' }),
    business: Type.String({ description: 'The name of the business.' }),
    time_zone: Type.String({
      description: 'Where the month begins and ends.',
      examples: ['Africa/Lagos'],
    }),
    from: Timestamp('When the month began.'),
    to: Timestamp('When it ended, or ends: no longer part of it.'),
    complete: Type.Boolean({
      description: 'Whether the month is over. Until then the closing is what is held now.',
    }),
    wallets: Type.Array(WalletStatement, { description: 'One for each wallet.' }),
  },
  { title: 'Statement', description: 'A month of a business’s wallets. Amounts in minor units.' },
)

const steps = Named('ReportStep', ['day', 'month'])

/** The period of a report. */
export const periodQuery = {
  from: Type.Optional({
    ...rangeQuery.from,
    description: 'A time, or a day of your time zone. Default: the first of this month.',
  }),
  to: Type.Optional({
    ...rangeQuery.to,
    description:
      'Before a time, or up to the end of a day; at most 13 months after `from`. Default: now.',
  }),
}
export const ReportQuery = Body({
  ...periodQuery,
  by: Type.Optional(OneOf(steps, { default: 'day', description: 'What a line is of.' })),
})

/** The period in every report's answer. */
export const reported = {
  livemode: Type.Boolean({ description: '`true` for live keys, `false` for test keys.' }),
  time_zone: Type.String({
    description: 'Where its days begin and end.',
    examples: ['Africa/Lagos'],
  }),
  from: Timestamp('When the period began.'),
  to: Timestamp('When it ended: no longer part of it.'),
}

const line = {
  period: Type.String({ description: 'The day, or the month.', examples: ['2026-11-21'] }),
  currency: OneOf(walletCurrencies, { description: 'The wallet.' }),
}
const byMethod = OneOf(methods, { description: 'By what means the money moved.' })

const Fee = Type.Object(
  {
    ...line,
    type: OneOf(activityTypes, { description: 'What they were charged for.' }),
    method: byMethod,
    count: Count('How many were charged.'),
    fees: AmountOut('What they come to.'),
  },
  { title: 'FeesReportLine' },
)

export const FeesRecord = Type.Object(
  {
    ...reported,
    totals: Type.Array(
      Type.Object(
        {
          currency: line.currency,
          fees: AmountOut('All fees of the period: those of the statements.'),
        },
        { title: 'FeesReportTotal' },
      ),
      { description: 'One for each wallet.' },
    ),
    lines: Type.Array(Fee, { description: 'By day or month, wallet, type and means.' }),
  },
  {
    title: 'FeesReport',
    description: 'What a business paid in fees in a period. Amounts in minor units.',
  },
)

const income = {
  gross: AmountOut('What payers paid.'),
  fees: AmountOut('What was kept of it as fees.'),
  net: AmountOut('What reached the wallet.'),
}

const Settlement = Type.Object(
  { ...line, method: byMethod, count: Count('How many times money came.'), ...income },
  { title: 'SettlementReportLine' },
)

export const SettlementsRecord = Type.Object(
  {
    ...reported,
    totals: Type.Array(
      Type.Object({ currency: line.currency, ...income }, { title: 'SettlementReportTotal' }),
      {
        description: 'One for each wallet.',
      },
    ),
    lines: Type.Array(Settlement, { description: 'By day or month, wallet and means.' }),
  },
  {
    title: 'SettlementReport',
    description: 'What came from payers in a period. Amounts in minor units.',
  },
)

export const StatementParams = Body({ month: Type.String({ description: 'Such as 2026-11.' }) })

export const CsvFile = Type.Unsafe<AsyncIterable<string>>({
  type: 'string',
  description: 'CSV, a line for each sum.',
})
export const PdfFile = Type.Unsafe<AsyncIterable<Uint8Array>>({
  type: 'string',
  contentEncoding: 'binary',
  description: 'A PDF.',
})

export type Statement = Static<typeof StatementRecord>

const modes = ['live', 'test'] as const
export const EarningsQuery = Body({
  ...periodQuery,
  by: Type.Optional(OneOf(steps, { default: 'day', description: 'What a line is of.' })),
  mode: Type.Optional(OneOf(modes, { default: 'live', description: 'The mode that it is of.' })),
})

const earned = {
  currency: Type.String({ description: 'The currency.', examples: ['ngn'] }),
  fees: AmountOut('Fees, less those that were given back.'),
  provider_fees: AmountOut('What providers kept of it.'),
  earned: AmountOut('What is left: below zero where providers kept more.'),
}
export const EarningsRecord = Type.Object(
  {
    ...reported,
    totals: Type.Array(Type.Object(earned, { title: 'EarningsTotal' }), {
      description: 'One for each currency.',
    }),
    lines: Type.Array(Type.Object({ period: line.period, ...earned }, { title: 'EarningsLine' }), {
      description: 'By day or month, and currency.',
    }),
    businesses: Type.Array(
      Type.Object(
        {
          business: Nullable(
            IdText('The business; null: the installation itself, such as for unclaimed money.'),
          ),
          name: Nullable(Type.String({ description: 'Its name.' })),
          ...earned,
        },
        { title: 'EarningsOfBusiness' },
      ),
      { description: 'By business and currency: the 100 that brought the most. The CSV has all.' },
    ),
    more_businesses: Count('How many more there are.'),
  },
  {
    title: 'Earnings',
    description: 'What the operator earned in a period. Amounts in minor units.',
  },
)
