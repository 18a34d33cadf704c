import { walletCurrencies } from '../../lib/money.ts'
import { AmountOut, Body, Named, OneOf, type Static, Timestamp, Type } from '../../lib/schema.ts'

export const activityTypes = Named('ActivityType', ['deposit', 'payout', 'refund', 'share', 'simulated_fund'])

const Activity = Type.Object(
  {
    type: OneOf(activityTypes, {
      description:
        'What moved: `deposit` is money from payers, of payments too; `share` what distributions keep for others; `simulated_fund` test money.',
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
    opening: AmountOut('What the wallet held when the month began, available and pending.'),
    in: AmountOut('What came in, before fees.'),
    out: AmountOut('What left, without fees.'),
    fees: AmountOut('Fees, less those that were given back.'),
    closing: AmountOut('`opening` + `in` − `out` − `fees`: what the ledger held when the month ended.'),
    activity: Type.Array(Activity, { description: 'The same by what moved.' }),
  },
  { title: 'WalletStatement' },
)

export const StatementRecord = Type.Object(
  {
    month: Type.String({ description: 'The month.', examples: ['2026-11'] }),
    livemode: Type.Boolean({ description: '`true` for live keys, `false` for test keys.' }),
    business: Type.String({ description: 'The name of the business.' }),
    time_zone: Type.String({ description: 'Where the month begins and ends.', examples: ['Africa/Lagos'] }),
    from: Timestamp('When the month began.'),
    to: Timestamp('When it ended, or ends: no longer part of it.'),
    complete: Type.Boolean({ description: 'Whether the month is over. Until then the closing is what is held now.' }),
    wallets: Type.Array(WalletStatement, { description: 'One for each wallet.' }),
  },
  { title: 'Statement', description: 'A month of a business’s wallets. Amounts in minor units.' },
)

export const StatementParams = Body({ month: Type.String({ description: 'Such as 2026-11.' }) })

export const CsvFile = Type.Unsafe<AsyncIterable<string>>({ type: 'string', description: 'CSV, a line for each sum.' })
export const PdfFile = Type.Unsafe<AsyncIterable<Uint8Array>>({
  type: 'string',
  contentEncoding: 'binary',
  description: 'A PDF.',
})

export type Statement = Static<typeof StatementRecord>
