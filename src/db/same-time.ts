/**
 * Whether this machine has the time: what is decided by it for good is not decided by a clock that
 * is wrong.
 */
import { type Clock, systemClock } from '../lib/clock.ts'
import { type Queryable, sqlOfAll } from './db.ts'

const mostMs = 5 * 60_000

const select = sqlOfAll<{ at: Date }>('same_time.select', 'select clock_timestamp() as at')

/**
 * @throws {Error} when the machine's clock and that of the database's server are further apart than
 * five minutes
 */
export async function assertSameTime(db: Queryable, clock: Clock): Promise<void> {
  if (clock !== systemClock) return
  const at = (await db.row(select))?.at ?? clock.now()
  const apartMs = Math.abs(clock.now().getTime() - at.getTime())
  if (apartMs > mostMs)
    throw new Error(
      `This machine's clock is ${Math.round(apartMs / 60_000)} minutes away from that of the database's server: set it right.`,
    )
}
