/**
 * Events, their deliveries and the attempts of these stand in partitions by the month in which the
 * events were made. A periodic task has the owner's function (`0009-events.sql`) make them ahead of
 * time and drop those of before `EVENTS_KEEP`, and subtracts them from what lists count.
 */
import type { App } from '../../core/app.ts'
import type { Work } from '../../core/inside.ts'
import { isSqlError, type Queryable, sqlOfAll } from '../../db/db.ts'
import { foldCounts } from '../../db/lists/counts.ts'
import { assertClocksAgree } from '../../db/same-time.ts'
import { later } from '../../lib/clock.ts'
import { idBound } from '../../lib/ids.ts'
import type { PeriodicTask } from '../../lib/periodic.ts'

/** By day, so that the row is written once in one. */
const ask = sqlOfAll(
  'events.ask_retention',
  `update event_retention set attach_until = $1, keep_from = $2, monthly = $3
    where (attach_until, keep_from, monthly) is distinct from ($1::timestamptz, $2::timestamptz, $3::boolean)`,
)

/** `waits`: a delivery of the oldest events is still to be sent. */
type Step = { did: 'attached' | 'analyzed' | 'closed' | 'dropped' | 'waits'; before: string }

const keep = sqlOfAll<{ step: Step | null }>(
  'events.keep_partitions',
  'select keep_event_partitions() as step',
)

/** A count of nothing: what is new of such a day is counted anew. */
const deleteEmptyCounts = sqlOfAll(
  'events.delete_empty_counts',
  `delete from list_counts where list in ('events', 'webhook_deliveries') and rows = 0 and day < $1`,
)

const selectDropped = sqlOfAll<{ dropped_before: string }>(
  'events.select_dropped',
  'select dropped_before from event_retention',
)

/** Whoever closes a partition waits for who has read this, and the other way round. */
const lockClosed = sqlOfAll<{ closed_before: string }>(
  'events.lock_closed',
  'select closed_before from event_retention for key share',
)

/** There is always a partition for a month from now: a server may stand still for that long. */
const aheadMs = 35 * 86_400_000
const dayMs = 86_400_000
/** PostgreSQL's `lock_not_available`. */
const lockNotAvailable = '55P03'

/**
 * The periodic task that makes partitions ahead of time and drops what is older than `EVENTS_KEEP`:
 * whoever comes to it first, a step at a time.
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
      // Somebody reads for long, as a backup does. In a minute it is tried again.
      log.info({}, 'partitions of events are in use')
    }
  },
})

/** What was dropped: all with ids from before that time; null: nothing was. */
export async function droppedOf(reader: Queryable): Promise<{ before: Date | null }> {
  const before = (await reader.row(selectDropped))?.dropped_before ?? ''
  return { before: before === '' ? null : timeOf(before) }
}

/**
 * Events with lower ids are sent no more: what is older than they are kept is about to be dropped.
 * Holds that up until the transaction ends.
 */
export async function closedBefore({ tx }: Work): Promise<string> {
  return (await tx.row(lockClosed))?.closed_before ?? ''
}

/** The time that a bound of ids parts. @param bound as `idBound` makes it of a whole second */
export const timeOf = (bound: string): Date =>
  new Date(Number.parseInt(bound.slice(0, 8), 16) * 1000)

/** The day at which a partition begins. @param bound as `idBound` makes it */
export const partitionStart = (bound: string): string => timeOf(bound).toISOString().slice(0, 10)

/** What is said of a record that was there once. */
export const keptNoLonger = (what: string, id: string, before: Date): string =>
  `The ${what} '${id}' is kept no longer: those of before ${partitionStart(idBound(before))} were dropped.`
