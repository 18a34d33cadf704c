/** Measures of the installation for the person on call. They read only queues and today's data. */
import { statfs } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { App } from '../../core/app.ts'
import { latestBackups } from '../../db/cluster/backup-log.ts'
import { sqlOfAll } from '../../db/db.ts'
import { later } from '../../lib/clock.ts'
import { idBound } from '../../lib/ids.ts'
import { modeOf } from '../../lib/mode.ts'
import { firedOn } from '../../paying-out/limits/limits.ts'
import { behind } from '../../platform/jobs/timers.ts'
import type { Measure } from './metrics.ts'

/** Work that is due for longer than this was not just queued. */
const lateMs = 5 * 60_000
/** Rails answer within minutes; a bank may take longer. */
const doubtMs = 60 * 60_000
/** Waiting deliveries are counted up to this number. */
const countedDeliveries = 100_000

type VerifiedRow = { differences: bigint; ended_at: Date }

const selectVerified = sqlOfAll<VerifiedRow>(
  'meta.last_verification',
  `select differences_count as differences, ended_at from ledger_verifications
    where status in ('clean', 'differs') order by id desc limit 1`,
)

/** The tasks that query how an order ended. An order has a timer until its end is known. */
const asking = { 'payouts.ask': 'payout', 'refunds.settle': 'refund' } as const

type DoubtRow = { task: keyof typeof asking; livemode: boolean; count: bigint }

const selectInDoubt = sqlOfAll<DoubtRow>(
  'meta.orders_in_doubt',
  'select task, livemode, count(*) as count from timers where task = any($1) and subject < $2 group by 1, 2',
)

type DeliveriesRow = { state: string; count: bigint }

const selectDeliveries = sqlOfAll<DeliveriesRow>(
  'meta.deliveries_waiting',
  `select case when claimed_by is not null then 'claimed' when due_at is null then 'ready' else 'waiting' end as state, count(*) as count
     from (select claimed_by, due_at from webhook_queue limit ${countedDeliveries}) queue group by 1`,
)

/** Returns the measures of the installation. @param warnings the warnings of `/health` */
export async function installationMeasures(
  app: App,
  warnings: () => Promise<string[]>,
): Promise<Measure[]> {
  const parts = [ofDatabase(app, warnings), ofBackups(app), ofDisk(app)]
  // A database that is down leaves out its own measures only.
  return (await Promise.all(parts.map((part) => part.catch(() => [])))).flat()
}

const measure = (
  name: string,
  help: string,
  value: number,
  labels: Record<string, string> = {},
): Measure => ({
  name,
  help,
  labels,
  value,
})

async function ofDatabase(app: App, warnings: () => Promise<string[]>): Promise<Measure[]> {
  const { db, clock, strategies } = app
  const now = clock.now()
  const [late, verified, inDoubt, deliveries, held, fired, warned] = await Promise.all([
    behind(db, later(now, -lateMs)),
    db.row(selectVerified),
    db.rows(selectInDoubt, [Object.keys(asking), idBound(later(now, -doubtMs))]),
    db.rows(selectDeliveries),
    strategies.installation.held(),
    firedOn(db, now),
    warnings(),
  ])
  return [
    measure('warnings', 'How much /health warns of', warned.length),
    ...fired.map(({ rule, livemode, fired }) =>
      measure(
        'limits_fired_today',
        'How often rules of limits fired in this day of UTC, in all businesses',
        Number(fired),
        { rule, mode: modeOf(livemode) },
      ),
    ),
    measure('outgoing_held', '1 while outgoing money is held, as after a restore', held.length),
    ...late.map(({ queue, task, count }) =>
      measure(
        'late',
        'What is due for more than five minutes and was not taken; given_up: no try is left',
        Number(count),
        { queue: queue.replace(' ', '_'), task },
      ),
    ),
    ...ofDoubt(inDoubt),
    ...ofDeliveries(deliveries),
    ...(verified ? ofVerification(verified) : []),
  ]
}

/** Counts each kind and mode of order, also without orders in doubt. */
const ofDoubt = (rows: readonly DoubtRow[]): Measure[] =>
  Object.entries(asking).flatMap(([task, kind]) =>
    [true, false].map((livemode) => {
      const row = rows.find((one) => one.task === task && one.livemode === livemode)
      return measure(
        'orders_in_doubt',
        'Orders that were sent over an hour ago and whose end is not known',
        Number(row?.count ?? 0n),
        { kind, mode: modeOf(livemode) },
      )
    }),
  )

const ofDeliveries = (rows: readonly DeliveriesRow[]): Measure[] =>
  ['ready', 'waiting', 'claimed'].map((state) =>
    measure(
      'webhook_queue',
      'Deliveries to webhooks that have not ended, counted to 100,000',
      Number(rows.find((one) => one.state === state)?.count ?? 0n),
      { state },
    ),
  )

const ofVerification = ({ differences, ended_at }: VerifiedRow): Measure[] => [
  measure(
    'ledger_differences',
    'What the last verification of the ledger found to differ',
    Number(differences),
  ),
  measure(
    'ledger_verified_timestamp_seconds',
    'When the ledger was last verified',
    seconds(ended_at),
  ),
]

/** Measures backups of the embedded database. Backups of another are not known here. */
async function ofBackups({ db, config }: App): Promise<Measure[]> {
  if (config.DATABASE_URL !== null) return []
  const { made_of: made, tried_at: tried } = await latestBackups(db)
  return [
    measure(
      'backup_timestamp_seconds',
      'Until when the data of the last backup reach; 0: there is none',
      seconds(made),
    ),
    measure(
      'backup_drill_timestamp_seconds',
      'When a backup was last restored with clean books; 0: never',
      seconds(tried),
    ),
  ]
}

async function ofDisk({ config }: App): Promise<Measure[]> {
  if (config.DATABASE_URL !== null) return []
  const { bavail, blocks, bsize } = await statfs(resolve(config.DATA_DIR))
  return [
    measure('disk_free_bytes', 'What is left where DATA_DIR is', bavail * bsize),
    measure('disk_size_bytes', 'How large the disk of DATA_DIR is', blocks * bsize),
  ]
}

const seconds = (at: Date | null): number => (at === null ? 0 : Math.floor(at.getTime() / 1_000))
