import { batchOf, sql, sqlOfMany } from '../../db/db.ts'
import type { Id } from '../../lib/ids.ts'
import type { WalletCurrency } from '../../lib/money.ts'
import type { PayoutsByKey } from './schema.ts'

export type LimitRow = {
  currency: WalletCurrency
  above_payout: bigint | null
  above_day: bigint | null
  approval_ms: bigint
  payouts_by_key: PayoutsByKey
  cooling_off_ms: bigint
  day_starts_at: Date | null
  day_ends_at: Date | null
  day_amount: bigint
  /** What the operator lets go out at most; null: as much as there is. */
  max_payout: bigint | null
  max_day: bigint | null
  /** The day of UTC that is counted for the operator; null: none was yet. */
  max_day_starts_at: Date | null
  max_day_amount: bigint
  created_at: Date
  updated_at: Date
}

/** What a payout is held against. `position` is that of its wallet, from 1, in the lists that were given. */
export type LimitOf = Omit<LimitRow, 'currency' | 'cooling_off_ms' | 'created_at' | 'updated_at'> & { position: bigint }

const held = [
  'above_payout',
  'above_day',
  'approval_ms',
  'payouts_by_key',
  'day_starts_at',
  'day_ends_at',
  'day_amount',
]
const allowed = ['max_payout', 'max_day', 'max_day_starts_at', 'max_day_amount']
const read = [...held, ...allowed]

/** Nothing, in the columns of `limitsOf` but the first: for the other rows of its statement. */
export const noLimit =
  'null::bigint as above_payout, null::bigint as above_day, null::bigint as approval_ms, null::text as payouts_by_key, null::timestamptz as day_starts_at, null::timestamptz as day_ends_at, null::bigint as day_amount, null::bigint as max_payout, null::bigint as max_day, null::timestamptz as max_day_starts_at, null::bigint as max_day_amount'

/**
 * The limits of some wallets, for a statement that reads something else as well. A wallet without limits has no row.
 * @param first the number of its first parameter: businesses, modes and currencies
 */
export const limitsOf = (first: number): string =>
  `select key.position, ${read.map((name) => `l.${name}`).join(', ')}
     from unnest($${first}::text[], $${first + 1}::boolean[], $${first + 2}::text[])
          with ordinality as key (business_id, livemode, currency, position)
     join payout_limits l on l.business_id = key.business_id and l.livemode = key.livemode and l.currency = key.currency`

export const selectLimits = sql<LimitRow>(
  'limits.select',
  `select currency, ${read.join(', ')}, cooling_off_ms, created_at, updated_at from payout_limits where business_id = $1 and livemode = $2 order by currency`,
)

/** Also for a business that has none yet. */
export const upsertLimits = sql<LimitRow>(
  'limits.upsert',
  `insert into payout_limits (business_id, livemode, currency, ${held.join(', ')}, cooling_off_ms, created_at, updated_at)
   select $1, $2, currency, above_payout, above_day, $6, $11, starts_at, ends_at, amount, $12, $10, $10
     from unnest($3::text[], $4::bigint[], $5::bigint[], $7::timestamptz[], $8::timestamptz[], $9::bigint[])
          as new (currency, above_payout, above_day, starts_at, ends_at, amount)
   on conflict (business_id, livemode, currency) do update
      set above_payout = excluded.above_payout, above_day = excluded.above_day, approval_ms = excluded.approval_ms,
          payouts_by_key = excluded.payouts_by_key, cooling_off_ms = excluded.cooling_off_ms,
          day_starts_at = excluded.day_starts_at, day_ends_at = excluded.day_ends_at, day_amount = excluded.day_amount,
          updated_at = excluded.updated_at
   returning currency, ${read.join(', ')}, cooling_off_ms, created_at, updated_at`,
)

/** What was paid out since a moment without approval, by the id that parts payouts by it. */
export const sumSince = sql<{ amount: bigint }>(
  'limits.sum_since',
  `select coalesce(sum(amount), 0)::bigint as amount from payouts
    where business_id = $1 and livemode = $2 and currency = $3 and id >= $4
      and approval = 'none' and status not in ('failed', 'canceled')`,
)

/** The days of a wallet as they are counted: for its business, and for the operator. */
export type CountedDays = {
  business_id: Id
  livemode: boolean
  currency: WalletCurrency
  starts_at: Date | null
  ends_at: Date | null
  amount: bigint
  max_starts_at: Date | null
  max_amount: bigint
}
const days = batchOf<CountedDays>(
  'business_id text, livemode boolean, currency text, starts_at timestamptz, ends_at timestamptz, amount bigint, max_starts_at timestamptz, max_amount bigint',
)
export const arraysOfDays = days.arrays

export const countDays = sqlOfMany(
  'limits.count_days',
  `update payout_limits l set day_starts_at = day.starts_at, day_ends_at = day.ends_at, day_amount = day.amount,
          max_day_starts_at = day.max_starts_at, max_day_amount = day.max_amount
     from ${days.rows()} as day
    where l.business_id = day.business_id and l.livemode = day.livemode and l.currency = day.currency`,
)

const ofDay = '$5 >= day_starts_at and $5 < day_ends_at'
const ofMaxDay = `$5 >= max_day_starts_at and $5 < max_day_starts_at + interval '24 hours'`

/** A payout of `$4` made at `$5` does not count any more: for the operator, and where it had not waited (`$6`) for its business. */
export const uncount = sql(
  'limits.uncount',
  `update payout_limits
      set day_amount = case when $6 and above_day is not null and ${ofDay} then greatest(0, day_amount - $4) else day_amount end,
          max_day_amount = case when ${ofMaxDay} then greatest(0, max_day_amount - $4) else max_day_amount end
    where business_id = $1 and livemode = $2 and currency = $3
      and (($6 and above_day is not null and ${ofDay}) or (max_day is not null and ${ofMaxDay}))`,
)

/** What was paid out since a moment, by the id that parts payouts by it. */
export const sumAllSince = sql<{ amount: bigint }>(
  'limits.sum_all_since',
  `select coalesce(sum(amount), 0)::bigint as amount from payouts
    where business_id = $1 and livemode = $2 and currency = $3 and id >= $4 and status not in ('failed', 'canceled')`,
)

/** What the operator lets out of wallets at most, from now on. A day that is counted goes on; one that was not limited begins with its next payout. */
export const upsertCeilings = sql<LimitRow>(
  'limits.upsert_ceilings',
  `insert into payout_limits as l (business_id, livemode, currency, max_payout, max_day, approval_ms, created_at, updated_at)
   select $1, $2, currency, max_payout, max_day, $6, $7, $7
     from unnest($3::text[], $4::bigint[], $5::bigint[]) as new (currency, max_payout, max_day)
   on conflict (business_id, livemode, currency) do update
      set max_payout = excluded.max_payout, max_day = excluded.max_day,
          max_day_starts_at = case when l.max_day is null then null else l.max_day_starts_at end
   returning currency, ${read.join(', ')}, cooling_off_ms, created_at, updated_at`,
)
