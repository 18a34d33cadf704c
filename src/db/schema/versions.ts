/**
 * Servers of two versions on one database. Each says by an advisory lock, as long as it lives,
 * which migration is the newest that it knows; second halves of migrations wait until nobody is
 * alive who would not understand them.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../../lib/log.ts'
import { newClient } from '../db.ts'
import { type Access, assertFits, MigrationError, upgrade } from './migrate.ts'
import { numberOf, ownNumber } from './migrations.ts'
import { standingOf } from './roles.ts'

/** The class of these advisory locks; the newest migration is the second part of each. */
export const versionLockClass = 0x62757276
const reconnectMs = 500

type Client = Pick<ReturnType<typeof newClient>, 'query'>

/** The newest migrations that servers know which are alive now, the oldest first. */
export async function aliveVersions(client: Client): Promise<number[]> {
  const { rows } = await client.query<{ number: number }>(
    `select distinct objid::int as number from pg_locks
      where locktype = 'advisory' and classid = $1 and objsubid = 2 and granted
        and database = (select oid from pg_database where datname = current_database())
      order by 1`,
    [versionLockClass],
  )
  return rows.map(({ number }) => number)
}

export type HeldVersion = { end(): Promise<void> }

/**
 * Says that a server of this version is alive until `end`, on a session of its own; where that is
 * lost it is opened again.
 * @param onMisfit called when the schema was finished meanwhile by a version that this one does not
 * understand
 * @throws {MigrationError} when it is so from the start
 */
export async function holdVersion(
  url: string,
  { log, onMisfit }: { log: Log; onMisfit(error: MigrationError): void },
): Promise<HeldVersion> {
  let ended = false
  let client: ReturnType<typeof newClient>
  const open = async (): Promise<void> => {
    const opening = newClient(url)
    client = opening
    let stands = false
    opening.on('error', (error) =>
      log.error({ err: error }, 'the session that says which version runs was lost'),
    )
    opening.on('end', () => stands && !ended && void reopen())
    try {
      await opening.connect()
      await opening.query('select pg_advisory_lock_shared($1, $2)', [versionLockClass, ownNumber()])
      // Whoever finishes looks for us with this lock held: either it sees us, or we see what it has
      // done.
      await opening.query(`select pg_advisory_lock_shared(hashtext('bursar.migrate'))`)
      await assertFits(opening, await standingOf(opening))
      await opening.query(`select pg_advisory_unlock_shared(hashtext('bursar.migrate'))`)
      stands = true
    } catch (error) {
      await opening.end().catch(() => {})
      throw error
    }
  }
  const reopen = async (): Promise<void> => {
    while (!ended) {
      await sleep(reconnectMs, undefined, { ref: false })
      if (ended) return
      try {
        return await open()
      } catch (error) {
        if (error instanceof MigrationError) return onMisfit(error)
      }
    }
  }
  await open()
  return {
    async end() {
      ended = true
      await client.end().catch(() => {})
    },
  }
}

/**
 * Brings the schema up to date, second halves of migrations included: servers of before cannot
 * serve it any more.
 * @param report is told how many of the missing migrations are applied
 * @throws {MigrationError} while a server is alive that would not understand it; those of `upgrade`
 */
export function finish(
  access: Access,
  report?: (done: number, total: number) => void,
): Promise<void> {
  return upgrade(access, report, {
    async mayFinish(client, missing) {
      const newest = Math.max(
        0,
        ...missing.flatMap(({ name, finishes }) => (finishes ? [numberOf(name)] : [])),
      )
      const [oldest] = await aliveVersions(client)
      if (oldest !== undefined && oldest < newest)
        throw new MigrationError(
          `A server of an earlier version is alive (the newest migration that it knows is ${String(oldest).padStart(4, '0')}): stop it, then finish.`,
        )
    },
  })
}
