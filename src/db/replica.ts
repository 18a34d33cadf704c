/**
 * A replica of the database, for reads that ask for what was committed when they began and need not
 * know what is true a moment later: lists, reports, exports. Such a read goes there once the
 * replica has all that was committed at the primary when it was asked for, so who has written finds
 * what he wrote, whichever process he wrote by. Where the replica is late, gone, or no replica, the
 * primary is read.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../lib/log.ts'
import { gatheredReads } from './batch.ts'
import { type Database, openDatabase, sqlOfAll } from './db.ts'

const selectFlushed = sqlOfAll<{ at: string }>(
  'replica.flushed',
  'select pg_current_wal_flush_lsn()::text as at',
)
/** Null where it is no replica any more: it was promoted. */
const selectReplayed = sqlOfAll<{ at: string | null }>(
  'replica.replayed',
  'select case when pg_is_in_recovery() then pg_last_wal_replay_lsn()::text end as at',
)

/**
 * A position in the WAL as a number. @param text as `16/B374D848`: the high and the low half, each
 * in hexadecimal
 */
export function positionOf(text: string): bigint {
  const [high = '0', low = '0'] = text.split('/')
  return (BigInt(`0x${high}`) << 32n) + BigInt(`0x${low}`)
}

/** What is answered is flushed: one question for all who ask at the time. */
const flushed = gatheredReads(async (db, asked: null[]) => {
  const row = await db.row(selectFlushed)
  const at = positionOf(row?.at ?? '0/0')
  return asked.map(() => at)
})
const replayed = gatheredReads(async (db, asked: null[]) => {
  const row = await db.row(selectReplayed)
  if (!row?.at) throw new Error('it is no replica')
  const at = positionOf(row.at)
  return asked.map(() => at)
})

/** How long a read waits for the replica before it goes to the primary, and how often it looks. */
const waitMs = 100
const lookMs = 5
/**
 * How long the replica is left alone once something was wrong with it, and once it was late: not
 * every read is to wait for one that stays so.
 */
const restMs = 5_000
const lateRestMs = 1_000

export type Replica = {
  /**
   * The replica, with all that was committed until now; null: read at the primary. Throws nothing.
   */
  current(): Promise<Database | null>
  /** Says that a read failed there. */
  failed(error: unknown): void
  close(): Promise<void>
}

/** @param url of the role that serves, at the replica */
export function openReplica(
  url: string,
  primary: Database,
  { max, log }: { max: number; log: Log },
): Replica {
  const onError = (error: Error): void =>
    log.warn({ err: error }, 'an idle connection to the replica failed')
  const db = openDatabase(url, { max, onError })
  let restsUntil = 0
  /** The furthest that it was seen: it never goes back. */
  let reached = 0n
  const failed = (error: unknown): void => {
    if (performance.now() >= restsUntil)
      log.warn({ err: error }, 'the replica of READ_URL cannot be read: the primary is')
    restsUntil = performance.now() + restMs
    // Another server may answer there next.
    reached = 0n
  }
  return {
    failed,
    async current() {
      if (performance.now() < restsUntil) return null
      try {
        const wanted = await flushed(primary, null)
        for (const deadline = performance.now() + waitMs; reached < wanted; ) {
          const found = await replayed(db, null)
          if (found > reached) reached = found
          if (reached >= wanted) break
          if (performance.now() > deadline) {
            restsUntil = performance.now() + lateRestMs
            return null
          }
          await sleep(lookMs)
        }
        return db
      } catch (error) {
        failed(error)
        return null
      }
    },
    close: () => db.close(),
  }
}
