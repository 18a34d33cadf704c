import type { App } from '../../core/app.ts'
import { later } from '../../lib/clock.ts'
import { modeOf } from '../../lib/mode.ts'
import { countUnapplied } from '../../platform/inbound/inbound.ts'
import { behind } from '../../platform/jobs/timers.ts'
import { failingEndpoints } from '../../platform/webhooks/webhooks.ts'

/** Work that is later than this is not just queued. */
const lateMs = 5 * 60_000

/** Counts queued work of all businesses. Reads only the queues, never completed work. */
export async function queuesOf({ db, clock, strategies }: App) {
  const now = clock.now()
  const [due, late, unapplied, failing, { watchers, warnings }] = await Promise.all([
    behind(db, now),
    behind(db, later(now, -lateMs)),
    countUnapplied(db),
    failingEndpoints(db, now),
    strategies.installation.chains(),
  ])
  const lateOf = (queue: string, task: string): bigint =>
    late.find((one) => one.queue === queue && one.task === task)?.count ?? 0n
  return {
    queues: due.map(({ queue, task, count }) => ({
      queue: queue.replace(' ', '_'),
      task: task === '' ? null : task,
      due: count,
      late: lateOf(queue, task),
    })),
    provider_webhooks: unapplied.map(
      ({ livemode, rail, unapplied: waiting, oldest: oldest_at }) => ({
        mode: modeOf(livemode),
        rail,
        waiting,
        oldest_at,
      }),
    ),
    failing_endpoints: failing.map(
      ({ id, business_id: business, livemode, url, failed, waiting, since }) => ({
        id,
        business,
        mode: modeOf(livemode),
        host: new URL(url).host,
        failed,
        waiting,
        since,
      }),
    ),
    networks: watchers.map(({ network, tip, tip_at, behind, updated_at: read_at, ...of }) => ({
      network,
      tip,
      tip_at,
      behind,
      read_at,
      troubles: [of.halted, of.trouble, of.obstacle, of.sweepTrouble].filter((one) => one !== null),
    })),
    network_warnings: warnings.map(({ detail }) => detail),
  }
}
