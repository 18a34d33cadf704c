/**
 * Reads lists, reports and exports from a replica. A read goes there once the replica has replayed
 * everything that the primary had committed when the read started, so clients always read their own
 * writes. If the replica is late or fails, the primary serves the read.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../lib/log.ts'
import { gatheredReads } from './batch.ts'
import { type Database, openDatabase, sqlOfAll } from './db.ts'

const selectFlushed = sqlOfAll<{ at: string }>(
  'replica.flushed',
  'select pg_current_wal_flush_lsn()::text as at',
)
/** Null if the server was promoted and is no longer a replica. */
const selectReplayed = sqlOfAll<{ at: string | null }>(
  'replica.replayed',
  'select case when pg_is_in_recovery() then pg_last_wal_replay_lsn()::text end as at',
)

/**
 * Parses a WAL position.
 * @param text as `16/B374D848`: the high and the low half in hexadecimal
 */
export function walPositionOf(text: string): bigint {
  const [high = '0', low = '0'] = text.split('/')
  return (BigInt(`0x${high}`) << 32n) + BigInt(`0x${low}`)
}

/** A committed write is flushed before it is answered. Concurrent reads share one query. */
const readFlushed = gatheredReads(async (db, asked: null[]) => {
  const row = await db.row(selectFlushed)
  const at = walPositionOf(row?.at ?? '0/0')
  return asked.map(() => at)
})
const readReplayed = gatheredReads(async (db, asked: null[]) => {
  const row = await db.row(selectReplayed)
  if (!row?.at) throw new Error('it is no replica')
  const at = walPositionOf(row.at)
  return asked.map(() => at)
})

/** How long a read waits for the replica before it uses the primary, and how often it polls. */
const waitMs = 100
const pollMs = 5
/**
 * The pause after a failure, and after a timeout: not every read should wait for a slow replica.
 */
const pauseAfterFailureMs = 5_000
const pauseAfterTimeoutMs = 1_000

export type Replica = {
  /**
   * Returns the replica once it has everything committed so far; null: use the primary. Never
   * throws.
   */
  current(): Promise<Database | null>
  /** Records that a read failed there. */
  failed(error: unknown): void
  close(): Promise<void>
}

/** @param url the replica, with the serving role */
export function openReplica(
  url: string,
  primary: Database,
  { max, log }: { max: number; log: Log },
): Replica {
  const onError = (error: Error): void =>
    log.warn({ err: error }, 'an idle connection to the replica failed')
  const db = openDatabase(url, { max, onError })
  let pausedUntil = 0
  /** The furthest replayed position seen; it never decreases. */
  let reached = 0n
  const reportFailure = (error: unknown): void => {
    if (performance.now() >= pausedUntil)
      log.warn({ err: error }, 'the replica of READ_URL cannot be read: the primary is')
    pausedUntil = performance.now() + pauseAfterFailureMs
    // Another server may answer next time.
    reached = 0n
  }
  return {
    failed: reportFailure,
    async current() {
      if (performance.now() < pausedUntil) return null
      try {
        const wanted = await readFlushed(primary, null)
        for (const deadline = performance.now() + waitMs; reached < wanted; ) {
          const found = await readReplayed(db, null)
          if (found > reached) reached = found
          if (reached >= wanted) break
          if (performance.now() > deadline) {
            pausedUntil = performance.now() + pauseAfterTimeoutMs
            return null
          }
          await sleep(pollMs)
        }
        return db
      } catch (error) {
        reportFailure(error)
        return null
      }
    },
    close: () => db.close(),
  }
}
