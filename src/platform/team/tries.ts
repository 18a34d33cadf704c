/**
 * Limits sign-in attempts: ten per quarter of an hour. The database counts them, for all processes,
 * before each attempt.
 */
import type { App } from '../../core/app.ts'
import { sqlOfAll, type Tx } from '../../db/db.ts'
import { later } from '../../lib/clock.ts'

const most = 10
const windowMs = 15 * 60_000

// Stored beside the API's rate-limit counts, which the same job deletes. They belong to no
// business.
const countTry = sqlOfAll<{ used: bigint; resets_at: Date }>(
  'team.count_try',
  `insert into rate_limits as known (key, used, granted, resets_at) values ($1, 1, 1, $3)
   on conflict (key) do update set
     used = case when known.resets_at <= $2 then 1 else least(known.used, 1000000) + 1 end,
     granted = 1,
     resets_at = case when known.resets_at <= $2 then excluded.resets_at else known.resets_at end
   returning used, resets_at`,
)
const uncountTry = sqlOfAll(
  'team.uncount_try',
  'update rate_limits set used = greatest(used - 1, 0) where key = any ($1::text[])',
)

type Counting = Pick<App, 'clock' | 'db'>

/**
 * Counts an attempt under each key in turn, and stops at the first that is over the limit.
 * @returns the seconds to wait; 0: continue
 */
export async function countTries(
  app: Counting,
  keys: readonly string[],
  allowed: number = most,
): Promise<number> {
  const now = app.clock.now()
  for (const key of keys) {
    const { used, resets_at } = (await app.db.row(countTry, [key, now, later(now, windowMs)])) as {
      used: bigint
      resets_at: Date
    }
    if (used > BigInt(allowed))
      return Math.max(1, Math.ceil((resets_at.getTime() - now.getTime()) / 1_000))
  }
  return 0
}

const dayMs = 24 * 3_600_000

/**
 * Counts a failure, by the day that starts with the first. @returns the count, this one included
 */
export async function countWrong(
  app: Pick<App, 'clock'>,
  tx: Pick<Tx, 'row'>,
  key: string,
): Promise<bigint> {
  const now = app.clock.now()
  return (await tx.row(countTry, [key, now, later(now, dayMs)]))?.used ?? 0n
}

/**
 * Uncounts a successful attempt, so that neither frequent sign-ins nor a shared address reach the
 * limit.
 */
export async function forgiveTry(app: Counting, keys: readonly string[]): Promise<void> {
  await app.db.rows(uncountTry, [keys])
}

/** Formats a duration for people. */
export const minutesOf = (seconds: number): string => {
  const minutes = Math.ceil(seconds / 60)
  return minutes === 1 ? 'a minute' : `${minutes} minutes`
}
