/** Shows operators the events of providers, applies them again, and deletes old ones. */
import type { App } from '../../core/app.ts'
import { type Database, transaction } from '../../db/db.ts'
import { later } from '../../lib/clock.ts'
import { unseal } from '../../lib/secrets.ts'
import { unschedule } from '../jobs/timers.ts'
import { applySoon, applyTask, noBusiness } from './applying.ts'
import * as statements from './sql.ts'

/** Returns the latest events of an account, of both modes, newest first. */
export function latestEvents(
  db: Database,
  rail: string,
  limit: number,
): Promise<statements.ProviderEvent[]> {
  return db.rows(statements.selectEvents, [rail, limit])
}

/**
 * Returns an event of an account with its original body, which is null once the event is applied.
 * @throws {Error} when the server lacks the encryption key of the body
 */
export async function readEvent(
  { db, secrets }: Pick<App, 'db' | 'secrets'>,
  rail: string,
  id: string,
) {
  const row = await db.row(statements.selectBody, [id, rail])
  if (row === null) return null
  const { body, ...event } = row
  const opened =
    body && unseal(secrets, statements.sealedBodies.purpose, body, statements.bodyOwner(event))
  return { event, body: opened && Buffer.from(opened, 'latin1') }
}

const replayedPerCall = 1_000

/**
 * Schedules events of an account to be applied again.
 * @param id one event, whatever its outcome; null: all events without effect
 * @returns the number of events
 */
export async function replayEvents(
  { db, clock }: Pick<App, 'db' | 'clock'>,
  rail: string,
  id: string | null,
): Promise<number> {
  const now = clock.now()
  return transaction(db, async (tx) => {
    const events = await tx.rows(statements.reopenEvents, [rail, id, replayedPerCall])
    await unschedule(
      tx,
      noBusiness,
      applyTask,
      events.map((event) => event.id),
    )
    for (const event of events) await applySoon(tx, event, now)
    return events.length
  })
}

/** Returns when each account last notified us, each in its mode. */
export function lastNotified(db: Database, accounts: { livemode: boolean; rail: string }[]) {
  return db.rows(statements.selectLastNotified, [
    accounts.map((one) => one.livemode),
    accounts.map((one) => one.rail),
  ])
}

/** Counts the events that are not applied yet, by mode and account, with the time of the oldest. */
export function countUnapplied(db: Database) {
  return db.rows(statements.countUnapplied)
}

const deletedPerBatch = 1_000

/** Deletes events that ended longer than PROVIDER_EVENTS_KEEP ago and have no open incident. */
export async function deleteOldEvents({
  db,
  clock,
  config,
}: Pick<App, 'db' | 'clock' | 'config'>): Promise<void> {
  const before = later(clock.now(), -config.PROVIDER_EVENTS_KEEP)
  let deleted: bigint
  do deleted = (await db.row(statements.deleteOld, [before, deletedPerBatch]))?.deleted ?? 0n
  while (deleted >= deletedPerBatch)
}
