/** Checks the machine's clock at the start, because irreversible decisions depend on it. */
import { type Clock, systemClock } from '../lib/clock.ts'
import { type Queryable, sqlOfAll } from './db.ts'

const maxDifferenceMs = 5 * 60_000

const select = sqlOfAll<{ at: Date }>('same_time.select', 'select clock_timestamp() as at')

/**
 * Compares the clocks of this machine and the database server.
 * @throws {Error} if they differ by more than five minutes
 */
export async function assertClocksAgree(db: Queryable, clock: Clock): Promise<void> {
  if (clock !== systemClock) return
  const at = (await db.row(select))?.at ?? clock.now()
  const apartMs = Math.abs(clock.now().getTime() - at.getTime())
  if (apartMs > maxDifferenceMs)
    throw new Error(
      `This machine's clock is ${Math.round(apartMs / 60_000)} minutes away from that of the database's server: set it right.`,
    )
}
