import { walletCurrencies } from '../../lib/money.ts'
import {
  AmountIn,
  AmountOut,
  Body,
  Count,
  IdText,
  Named,
  Nullable,
  OneOf,
  RecordOf,
  Small,
  Timestamp,
  Type,
} from '../../lib/schema.ts'
import { WhoRecord } from '../../platform/team/team.ts'
import { limitRules } from './names.ts'

/** Why a payout waits for approval. */
export const approvalReasons = Named('ApprovalReason', ['payout_limit', 'daily_limit'])

export const defaultApprovalHours = 24

/** Whom keys may pay. */
export const payoutsByKey = Named('PayoutsByKey', ['any', 'beneficiaries'])
export type PayoutsByKey = (typeof payoutsByKey)[number]
export const defaultCoolingOffHours = 24

const currency = OneOf(walletCurrencies, { description: 'The wallet.' })
const hours = 'How long a payout waits for a second person before it is canceled and given back.'
const byKey =
  'Whom payouts that a key makes may go to: to `any`, or to your `beneficiaries` alone. A person who has signed in pays any.'
const coolingOff =
  'How long a beneficiary cools off that is new, or whose destination was changed, before payouts can name it.'
const perPayout =
  'Payouts of more than this wait for a second person, in minor units. Null: none does for its amount.'
const perDay =
  'Payouts wait that would bring what a day sends without approval above this, in minor units. Null: none does. A day is one of your business’s time zone.'

const refused = {
  refuse_above:
    'Payouts of more than this are refused, in minor units. Null: none is for its amount.',
  refuse_above_daily:
    'Payouts are refused that would bring what a day of UTC pays out, approved or not, above this, in minor units. Null: none is.',
  refuse_above_daily_count:
    'More payouts than this are refused in a day of UTC. Null: none is for how many there are.',
  destination_daily:
    'Payouts are refused that would bring what one destination (an account at a bank, or an address on any chain) is sent in a day of UTC above this, in minor units. Null: none is.',
  destination_daily_count:
    'More payouts than this to one destination are refused in a day of UTC. Null: none is for how many there are.',
}
const ofOperator = {
  max_payout: 'The operator refuses payouts of more than this, in minor units. Null: no limit.',
  max_daily:
    'The operator allows at most this much in a UTC day, in minor units, approved payouts included. Null: no limit.',
  max_daily_count: 'The operator allows at most this many payouts in a UTC day. Null: no limit.',
  max_destination_daily:
    'The operator allows at most this much to one destination in a UTC day, in minor units. Null: no limit.',
  max_destination_daily_count:
    'The operator allows at most this many payouts to one destination in a UTC day. Null: no limit.',
}
const isCount = (name: string): boolean => name.endsWith('_count')
const most = Number.MAX_SAFE_INTEGER

/** The fields when read: an amount in minor units, or a number of payouts. */
const read = <Name extends string>(meanings: Record<Name, string>) =>
  Object.fromEntries(
    Object.entries<string>(meanings).map(([name, meaning]) => [
      name,
      Nullable(
        isCount(name)
          ? Type.Unsafe<bigint>(Count(meaning, { examples: [50] }))
          : AmountOut(meaning),
      ),
    ]),
  ) as Record<Name, ReturnType<typeof Nullable<ReturnType<typeof AmountOut>>>>
/** The fields when changed. */
const changed = <Name extends string>(meanings: Record<Name, string>) =>
  Object.fromEntries(
    Object.entries<string>(meanings).map(([name, meaning]) => [
      name,
      Type.Optional(
        Nullable(
          isCount(name)
            ? Count(meaning, { minimum: 0, maximum: most, examples: [50] })
            : AmountIn(0, meaning),
        ),
      ),
    ]),
  ) as Record<
    Name,
    ReturnType<typeof Type.Optional<ReturnType<typeof Nullable<ReturnType<typeof AmountIn>>>>>
  >

const ofAllWallets = {
  approval_hours: Small(hours),
  payouts_by_key: OneOf(payoutsByKey, { description: byKey }),
  beneficiary_cooling_off_hours: Small(coolingOff),
}

export const LimitsRecord = RecordOf(
  'Limits',
  'Above what payouts wait for a second person, and above what they are refused.',
  {
    currencies: Type.Array(
      Type.Object(
        {
          currency,
          approve_above: Nullable(AmountOut(perPayout)),
          approve_above_daily: Nullable(AmountOut(perDay)),
          ...read(refused),
          ...read(ofOperator),
          sent_today: AmountOut(
            'Amount paid out today without approval, less what failed or was canceled. Counted where a day is limited.',
          ),
          day_ends_at: Nullable(
            Timestamp('When a new day of your time zone begins to be counted.'),
          ),
          paid_out_today: Nullable(
            AmountOut(
              'Amount paid out in this day of UTC, less what failed or was canceled. Null: nothing is refused by day.',
            ),
          ),
          payouts_today: Nullable(
            Type.Unsafe<bigint>(
              Count('How many payouts that were, less those that failed or were canceled.'),
            ),
          ),
          utc_day_ends_at: Nullable(Timestamp('When a new day of UTC begins to be counted.')),
        },
        { title: 'PayoutLimit', description: 'The limits of a wallet.' },
      ),
      { description: 'One for each wallet.' },
    ),
    ...ofAllWallets,
    pending_change: Nullable(
      Type.Object(
        {
          id: IdText('The change: another that loosens takes its place, under an id of its own.'),
          made_by: WhoRecord('Who asked for it, and so cannot confirm it.'),
          created_at: Timestamp('When it was asked for.'),
          takes_effect_at: Timestamp(
            'When it takes effect, unless it is confirmed or canceled before.',
          ),
          currencies: Type.Array(
            Type.Object(
              {
                currency,
                approve_above: Nullable(AmountOut(perPayout)),
                approve_above_daily: Nullable(AmountOut(perDay)),
                ...read(refused),
              },
              {
                title: 'PendingPayoutLimit',
                description: 'The limits of a wallet, once it has taken effect.',
              },
            ),
            { description: 'One for each wallet.' },
          ),
          ...ofAllWallets,
        },
        {
          title: 'PendingLimits',
          description:
            'The limits once a change has taken effect that loosens them: in live mode it waits 24 hours, or until a second person confirms it. Null: none waits.',
        },
      ),
    ),
  },
)

export const PendingParams = Body({ id: IdText('The `id` of `pending_change`.') })

export const LimitsIn = Body({
  currencies: Type.Optional(
    Type.Array(
      Body(
        {
          currency,
          approve_above: Type.Optional(Nullable(AmountIn(0, perPayout))),
          approve_above_daily: Type.Optional(Nullable(AmountIn(0, perDay))),
          ...changed(refused),
        },
        { title: 'PayoutLimitChange', description: 'What changes of the limits of a wallet.' },
      ),
      {
        maxItems: walletCurrencies.length,
        description: 'Wallets that are left out stay as they are.',
      },
    ),
  ),
  approval_hours: Type.Optional(
    Small(`${hours} 1 to 720; default 24.`, { minimum: 1, maximum: 720 }),
  ),
  payouts_by_key: Type.Optional(OneOf(payoutsByKey, { description: `${byKey} Default \`any\`.` })),
  beneficiary_cooling_off_hours: Type.Optional(
    Small(`${coolingOff} 0 to 720, from the next change on; default 24.`, {
      minimum: 0,
      maximum: 720,
    }),
  ),
})

export const OperatorLimitsRecord = Type.Object(
  {
    id: IdText('The business.'),
    currencies: Type.Array(
      Type.Object(
        {
          currency,
          ...read(ofOperator),
          sent_today: Nullable(
            AmountOut(
              'Amount paid out today in live mode, less what failed or was canceled. Null: a day is not limited.',
            ),
          ),
          payouts_today: Nullable(
            Type.Unsafe<bigint>(
              Count('How many payouts that were, less those that failed or were canceled.'),
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
    description:
      'What the operator lets a business pay out at most, in live mode and, counted apart, in test mode.',
  },
)
export const OperatorLimitsIn = Body({
  currencies: Type.Array(
    Body(
      {
        currency,
        ...changed(ofOperator),
      },
      { title: 'OperatorLimitChange', description: 'What changes of the limits of a wallet.' },
    ),
    { maxItems: walletCurrencies.length, description: 'What is left out stays as it is.' },
  ),
})
export const OperatorLimitsParams = Body({ id: Type.String({ description: 'The business.' }) })

const times = (description: string) => Count(description, { examples: [3] })
export const LimitRulesRecord = Type.Object(
  {
    rules: Type.Array(
      Type.Object(
        {
          rule: OneOf(Named('LimitRule', limitRules), {
            description: 'The rule: the name of the limit.',
          }),
          meaning: Type.String({ description: 'What happened when it fired.' }),
          today: times('How often it fired in this day of UTC.'),
          last_7_days: times('How often in seven days of UTC, this one with them.'),
          last_30_days: times('How often in thirty.'),
          last_fired_at: Nullable(
            Timestamp('When it fired last, in these thirty days. Null: it did not.'),
          ),
        },
        { title: 'FiredRule', description: 'How often a rule of limits fired.' },
      ),
      { description: 'Each rule, also those that did not fire.' },
    ),
  },
  {
    title: 'LimitRules',
    description: 'How often the rules of limits fired, in all wallets of the mode.',
  },
)
