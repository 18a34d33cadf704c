/**
 * Keeps events, deliveries and attempts in partitions by the month of the event. A periodic task
 * creates partitions ahead, drops those older than `EVENTS_KEEP`, and corrects the counts of lists.
 */
import type { App } from '../../core/app.ts'
import type { Work } from '../../core/inside.ts'
import { isSqlError, type Queryable, sqlOfAll } from '../../db/db.ts'
import { foldCounts } from '../../db/lists/counts.ts'
import { assertClocksAgree } from '../../db/same-time.ts'
import { later } from '../../lib/clock.ts'
import { idBound } from '../../lib/ids.ts'
import type { PeriodicTask } from '../../lib/periodic.ts'

/** By day, so that the row is written at most once a day. */
const ask = sqlOfAll(
  'events.ask_retention',
  `update event_retention set attach_until = $1, keep_from = $2, monthly = $3
    where (attach_until, keep_from, monthly) is distinct from ($1::timestamptz, $2::timestamptz, $3::boolean)`,
)

/** `waits`: a delivery of the oldest events is still pending. */
type Step = { did: 'attached' | 'analyzed' | 'closed' | 'dropped' | 'waits'; before: string }

const keep = sqlOfAll<{ step: Step | null }>(
  'events.keep_partitions',
  'select keep_event_partitions() as step',
)

/** Deletes empty counts. A later record of that day gets a new count. */
const deleteEmptyCounts = sqlOfAll(
  'events.delete_empty_counts',
  `delete from list_counts where list in ('events', 'webhook_deliveries') and rows = 0 and day < $1`,
)

const selectDropped = sqlOfAll<{ dropped_before: string }>(
  'events.select_dropped',
  'select dropped_before from event_retention',
)

/** Conflicts with closing a partition: each waits for the other. */
const lockClosed = sqlOfAll<{ closed_before: string }>(
  'events.lock_closed',
  'select closed_before from event_retention for key share',
)

/** Partitions exist for a month ahead, so a server may be stopped for that long. */
const aheadMs = 35 * 86_400_000
const dayMs = 86_400_000
/** PostgreSQL's `lock_not_available`. */
const lockNotAvailable = '55P03'

/**
 * The periodic task that creates partitions ahead and drops those older than `EVENTS_KEEP`, one
 * step at a time. Any process may run it.
 */
export const partitionsTask = (app: App): PeriodicTask => ({
  name: 'keep partitions of events',
  everyMs: 60_000,
  async run() {
    const { db, clock, config, log } = app
    await assertClocksAgree(db, clock)
    const today = new Date(Math.floor(clock.now().getTime() / dayMs) * dayMs)
    const from = config.EVENTS_KEEP === 0 ? null : later(today, -config.EVENTS_KEEP)
    await db.rows(ask, [later(today, aheadMs), from, config.EVENTS_KEEP !== 0])
    try {
      for (;;) {
        const { step = null } = (await db.row(keep)) ?? {}
        if (step === null) return
        const before = partitionStart(step.before)
        if (step.did === 'waits')
          return log.warn(
            { before },
            'old events are not dropped: deliveries of them are still to be sent',
          )
        if (step.did === 'attached' || step.did === 'dropped')
          log.info({ before }, `a partition of events was ${step.did}`)
        if (step.did !== 'dropped') continue
        await foldCounts(db)
        await db.rows(deleteEmptyCounts, [before])
      }
    } catch (error) {
      if (!isSqlError(error, lockNotAvailable)) throw error
      // A long reader, such as a backup, holds a lock. The task retries in a minute.
      log.info({}, 'partitions of events are in use')
    }
  },
})

/** Returns the time before which everything was dropped; null: nothing was dropped. */
export async function droppedOf(reader: Queryable): Promise<{ before: Date | null }> {
  const before = (await reader.row(selectDropped))?.dropped_before ?? ''
  return { before: before === '' ? null : timeOf(before) }
}

/**
 * Returns the bound below which events can no longer be sent, because they are about to be dropped.
 * Blocks the drop until the transaction ends.
 */
export async function closedBefore({ tx }: Work): Promise<string> {
  return (await tx.row(lockClosed))?.closed_before ?? ''
}

/** The time of an id bound. @param bound from `idBound`, of a whole second */
export const timeOf = (bound: string): Date =>
  new Date(Number.parseInt(bound.slice(0, 8), 16) * 1000)

/** The day at which a partition starts. @param bound from `idBound` */
export const partitionStart = (bound: string): string => timeOf(bound).toISOString().slice(0, 10)

/** The refusal for a record that was dropped. */
export const keptNoLonger = (what: string, id: string, before: Date): string =>
  `The ${what} '${id}' is kept no longer: those of before ${partitionStart(idBound(before))} were dropped.`
