/**
 * Partitions of events as they are after a year, and what it costs to drop one of them.
 */

import type { Opened } from '../src/app/main.ts'
import type { newClient } from '../src/db/db.ts'
import { idBound } from '../src/lib/ids.ts'
import { partitionsTask } from '../src/platform/webhooks/webhooks.ts'

/** The tables, and the column that each is parted by. */
const bases = {
  events: 'id',
  event_resends: 'id',
  webhook_deliveries: 'event_id',
  webhook_attempts: 'delivery_id',
}

/**
 * Gives tables that are empty a partition for each month from `from` on, before which the first
 * ends.
 */
export async function partByMonth(
  client: ReturnType<typeof newClient>,
  from: Date,
  months: number,
): Promise<void> {
  const boundOf = (n: number): string =>
    idBound(new Date(Date.UTC(from.getUTCFullYear(), from.getUTCMonth() + n)))
  await client.query('set role bursar')
  for (const base of Object.keys(bases)) {
    await client.query(`drop table ${base}_first`)
    for (let n = 0; n <= months; n++) {
      const part = n === 0 ? `${base}_first` : `${base}_month_${n}`
      const start = n === 0 ? 'minvalue' : `'${boundOf(n - 1).padEnd(24, '0')}'`
      await client.query('select make_event_partition($1, $2)', [base, part])
      await client.query(
        `alter table ${base} attach partition ${part} for values from (${start}) to ('${boundOf(n).padEnd(24, '0')}')`,
      )
    }
  }
  await client.query('reset role')
}

/**
 * Drops the oldest month by the server's own task, while somebody works.
 * @param work one operation of who works meanwhile
 * @returns how many events there were in it, how long it took, and the longest that an operation
 * took, in milliseconds, beside the longest in as much time before
 */
export async function dropOldest({ app }: Opened, work: () => Promise<void>) {
  const { db, clock, config } = app
  const [oldest] = await db.query<{ suffix: string; at: Date }>(
    'select suffix, ids_begin(ends) as at from event_partitions() where ends is not null order by ends limit 1',
  )
  if (!oldest) throw new Error('there are no partitions')
  const [had] = await db.query<{ rows: bigint }>(
    `select count(*) as rows from events${oldest.suffix}`,
  )
  let longest = 0
  let stop = false
  const working = (async () => {
    while (!stop) {
      const began = performance.now()
      await work()
      longest = Math.max(longest, performance.now() - began)
    }
  })()
  const keep = clock.now().getTime() - oldest.at.getTime() - 86_400_000
  const task = partitionsTask({ ...app, config: { ...config, EVENTS_KEEP: keep } })
  const began = performance.now()
  const of = 'select from event_partitions() where suffix = $1'
  const partitions = (await db.query('select from event_partitions()')).length
  while ((await db.query(of, [oldest.suffix])).length > 0) await task.run('bench')
  const took = performance.now() - began
  const during = longest
  longest = 0
  await new Promise((resolve) => setTimeout(resolve, took))
  stop = true
  await working
  return { rows: Number(had?.rows), partitions, took, during, otherwise: longest }
}
