import { walletCurrencies } from '../../lib/money.ts'
import * as s from '../../lib/schema.ts'
import { WhoRecord } from '../../platform/team/team.ts'

export const intervals = s.Named('PayoutInterval', ['daily', 'weekly', 'monthly'])
export type Interval = (typeof intervals)[number]
export const weekdays = s.Named('Weekday', [
  'monday',
  'tuesday',
  'wednesday',
  'thursday',
  'friday',
  'saturday',
  'sunday',
])
export type Weekday = (typeof weekdays)[number]
export const scheduleStatuses = s.Named('PayoutScheduleStatus', ['active', 'paused'])

export const defaultTime = '06:00'

const currency = s.OneOf(walletCurrencies, { description: 'The wallet to pay from.' })
const beneficiary = s.IdText(
  'Destination: a beneficiary that is an account of your own, which a person has confirmed with a second factor.',
)
const interval = s.OneOf(intervals, { description: 'How often.' })
const weekday = s.OneOf(weekdays, { description: 'On which day of the week; of `weekly` alone.' })
const day = s.Small(
  'On which day of the month; of `monthly` alone. A month that has fewer days pays on its last.',
  {
    minimum: 1,
    maximum: 31,
  },
)
const time = s.Type.String({
  pattern: '^([01][0-9]|2[0-3]):[0-5][0-9]$',
  'x-message': 'must be a time of day such as 06:00',
  description: `When, on the clocks of your business’s time zone (\`GET /business\`). Default \`${defaultTime}\`.`,
  examples: ['06:00'],
})
const keep = 'What stays in the wallet, in minor units. Default 0.'
const minimum =
  'The least that it pays: with less than this above `keep`, a run pays nothing. Default 1.'
const maximum =
  'The most that a run pays; the rest stays for the next. Null: all there is above `keep`.'
const description = s.Text(1, 500, {
  description: 'For your own eyes: the description of each payout.',
})

const others = {
  weekday: s.Type.Optional(weekday),
  day: s.Type.Optional(day),
  time: s.Type.Optional(time),
  keep: s.Type.Optional(s.AmountIn(0, keep)),
  minimum: s.Type.Optional(s.AmountIn(1, minimum)),
  maximum: s.Type.Optional(s.Nullable(s.AmountIn(1, maximum))),
  description: s.Type.Optional(s.Nullable(description)),
  metadata: s.Type.Optional(s.MetadataIn),
}

export const ScheduleIn = s.Body({ currency, beneficiary, interval, ...others })

export const ScheduleUpdate = s.Body({
  status: s.Type.Optional(
    s.OneOf(scheduleStatuses, { description: '`paused`: no run until it is `active` again.' }),
  ),
  beneficiary: s.Type.Optional(beneficiary),
  interval: s.Type.Optional(interval),
  ...others,
})

const skipped =
  'Why nothing was paid: `below_minimum`, `restored_from_backup`, or the code that the payout was refused with.'

export const RunRecord = s.Type.Object(
  {
    id: s.IdText('Unique id.'),
    due_at: s.Timestamp('When it was due.'),
    amount: s.Nullable(
      s.AmountOut('Amount paid: the fee comes out of it. Null where nothing was.'),
    ),
    payout: s.Nullable(s.IdText('The payout, or null.')),
    reference: s.Nullable(s.Type.String({ description: 'Its reference.' })),
    code: s.Nullable(s.Type.String({ description: skipped, examples: ['below_minimum'] })),
    message: s.Nullable(s.Type.String({ description: 'The same as a sentence.' })),
    livemode: s.Type.Boolean({ description: '`true` for live keys, `false` for test keys.' }),
    created_at: s.Timestamp('When it ran.'),
  },
  { title: 'PayoutScheduleRun', description: 'What a run of a payout schedule came to.' },
)

export const ScheduleRecord = s.RecordOf(
  'PayoutSchedule',
  'What of a wallet goes to an account of your own, and when. Each run is an ordinary payout.',
  {
    currency,
    beneficiary: s.IdText('Destination.'),
    interval,
    weekday: s.Nullable(weekday),
    day: s.Nullable(s.Small('On which day of the month; the last where it has fewer.')),
    time: s.Type.String({
      description: 'When, on the clocks of your business’s time zone.',
      examples: ['06:00'],
    }),
    keep: s.AmountOut('What stays in the wallet.'),
    minimum: s.AmountOut('The least that it pays.'),
    maximum: s.Nullable(s.AmountOut('The most that a run pays.')),
    description: s.Nullable(s.Type.String({ description: 'The description of each payout.' })),
    status: s.OneOf(scheduleStatuses, {
      description: '`paused`: no run until it is `active` again.',
    }),
    paused_because: s.Nullable(
      s.Type.String({
        description:
          'Why the server has paused it: its beneficiary has changed. Null: a person has paused it.',
        examples: ['beneficiary_changed'],
      }),
    ),
    made_by: WhoRecord(
      'Who made it. Neither they nor who has changed it since can approve what it pays.',
    ),
    next_run_at: s.Nullable(s.Timestamp('When it runs next; null while it is paused.')),
    upcoming: s.Type.Array(s.Timestamp('A run.'), {
      description:
        'The next runs, as the rule and your time zone stand now; none while it is paused.',
    }),
    next_amount: s.Nullable(
      s.AmountOut(
        'What a run would pay if it were due now, from what is available. Null: nothing.',
      ),
    ),
    next_skip: s.Nullable(
      s.Type.String({
        description: 'Why a run would pay nothing if it were due now.',
        examples: ['below_minimum'],
      }),
    ),
    last_run: s.Nullable(RunRecord),
  },
)

export const ScheduleQuery = s.Body({
  ...s.pageQuery,
  status: s.Type.Optional(s.OneOf(scheduleStatuses, { description: 'Only this status.' })),
  currency: s.Type.Optional(s.OneOf(walletCurrencies, { description: 'Only of this wallet.' })),
})

export const RunQuery = s.Body(s.pageQuery)

export const ScheduleParams = s.Body({ id: s.Type.String({ description: 'The payout schedule.' }) })
