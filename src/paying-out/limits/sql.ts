import { batchOf, sql, sqlOfAll, sqlOfMany } from '../../db/db.ts'
import type { Id } from '../../lib/ids.ts'
import type { WalletCurrency } from '../../lib/money.ts'
import { type LimitRule, operatorNames, ownNames } from './names.ts'
import type { PayoutsByKey } from './schema.ts'

/** In minor units, or a number of payouts; null: no limit. */
export type OwnLimits = Record<OwnColumn, bigint | null>
export type OperatorLimits = Record<OperatorColumn, bigint | null>

const ownColumns = Object.values(ownNames)
const operatorColumns = Object.values(operatorNames)
type OwnColumn = (typeof ownColumns)[number]
type OperatorColumn = (typeof operatorColumns)[number]

export type LimitRow = OwnLimits &
  OperatorLimits & {
    currency: WalletCurrency
    approval_ms: bigint
    payouts_by_key: PayoutsByKey
    cooling_off_ms: bigint
    day_starts_at: Date | null
    day_ends_at: Date | null
    day_amount: bigint
    /** The UTC day counted for refusals; null: none yet. */
    max_day_starts_at: Date | null
    max_day_amount: bigint
    max_day_count: bigint
    created_at: Date
    updated_at: Date
  }

/** The limits of a payout. `position` is its wallet's in the given lists, from 1. */
export type LimitOf = Omit<
  LimitRow,
  'currency' | 'cooling_off_ms' | 'created_at' | 'updated_at'
> & { position: bigint }

const types: Record<Exclude<keyof LimitOf, 'position'>, string> = {
  ...(Object.fromEntries(
    [...ownColumns, ...operatorColumns].map((name) => [name, 'bigint']),
  ) as Record<OwnColumn | OperatorColumn, string>),
  approval_ms: 'bigint',
  payouts_by_key: 'text',
  day_starts_at: 'timestamptz',
  day_ends_at: 'timestamptz',
  day_amount: 'bigint',
  max_day_starts_at: 'timestamptz',
  max_day_amount: 'bigint',
  max_day_count: 'bigint',
}
const read = Object.keys(types)

/** Nulls for the columns of `limitsOf` except the first, for the other rows of its statement. */
export const noLimit = Object.entries(types)
  .map(([name, type]) => `null::${type} as ${name}`)
  .join(', ')

/**
 * Selects the limits of wallets, each by its own lookup, inside a statement that reads something
 * else too. A wallet without limits has no row.
 * @param first the number of its first parameter: businesses, modes and currencies
 */
export const limitsOf = (first: number): string =>
  `select key.position, ${read.map((name) => `l.${name}`).join(', ')}
     from unnest((select $${first}::text[]), (select $${first + 1}::boolean[]), (select $${first + 2}::text[]))
          with ordinality as key (business_id, livemode, currency, position)
    cross join lateral (select * from payout_limits l
                         where l.business_id = key.business_id and l.livemode = key.livemode and l.currency = key.currency
                         limit 1) l`

const returned = `currency, ${read.join(', ')}, cooling_off_ms, created_at, updated_at`

export const selectLimits = sql<LimitRow>(
  'limits.select',
  `select ${returned} from payout_limits where business_id = $1 and livemode = $2 order by currency`,
)

/** Columns that require counting a UTC day. */
const ofDays = ['max_day', 'max_count', 'refuse_day', 'refuse_count'] as const
const ofDestinations = [
  'max_destination_day',
  'max_destination_count',
  'destination_day',
  'destination_count',
] as const
type Limits = OwnLimits & OperatorLimits

/** Whether payouts are counted by destination. */
export const countsDestinations = (limits: Limits): boolean =>
  ofDestinations.some((name) => limits[name] !== null)
/** Whether UTC days are counted. */
export const countsDays = (limits: Limits): boolean =>
  countsDestinations(limits) || ofDays.some((name) => limits[name] !== null)

const named = (columns: readonly string[]): string => columns.map((name) => `l.${name}`).join(', ')
/** Those columns of the limits `l`, as a list. */
export const destinationsOfDay = named(ofDestinations)
export const daysOfUtc = named([...ofDays, ...ofDestinations])

/** A counted day continues; otherwise counting starts with the next payout. */
const goOn = `case when num_nonnulls(${daysOfUtc}) = 0 then null else l.max_day_starts_at end`

export type OwnChange = OwnLimits & {
  currency: WalletCurrency
  starts_at: Date | null
  ends_at: Date | null
  amount: bigint
}
const ownChanges = batchOf<OwnChange>(
  `currency text, ${ownColumns.map((name) => `${name} bigint`).join(', ')}, starts_at timestamptz, ends_at timestamptz, amount bigint`,
)
export const arraysOfOwn = ownChanges.arrays

/** Also for a business without limits. */
export const upsertLimits = sql<LimitRow>(
  'limits.upsert',
  `insert into payout_limits as l (business_id, livemode, currency, ${ownColumns.join(', ')}, day_starts_at, day_ends_at, day_amount,
                                  approval_ms, payouts_by_key, cooling_off_ms, created_at, updated_at)
   select $1, $2, currency, ${ownColumns.join(', ')}, starts_at, ends_at, amount, $3, $4, $5, $6, $6 from ${ownChanges.rows(7)} as new
   on conflict (business_id, livemode, currency) do update
      set ${ownColumns.map((name) => `${name} = excluded.${name}`).join(', ')},
          approval_ms = excluded.approval_ms, payouts_by_key = excluded.payouts_by_key, cooling_off_ms = excluded.cooling_off_ms,
          day_starts_at = excluded.day_starts_at, day_ends_at = excluded.day_ends_at, day_amount = excluded.day_amount,
          max_day_starts_at = ${goOn}, updated_at = excluded.updated_at
   returning ${returned}`,
)

export type OperatorChange = OperatorLimits & { currency: WalletCurrency }
const operatorChanges = batchOf<OperatorChange>(
  `currency text, ${operatorColumns.map((name) => `${name} bigint`).join(', ')}`,
)
export const arraysOfOperator = operatorChanges.arrays

/** Sets the operator's limits of wallets from now on. */
export const upsertCeilings = sql<LimitRow>(
  'limits.upsert_ceilings',
  `insert into payout_limits as l (business_id, livemode, currency, ${operatorColumns.join(', ')}, approval_ms, created_at, updated_at)
   select $1, $2, currency, ${operatorColumns.join(', ')}, $3, $4, $4 from ${operatorChanges.rows(5)} as new
   on conflict (business_id, livemode, currency) do update
      set ${operatorColumns.map((name) => `${name} = excluded.${name}`).join(', ')}, max_day_starts_at = ${goOn}
   returning ${returned}`,
)

/** Sums payouts without approval since a moment, which `idBound` turns into an id. */
export const sumSince = sql<{ amount: bigint }>(
  'limits.sum_since',
  `select coalesce(sum(amount), 0)::bigint as amount from payouts
    where business_id = $1 and livemode = $2 and currency = $3 and id >= $4
      and approval = 'none' and status not in ('failed', 'canceled')`,
)

/** Sums payouts since a moment, which `idBound` turns into an id. */
export const sumAllSince = sql<{ amount: bigint; count: bigint }>(
  'limits.sum_all_since',
  `select coalesce(sum(amount), 0)::bigint as amount, count(*) as count from payouts
    where business_id = $1 and livemode = $2 and currency = $3 and id >= $4 and status not in ('failed', 'canceled')`,
)

/** The counted days of a wallet: for the business's approvals, and for refusals. */
export type CountedDays = {
  business_id: Id
  livemode: boolean
  currency: WalletCurrency
  starts_at: Date | null
  ends_at: Date | null
  amount: bigint
  max_starts_at: Date | null
  max_amount: bigint
  max_count: bigint
}
const days = batchOf<CountedDays>(
  'business_id text, livemode boolean, currency text, starts_at timestamptz, ends_at timestamptz, amount bigint, max_starts_at timestamptz, max_amount bigint, max_count bigint',
)
export const arraysOfDays = days.arrays

const updateDays = `update payout_limits l set day_starts_at = day.starts_at, day_ends_at = day.ends_at, day_amount = day.amount,
          max_day_starts_at = day.max_starts_at, max_day_amount = day.max_amount, max_day_count = day.max_count
     from ${days.rows()} as day
    where l.business_id = day.business_id and l.livemode = day.livemode and l.currency = day.currency`

export const countDays = sqlOfMany('limits.count_days', updateDays)

/**
 * A destination's payouts from a wallet in a UTC day. `destination` is its name, by
 * `destinationName`.
 */
export type CountedDestination = Pick<CountedDays, 'business_id' | 'livemode' | 'currency'> & {
  destination: string
  starts_at: Date
  amount: bigint
  count: bigint
}
const destinations = batchOf<CountedDestination>(
  'business_id text, livemode boolean, currency text, destination text, starts_at timestamptz, amount bigint, count bigint',
)
export const arraysOfDestinations = destinations.arrays
/** The key of a stored destination, as `destination_key` computes it. */
const key = (name: string): string => `hashtextextended(${name}, 0)`

/** Reads the last counted days of destinations, by their positions in the list. */
export const selectDestinations = sqlOfMany<{
  position: bigint
  starts_at: Date
  amount: bigint
  count: bigint
}>(
  'limits.select_destinations',
  `select wanted.position, d.day_starts_at as starts_at, d.amount, d.count
     from unnest($1::text[], $2::boolean[], $3::text[], $4::text[])
          with ordinality as wanted (business_id, livemode, currency, destination, position)
     join payout_destination_days d on d.business_id = wanted.business_id and d.livemode = wanted.livemode
      and d.currency = wanted.currency and d.destination = ${key('wanted.destination')}`,
)

/**
 * Counts days and destinations in one statement. The parameters of `countDays`, then those of the
 * destinations.
 */
export const countDaysAndDestinations = sqlOfMany(
  'limits.count_days_and_destinations',
  `with counted as (${updateDays})
   insert into payout_destination_days (business_id, livemode, currency, destination, day_starts_at, amount, count)
   select business_id, livemode, currency, ${key('destination')}, starts_at, amount, count from ${destinations.rows(10)} as sent
   on conflict (business_id, livemode, currency, destination) do update
      set day_starts_at = excluded.day_starts_at, amount = excluded.amount, count = excluded.count`,
)

export const deleteDestinations = sql(
  'limits.delete_destinations',
  'delete from payout_destination_days where business_id = $1 and livemode = $2 and currency = any ($3::text[])',
)

/** Sums payouts by destination since the UTC day that starts at `$5`, whose id bound is `$4`. */
export const sumDestinations = sql(
  'limits.sum_destinations',
  `insert into payout_destination_days (business_id, livemode, currency, destination, day_starts_at, amount, count)
   select business_id, livemode, currency, destination_key(destination), $5, sum(amount), count(*) from payouts
    where business_id = $1 and livemode = $2 and currency = any ($3::text[]) and id >= $4 and status not in ('failed', 'canceled')
    group by 1, 2, 3, 4`,
)

/** Deletes rows of days long past. */
export const deleteOldDestinations = sqlOfAll(
  'limits.delete_old_destinations',
  'delete from payout_destination_days where day_starts_at < $1',
)

const ofDay = '$5 >= day_starts_at and $5 < day_ends_at'
const within = (start: string): string => `$5 >= ${start} and $5 < ${start} + interval '24 hours'`

/**
 * Uncounts a payout of `$4` created at `$5` to `$7`: for refusals, and if it had not waited (`$6`),
 * for approvals.
 */
export const uncount = sql(
  'limits.uncount',
  `with uncounted as (
     update payout_destination_days set amount = greatest(0, amount - $4), count = greatest(0, count - 1)
      where business_id = $1 and livemode = $2 and currency = $3 and destination = ${key('$7')} and ${within('day_starts_at')}
   )
   update payout_limits
      set day_amount = case when $6 and above_day is not null and ${ofDay} then greatest(0, day_amount - $4) else day_amount end,
          max_day_amount = case when ${within('max_day_starts_at')} then greatest(0, max_day_amount - $4) else max_day_amount end,
          max_day_count = case when ${within('max_day_starts_at')} then greatest(0, max_day_count - 1) else max_day_count end
    where business_id = $1 and livemode = $2 and currency = $3
      and (($6 and above_day is not null and ${ofDay}) or ${within('max_day_starts_at')})`,
)

/** How far a business's test clock is ahead. */
export const testOffset = sqlOfMany<{ offset_ms: bigint }>(
  'limits.test_offset',
  'select offset_ms from test_clocks where business_id = $1',
)

/** How often a rule fired in a UTC day. */
export type Fired = {
  business_id: Id
  livemode: boolean
  rule: LimitRule
  day: string
  fired: bigint
  at: Date
}
const fired = batchOf<Fired>(
  'business_id text, livemode boolean, rule text, day date, fired bigint, at timestamptz',
)
export const arraysOfFired = fired.arrays

export const countFired = sqlOfMany(
  'limits.count_fired',
  `insert into limit_rule_days as d (business_id, livemode, rule, day, fired, last_fired_at)
   select business_id, livemode, rule, day, fired, at from ${fired.rows()} as new order by business_id, livemode, rule, day
   on conflict (business_id, livemode, rule, day) do update
      set fired = d.fired + excluded.fired, last_fired_at = greatest(d.last_fired_at, excluded.last_fired_at)`,
)

/** Counts how often rules fired: on the day `$3`, since `$4` and since `$5`. */
export const selectFired = sql<{
  rule: LimitRule
  today: bigint
  week: bigint
  month: bigint
  last_fired_at: Date
}>(
  'limits.select_fired',
  `select rule, coalesce(sum(fired) filter (where day = $3), 0)::bigint as today,
          coalesce(sum(fired) filter (where day >= $4), 0)::bigint as week, sum(fired)::bigint as month,
          max(last_fired_at) as last_fired_at
     from limit_rule_days where business_id = $1 and livemode = $2 and day >= $5 group by rule`,
)

/** Counts how often rules fired on a day, in all businesses. */
export const selectFiredOn = sqlOfAll<{ rule: LimitRule; livemode: boolean; fired: bigint }>(
  'limits.select_fired_on',
  'select rule, livemode, sum(fired)::bigint as fired from limit_rule_days where day = $1 group by 1, 2',
)

export const deleteOldFired = sqlOfAll(
  'limits.delete_old_fired',
  'delete from limit_rule_days where day < $1',
)
