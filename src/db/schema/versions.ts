/**
 * Servers of two versions on one database. Each holds an advisory lock with the newest migration
 * that it knows; second halves of migrations wait until all live servers understand them.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../../lib/log.ts'
import { newClient } from '../db.ts'
import {
  type Access,
  assertFits,
  assertUnderstood,
  lockMigrations,
  MigrationError,
  migrateAsOwner,
} from './migrate.ts'
import { numberOf, ownNumber } from './migrations.ts'
import { standingOf } from './roles.ts'

/** The class of these advisory locks; the second part is the number of the newest migration. */
export const versionLockClass = 0x62757276
const reconnectMs = 500

type Client = Pick<ReturnType<typeof newClient>, 'query'>

/** Returns the newest migrations that live servers know, oldest first. */
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
 * Announces a live server of this version until `end`, on a session of its own, which is reopened
 * if it is lost. Called once the schema is prepared, which has looked at the privileges.
 * @param onMisfit called if a newer version has finished the schema meanwhile, so that this one
 * cannot serve it
 * @throws {MigrationError} if that is already so at the start
 */
export async function holdVersion(
  url: string,
  { log, onMisfit }: { log: Log; onMisfit(error: MigrationError): void },
): Promise<HeldVersion> {
  let ended = false
  let client: ReturnType<typeof newClient>
  const open = async (assertWell: typeof assertFits): Promise<void> => {
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
      // `finishMigrations` looks for live servers while it holds this lock: either it sees this one, or this
      // one sees its changes.
      await lockMigrations(opening, 'shared')
      await assertWell(opening, await standingOf(opening))
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
        return await open(assertFits)
      } catch (error) {
        if (error instanceof MigrationError) return onMisfit(error)
      }
    }
  }
  await open(assertUnderstood)
  return {
    async end() {
      ended = true
      await client.end().catch(() => {})
    },
  }
}

/**
 * Migrates the schema including second halves of migrations, after which older servers cannot serve
 * it.
 * @param report is called with the number of missing migrations that are applied
 * @throws {MigrationError} while a server is alive that would not understand it; otherwise as
 * `migrateAsOwner`
 */
export function finishMigrations(
  access: Access,
  report?: (done: number, total: number) => void,
): Promise<void> {
  return migrateAsOwner(access, report, {
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
