/**
 * What the tests of batches have in common: a server's parts without its workers, everything that a
 * batch may have written, and a second server on one database.
 */

import {
  claimKeys,
  type Finished,
  type Keyed,
  keepAnswers,
} from '../../src/api/http/idempotency.ts'
import { open, serve } from '../../src/app/main.ts'
import { createBusiness } from '../../src/books/businesses/businesses.ts'
import { simulateFund } from '../../src/books/wallets/wallets.ts'
import type { App } from '../../src/core/app.ts'
import type { Work } from '../../src/core/inside.ts'
import { type Ctx, outside } from '../../src/core/outside.ts'
import { readConfig } from '../../src/lib/config.ts'
import { answerOf, type Outcome, outcomeOf } from '../../src/lib/errors.ts'
import { toJson } from '../../src/lib/json.ts'
import { createWebhook } from '../../src/platform/webhooks/webhooks.ts'
import { newDatabase } from './cluster.ts'
import type { TestServer } from './harness.ts'

const settings = { SECRETS_KEY: 'ab'.repeat(32), SANDBOX_DELAY: '1h', LOG_LEVEL: 'fatal' }

export type Parts = { app: App; close(): Promise<void> }

/** The parts of a server without its workers: nothing changes but by the test. */
export async function parts(env: Record<string, string> = {}): Promise<Parts> {
  const database = await newDatabase()
  const { app, close } = await open(
    readConfig({ DATABASE_URL: database.url, ...settings, ...env }),
    'all',
  )
  return {
    app,
    async close() {
      await close()
      await database.drop()
    },
  }
}

/** A second server on the database of a first. */
export async function secondServer(
  first: TestServer,
): Promise<{ url: string; stop(): Promise<void> }> {
  const env = { PORT: '0', DATABASE_URL: first.databaseUrl, RATE_LIMIT_MAX: '0', ...settings }
  const opened = await open(readConfig(env), 'all')
  const running = await serve(opened)
  return {
    url: running.url,
    async stop() {
      await running.stop()
      await opened.close()
    },
  }
}

/** The time at which everything happens. */
export const now = new Date('2026-11-21T09:30:00.000Z')

/**
 * Two businesses, the second with an endpoint. @param funds what is in their wallets: `ngn` and
 * `usd` of each
 */
export async function twoBusinesses(app: App, funds: number[]): Promise<Ctx[]> {
  const made: Ctx[] = []
  for (const name of ['one', 'two']) {
    const { business } = await createBusiness(app, name)
    const ctx = outside(app, { businessId: business.id, livemode: false, now })
    for (const currency of ['ngn', 'usd'] as const) {
      const amount = funds[made.length * 2 + (currency === 'usd' ? 1 : 0)] as number
      if (amount > 0) await ctx.write((work) => simulateFund(work, currency, BigInt(amount)))
    }
    made.push(ctx)
  }
  const webhook = { input: { url: 'https://example.com/hook' }, warnings: [] }
  await made[1]?.write((work) => createWebhook(work, webhook))
  return made
}

/** Runs something at most once for its Idempotency-Key, in a transaction of its own. */
export async function once(
  ctx: Ctx,
  keyed: Keyed<string>,
  run: (work: Work) => Promise<string>,
): Promise<Finished> {
  const asked = [{ scope: ctx.scope, keyed }]
  const [outcome] = await ctx.write(async (work) => {
    const claims = await claimKeys(work.tx, asked, true)
    const ran = claims.fresh.map(() => outcomeOf(() => work.tx.savepoint(() => run(work))))
    return keepAnswers(work.tx, ctx.secrets, asked, claims, await Promise.all(ran))
  })
  return answerOf(outcome as Outcome<Finished>)
}

/**
 * What is read of a table, and in which order; by id, which is the order in which rows were made,
 * unless it says.
 */
export type Read = { table: string; columns: string; order?: string }

const common: Read[] = [
  { table: 'transactions', columns: '*' },
  { table: 'events', columns: 'business_id, livemode, id, type, body, metadata, created_at' },
  // The ids of deliveries tell the second, and nothing of the order in it.
  {
    table: 'webhook_deliveries',
    columns:
      'business_id, livemode, event_id, webhook_id, type, url, status, next_attempt_at, created_at',
    order: 'event_id, webhook_id',
  },
  {
    table: 'webhook_queue',
    columns: 'business_id, livemode, webhook_id, due_at, claimed_by, again',
    order: 'webhook_id',
  },
  {
    table: 'timers',
    columns: 'business_id, livemode, due_at, task, subject, payload',
    order: 'task, id',
  },
  {
    table: 'idempotency_keys',
    columns: 'business_id, livemode, key, status',
    order: 'key, business_id',
  },
]

/**
 * Every row that money makes, of these businesses, and the rows of a module's own tables before
 * them.
 */
export async function rowsOf(app: App, businesses: Ctx[], own: Read[]): Promise<unknown[]> {
  const ids = businesses.map((ctx) => ctx.scope.businessId)
  const found: unknown[] = []
  for (const { table, columns, order = 'id' } of [...own, ...common])
    found.push(
      await app.db.query(
        `select ${columns} from ${table} where business_id = any($1) order by ${order}`,
        [ids],
      ),
    )
  const account = `(select concat_ws(' ', purpose, currency, business_id) from ledger_accounts a where a.id = %_account) as %`
  found.push(
    await app.db.query(
      `select ${account.replaceAll('%', 'debit')}, ${account.replaceAll('%', 'credit')}, amount, currency, kind, subject,
              transaction_id, posted_at
         from ledger_postings where business_id = any($1) order by id`,
      [ids],
    ),
    await app.db.query(
      'select business_id, purpose, currency, subject, balance from ledger_accounts where business_id = any($1) order by id',
      [ids],
    ),
  )
  return found
}

/** The same text with each id replaced by the place where it came up first. */
export function normalised(value: unknown): string {
  const seen = new Map<string, string>()
  return toJson(value).replaceAll(/[0-9a-f]{24}/g, (id) => {
    if (!seen.has(id)) seen.set(id, `#${seen.size}`)
    return seen.get(id) as string
  })
}
