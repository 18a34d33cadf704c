/**
 * The product, started by its own command, with businesses that have money.
 */

import { type Opened, open, verifyBooks } from '../src/app/main.ts'
import { createBusiness } from '../src/books/businesses/businesses.ts'
import type { Embedded } from '../src/db/cluster/embedded.ts'
import { newClient } from '../src/db/db.ts'
import { readConfig } from '../src/lib/config.ts'
import type { Owner } from './load.ts'
import { type Started, start, stop } from './processes.ts'

export type Product = { url: string; server: Started; owners: Owner[]; opened: Opened }

const atOnce = 16

/**
 * What differs from a server as it comes: no rate limit, no line in the log for each request, and
 * payouts that are only created, since what comes after would share the machine with what is
 * measured.
 */
export const settings = { RATE_LIMIT_MAX: '0', LOG_LEVEL: 'fatal', SANDBOX_DELAY: '1h' }

export function environment({ url, ownerUrl }: Embedded): Record<string, string> {
  return {
    DATABASE_URL: url,
    MIGRATE_DATABASE_URL: ownerUrl,
    SECRETS_KEY: '00'.repeat(32),
    PORT: '0',
    ...settings,
  }
}

/**
 * Has a server's code compiled and kept: only the first start of an installation does that, and it
 * takes memory that no later one does.
 */
export async function compile(embedded: Embedded): Promise<void> {
  await stop(await startServer(environment(embedded)))
}

const startServer = (env: Record<string, string>): Promise<Started> =>
  start('../bin/bursar.js', ['serve'], env, /is listening on (\S+)/)

/**
 * Starts it: one process that answers requests and runs jobs, as `npm start` does. @param more
 * settings that differ from those above
 */
export async function startProduct(
  embedded: Embedded,
  businesses: number,
  more: Record<string, string> = {},
): Promise<Product> {
  const env = { ...environment(embedded), ...more }
  const server = await startServer(env)
  const opened = await open(readConfig(env), 'tool')
  const product: Product = { url: server.said, server, owners: [], opened }
  let made = 0
  const one = async (): Promise<void> => {
    while (made < businesses) product.owners.push(await newOwner(product, `Bench ${++made}`))
  }
  await Promise.all(Array.from({ length: atOnce }, one))
  // As pgbench does with its tables: else the plans of the first requests were made for a few
  // businesses. But for empty ones, which PostgreSQL would plan to read whole, and which nobody
  // analyzes in a new installation.
  const owner = newClient(embedded.ownerUrl)
  await owner.connect()
  const filled = await owner.query<{ name: string }>(
    `select oid::regclass::text as name from pg_class
      where relkind = 'r' and relnamespace = 'public'::regnamespace and pg_relation_size(oid) > 0 and relowner = current_user::regrole`,
  )
  await owner.query(`analyze ${filled.rows.map(({ name }) => name).join(', ')}`)
  await owner.end()
  return product
}

/** A business with money in its wallet, and the transaction that brought it. */
async function newOwner({ url, opened }: Product, name: string): Promise<Owner> {
  const { test_key: key } = await createBusiness(opened.app, name)
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const ask = async (path: string, options: RequestInit = {}) => {
    const response = await fetch(url + path, { ...options, headers })
    if (!response.ok) throw new Error(await response.text())
    // biome-ignore lint/suspicious/noExplicitAny: an answer of the API
    return ((await response.json()) as any).data
  }
  const body = JSON.stringify({ currency: 'ngn', amount: 1_000_000_000_000 })
  await ask('/wallets/simulate-fund', { method: 'POST', body })
  const { docs } = await ask('/transactions?limit=1')
  return { key, transaction: docs[0].id }
}

/**
 * Stops the server and looks at what it has written.
 * @param created payouts that were answered with 201
 * @throws {Error} when the books are not clean, or an answered payout is not there
 */
export async function closeProduct({ server, opened }: Product, created: number): Promise<string> {
  await stop(server)
  const [row] = await opened.app.db.query<{ n: bigint }>('select count(*) as n from payouts')
  const { differences, postings } = await verifyBooks(opened.app)
  await opened.close()
  if (differences.length > 0) throw new Error(`the books have ${differences.length} differences`)
  if (Number(row?.n) < created)
    throw new Error(`${created} payouts were answered, but ${row?.n} are there`)
  return `The books are clean: ${postings} postings; all of the ${created} payouts that were answered are there.`
}
