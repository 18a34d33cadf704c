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

/** Nothing, in the columns of `limitsOf` but the first: for the other rows of its statement. */
export const noLimit =
  'null::bigint as above_payout, null::bigint as above_day, null::bigint as approval_ms, null::text as payouts_by_key, null::timestamptz as day_starts_at, null::timestamptz as day_ends_at, null::bigint as day_amount'

/**
 * The limits of some wallets, for a statement that reads something else as well. A wallet without limits has no row.
 * @param first the number of its first parameter: businesses, modes and currencies
 */
export const limitsOf = (first: number): string =>
  `select key.position, ${held.map((name) => `l.${name}`).join(', ')}
     from unnest($${first}::text[], $${first + 1}::boolean[], $${first + 2}::text[])
          with ordinality as key (business_id, livemode, currency, position)
     join payout_limits l on l.business_id = key.business_id and l.livemode = key.livemode and l.currency = key.currency`

export const selectLimits = sql<LimitRow>(
  'limits.select',
  `select currency, ${held.join(', ')}, cooling_off_ms, created_at, updated_at from payout_limits where business_id = $1 and livemode = $2 order by currency`,
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
   returning currency, ${held.join(', ')}, cooling_off_ms, created_at, updated_at`,
)

/** What was paid out since a moment without approval, by the id that parts payouts by it. */
export const sumSince = sql<{ amount: bigint }>(
  'limits.sum_since',
  `select coalesce(sum(amount), 0)::bigint as amount from payouts
    where business_id = $1 and livemode = $2 and currency = $3 and id >= $4
      and approval = 'none' and status not in ('failed', 'canceled')`,
)

/** A day of a wallet as it is counted. */
export type CountedDay = {
  business_id: Id
  livemode: boolean
  currency: WalletCurrency
  starts_at: Date
  ends_at: Date
  amount: bigint
}
const days = batchOf<CountedDay>(
  'business_id text, livemode boolean, currency text, starts_at timestamptz, ends_at timestamptz, amount bigint',
)
export const arraysOfDays = days.arrays

export const countDays = sqlOfMany(
  'limits.count_days',
  `update payout_limits l set day_starts_at = day.starts_at, day_ends_at = day.ends_at, day_amount = day.amount
     from ${days.rows()} as day
    where l.business_id = day.business_id and l.livemode = day.livemode and l.currency = day.currency`,
)

/** A payout of the day that is counted does not count any more. */
export const uncount = sql(
  'limits.uncount',
  `update payout_limits set day_amount = greatest(0, day_amount - $4)
    where business_id = $1 and livemode = $2 and currency = $3 and above_day is not null
      and day_starts_at <= $5 and $5 < day_ends_at`,
)
