/**
 * Sweeps: providers are asked again and again for what they may not have notified of, and each such
 * thing is handled as if a webhook had told of it: under the webhook's key, so that what comes both
 * ways is one event.
 */
import type { App } from '../../core/app.ts'
import { later } from '../../lib/clock.ts'
import type { PeriodicTask } from '../../lib/periodic.ts'
import type { Inbound } from '../../rails/ports/inbound.ts'
import { keepEvent } from './inbound.ts'
import * as statements from './sql.ts'

const minuteMs = 60_000
const everyMs = 15 * minuteMs
/**
 * How far a sweep looks back behind the one before: what happened then may have been listed late.
 */
const overlapMs = 120 * minuteMs
/** How much time a sweep covers at most: after a long stand-still, several catch up. */
const spanMs = 6 * 60 * minuteMs

type Missed = NonNullable<Inbound['missed']>

/**
 * Sweeps an account, unless somebody has of late. @returns how many events were found that nobody
 * had told of; null when it was not its time
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
    await keepEvent(app, { name: rail, livemode, raw: null, notification })
  await app.db.rows(statements.recordSweep, [livemode, rail, until])
  if (fresh.length > 0)
    app.log.warn({ rail, livemode, events: fresh.length }, 'a sweep found what no webhook told of')
  return fresh.length
}

/** The periodic tasks that sweep every account whose provider can be asked. */
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
