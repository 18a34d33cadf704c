import { newClient } from '../../src/db/db.ts'
import { type TestServer, until } from './harness.ts'

export type Held = {
  /** Waits until so many statements in the server's database wait for a lock. Lets go of the locks where that does not happen. */
  waiting(count: number): Promise<void>
  release(): Promise<void>
}

/** Locks the wallets of a server's business in a transaction that stays open, so that whatever moves their money has to wait. */
export async function holdWallets({ app, databaseUrl, businessId }: TestServer): Promise<Held> {
  const holder = newClient(databaseUrl)
  await holder.connect()
  await holder.query('begin')
  await holder.query(
    `select from ledger_accounts where business_id = $1 and purpose like 'wallet_%' for no key update`,
    [businessId],
  )
  const release = async (): Promise<void> => {
    await holder.query('rollback')
    await holder.end()
  }
  return {
    release,
    async waiting(count) {
      // Not on the holder's connection: a transaction sees only the connections that there were when it first looked.
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
