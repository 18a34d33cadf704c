/** Each payout limit by its API name, with its column. A limit's rule has the same name. */

/** Limits that a business sets for its own wallets. */
export const ownNames = {
  approve_above: 'above_payout',
  approve_above_daily: 'above_day',
  refuse_above: 'refuse_payout',
  refuse_above_daily: 'refuse_day',
  refuse_above_daily_count: 'refuse_count',
  destination_daily: 'destination_day',
  destination_daily_count: 'destination_count',
} as const
export type OwnName = keyof typeof ownNames
export const ownList = Object.keys(ownNames) as OwnName[]

/** The names of a business's limits in mails. */
export const ownLabels = {
  approve_above: 'a payout above this waits for a second person',
  approve_above_daily: 'payouts above this in a day wait for a second person',
  refuse_above: 'a payout above this is refused',
  refuse_above_daily: 'paid out in a day, at most',
  refuse_above_daily_count: 'payouts in a day, at most',
  destination_daily: 'to one destination in a day, at most',
  destination_daily_count: 'payouts to one destination in a day, at most',
  approval_hours: 'hours that a payout waits for a second person',
  payouts_by_key: 'API keys may pay',
  beneficiary_cooling_off_hours: 'hours that a beneficiary cools off',
} as const

/** Limits that the operator sets for a business's wallets. */
export const operatorNames = {
  max_payout: 'max_payout',
  max_daily: 'max_day',
  max_daily_count: 'max_count',
  max_destination_daily: 'max_destination_day',
  max_destination_daily_count: 'max_destination_count',
} as const
export type OperatorName = keyof typeof operatorNames
export const operatorList = Object.keys(operatorNames) as OperatorName[]

/** Limits that the operator sets for hosted pages, against card testing. */
type PageRule = 'card_tries' | 'card_declines'

/** Limits that the operator sets for customers by identity tier. */
type TierRule = 'tier_max_deposit' | 'tier_max_daily' | 'tier_max_daily_count'

/** What each rule does. */
export const ruleMeanings = {
  approve_above: 'A payout waited for a second person for its amount.',
  approve_above_daily: 'A payout waited for a second person for what the day had sent.',
  refuse_above: 'A payout was refused for its amount.',
  refuse_above_daily: 'A payout was refused for what the day had paid out.',
  refuse_above_daily_count: 'A payout was refused for how many the day had.',
  destination_daily: 'A payout was refused for what its destination was sent in the day.',
  destination_daily_count: 'A payout was refused for how many its destination was sent in the day.',
  max_payout: 'The operator’s limit refused a payout for its amount.',
  max_daily: 'The operator’s limit refused a payout for what the day had paid out.',
  max_daily_count: 'The operator’s limit refused a payout for how many the day had.',
  max_destination_daily:
    'The operator’s limit refused a payout for what its destination was sent in the day.',
  max_destination_daily_count:
    'The operator’s limit refused a payout for how many its destination was sent in the day.',
  card_tries: 'A hosted page turned a payer away who had tried too many cards.',
  card_declines:
    'A hosted page turned a payer away whose cards were declined too many times in a row.',
  tier_max_deposit:
    'A deposit waited for the operator for its amount, by its customer’s identity tier.',
  tier_max_daily: 'A deposit waited for the operator for what its customer had sent in the day.',
  tier_max_daily_count:
    'A deposit waited for the operator for how many its customer had sent in the day.',
} as const satisfies Record<OwnName | OperatorName | PageRule | TierRule, string>
export type LimitRule = keyof typeof ruleMeanings
export const limitRules = Object.keys(ruleMeanings) as LimitRule[]
