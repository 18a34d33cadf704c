import assert from 'node:assert/strict'
import { newClient } from '../../src/db/db.ts'
import { type TestServer, until } from './harness.ts'

export type Held = {
  /**
   * Waits until so many statements in the server's database wait for a lock. Lets go of the locks
   * where that does not happen.
   */
  waiting(count: number): Promise<void>
  release(): Promise<void>
}

const wallets = `select from ledger_accounts where business_id = $1 and purpose like 'wallet_%'`

/**
 * Locks the wallets of a server's business in a transaction that stays open, so that whatever moves
 * their money has to wait.
 */
export const holdWallets = (server: TestServer): Promise<Held> =>
  holdRows(server, wallets, [server.businessId])

/** Locks the rows of a query in a transaction that stays open. */
export async function holdRows(
  { app, databaseUrl }: TestServer,
  query: string,
  values: unknown[],
): Promise<Held> {
  const holder = newClient(databaseUrl)
  await holder.connect()
  await holder.query('begin')
  await holder.query(`${query} for no key update`, values)
  const release = async (): Promise<void> => {
    await holder.query('rollback')
    await holder.end()
  }
  return {
    release,
    async waiting(count) {
      // Not on the holder's connection: a transaction sees only the connections that there were
      // when it first looked.
      const look = async (): Promise<boolean> => {
        const waiting = await app.db.query(
          `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
        )
        return waiting.length >= count
      }
      await until(look).catch(async (error) => {
        await release()
        throw error
      })
    },
  }
}

/** Fails where a transaction has locked one of the rows of a query. */
export async function assertUnlocked(
  { app }: TestServer,
  query: string,
  values: unknown[],
): Promise<void> {
  const { length } = await app.db.query(`${query}`, values)
  const free = await app.db.query(`${query} for no key update skip locked`, values)
  assert.ok(
    length > 0 && free.length === length,
    `${length - free.length} of ${length} are locked: ${query}`,
  )
}

/** Fails where a transaction has locked a wallet of a server's business. */
export const assertWalletsUnlocked = (server: TestServer): Promise<void> =>
  assertUnlocked(server, wallets, [server.businessId])
