import { walletCurrencies } from '../../lib/money.ts'
import {
  AmountIn,
  AmountOut,
  Body,
  IdText,
  Named,
  Nullable,
  OneOf,
  RecordOf,
  Small,
  Timestamp,
  Type,
} from '../../lib/schema.ts'

/** Why a payout waits. */
export const approvalReasons = Named('ApprovalReason', ['payout_limit', 'daily_limit'])

export const defaultApprovalHours = 24

/** Whom keys pay. */
export const payoutsByKey = Named('PayoutsByKey', ['any', 'beneficiaries'])
export type PayoutsByKey = (typeof payoutsByKey)[number]
export const defaultCoolingOffHours = 24

const currency = OneOf(walletCurrencies, { description: 'The wallet.' })
const hours = 'How long a payout waits for a second person before it is canceled and given back.'
const byKey =
  'Whom payouts that a key makes may go to: to `any`, or to your `beneficiaries` alone. A person who has signed in pays any.'
const coolingOff =
  'How long a beneficiary cools off that is new, or whose destination was changed, before payouts can name it.'
const perPayout = 'Payouts of more than this wait for a second person, in minor units. Null: none does for its amount.'
const perDay =
  'Payouts wait that would bring what a day sends without approval above this, in minor units. Null: none does. A day is one of your business’s time zone.'

const maxPayout =
  'The operator of the installation lets no payout of more than this out, in minor units. Null: it says nothing of that.'
const maxDaily =
  'The operator lets no more than this out in a day of UTC, in minor units, whoever has approved it. Null: it says nothing of that.'

export const LimitsRecord = RecordOf('Limits', 'Above what payouts wait for a second person.', {
  currencies: Type.Array(
    Type.Object(
      {
        currency,
        approve_above: Nullable(AmountOut(perPayout)),
        approve_above_daily: Nullable(AmountOut(perDay)),
        max_payout: Nullable(AmountOut(maxPayout)),
        max_daily: Nullable(AmountOut(maxDaily)),
        sent_today: AmountOut(
          'What was paid out today without approval, less what failed or was canceled. Counted where a day is limited.',
        ),
        day_ends_at: Nullable(Timestamp('When a new day begins to be counted.')),
      },
      { title: 'PayoutLimit', description: 'The limits of a wallet.' },
    ),
    { description: 'One for each wallet.' },
  ),
  approval_hours: Small(hours),
  payouts_by_key: OneOf(payoutsByKey, { description: byKey }),
  beneficiary_cooling_off_hours: Small(coolingOff),
})

export const LimitsIn = Body({
  currencies: Type.Optional(
    Type.Array(
      Body(
        {
          currency,
          approve_above: Type.Optional(Nullable(AmountIn(0, perPayout))),
          approve_above_daily: Type.Optional(Nullable(AmountIn(0, perDay))),
        },
        { title: 'PayoutLimitChange', description: 'What changes of the limits of a wallet.' },
      ),
      { maxItems: walletCurrencies.length, description: 'Wallets that are left out stay as they are.' },
    ),
  ),
  approval_hours: Type.Optional(Small(`${hours} 1 to 720; 24 where nobody says.`, { minimum: 1, maximum: 720 })),
  payouts_by_key: Type.Optional(OneOf(payoutsByKey, { description: `${byKey} \`any\` where nobody says.` })),
  beneficiary_cooling_off_hours: Type.Optional(
    Small(`${coolingOff} 0 to 720, from the next change on; 24 where nobody says.`, { minimum: 0, maximum: 720 }),
  ),
})

export const OperatorLimitsRecord = Type.Object(
  {
    id: IdText('The business.'),
    currencies: Type.Array(
      Type.Object(
        {
          currency,
          max_payout: Nullable(AmountOut('No payout may be of more, in minor units. Null: each may.')),
          max_daily: Nullable(
            AmountOut('No more goes out in a day of UTC, in minor units. Null: as much as there is.'),
          ),
          sent_today: Nullable(
            AmountOut(
              'What was paid out today in live mode, less what failed or was canceled. Null: a day is not limited.',
            ),
          ),
          day_ends_at: Nullable(Timestamp('When a new day begins to be counted.')),
        },
        { title: 'OperatorLimit', description: 'What may be paid out of a wallet at most.' },
      ),
      { description: 'One for each wallet.' },
    ),
  },
  {
    title: 'OperatorLimits',
    description: 'What the operator lets a business pay out at most, in live mode and, counted apart, in test mode.',
  },
)
export const OperatorLimitsIn = Body({
  currencies: Type.Array(
    Body(
      {
        currency,
        max_payout: Type.Optional(Nullable(AmountIn(0, 'No payout may be of more, in minor units. Null: each may.'))),
        max_daily: Type.Optional(
          Nullable(AmountIn(0, 'No more goes out in a day of UTC, in minor units. Null: as much as there is.')),
        ),
      },
      { title: 'OperatorLimitChange', description: 'What changes of the limits of a wallet.' },
    ),
    { maxItems: walletCurrencies.length, description: 'What is left out stays as it is.' },
  ),
})
export const OperatorLimitsParams = Body({ id: Type.String({ description: 'The business.' }) })
