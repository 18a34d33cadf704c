/**
 * Sweeps providers for events that no webhook delivered. Each is stored under the webhook's key, so
 * an event that arrives both ways is one.
 */
import type { App } from '../../core/app.ts'
import { later } from '../../lib/clock.ts'
import type { PeriodicTask } from '../../lib/periodic.ts'
import type { Inbound } from '../../rails/ports/inbound.ts'
import { storeEvent } from './receiving.ts'
import * as statements from './sql.ts'

const minuteMs = 60_000
const everyMs = 15 * minuteMs
/** Overlap with the sweep before, because a provider may list an event late. */
const overlapMs = 120 * minuteMs
/** Longest time that a sweep covers: after a long downtime, several catch up. */
const spanMs = 6 * 60 * minuteMs

type Missed = NonNullable<Inbound['missed']>

/**
 * Sweeps an account. @returns the number of events that no webhook delivered; null when another
 * sweep was within `everyMs`
 */
export async function sweep(
  app: App,
  livemode: boolean,
  rail: string,
  missed: Missed,
): Promise<number | null> {
  const now = app.clock.now()
  const before = (await app.db.row(statements.selectSweep, [livemode, rail]))?.until ?? null
  if (before !== null && now.getTime() - before.getTime() < everyMs) return null
  const from = later(before ?? now, -overlapMs)
  const until = new Date(Math.min(now.getTime(), later(before ?? now, spanMs).getTime()))
  const found = await missed(from, until)
  if (found === null) return 0
  const keys = found.map(({ key }) => key)
  const known = new Set(
    (await app.db.rows(statements.selectKeys, [livemode, rail, keys])).map(({ key }) => key),
  )
  const fresh = found.filter(({ key }) => !known.has(key))
  for (const notification of fresh)
    await storeEvent(app, { name: rail, livemode, raw: null, notification })
  await app.db.rows(statements.recordSweep, [livemode, rail, until])
  if (fresh.length > 0)
    app.log.warn(
      { rail, livemode, events: fresh.length },
      'a sweep found events that no webhook delivered',
    )
  return fresh.length
}

/** Returns a periodic task for each account whose provider lists events. */
export function sweepTasks(app: App): PeriodicTask[] {
  return (['live', 'test'] as const).flatMap((mode) =>
    Object.values(app.rails[mode].accounts).flatMap(({ name, inbound }) => {
      const missed = inbound?.missed
      if (!missed) return []
      const run = async () => void (await sweep(app, mode === 'live', name, missed))
      return [{ name: `sweep ${mode} ${name}`, everyMs: minuteMs, run }]
    }),
  )
}
