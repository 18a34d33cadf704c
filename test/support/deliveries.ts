/**
 * Deliveries of webhooks on a database of their own: a server that answers requests only, and
 * dispatchers that a test starts.
 */
import { type Opened, open, serve, startWork } from '../../src/app/main.ts'
import { createBusiness } from '../../src/books/businesses/businesses.ts'
import { outside, scopeOf } from '../../src/core/outside.ts'
import { transaction } from '../../src/db/db.ts'
import { readConfig } from '../../src/lib/config.ts'
import { emitMany, type News } from '../../src/platform/events/events.ts'
import type { Workers } from '../../src/platform/jobs/jobs.ts'
import { createWebhook, prepareWebhook } from '../../src/platform/webhooks/webhooks.ts'
import { newDatabase, type TestDatabase } from './cluster.ts'
import { type Call, makeCall, until } from './harness.ts'
import { type Receiver, startReceiver } from './receiver.ts'

/** A business that has webhooks. */
export type Owner = { id: string; call: Call }
export type QueueRow = { delivery_id: string; claimed_by: string | null; due_at: Date | null }

export type Deliveries = {
  database: TestDatabase
  receiver: Receiver
  /** The settings of the server, for another process over the same database. */
  env: Record<string, string>
  opened: Opened
  /** Makes a business with an endpoint for each path of the receiver. */
  owner(paths: string[]): Promise<Owner>
  /** Emits so many events of a business, in one commit. */
  tell(owner: Owner, count: number): Promise<void>
  queueOf(owner: Owner): Promise<QueueRow[]>
  /**
   * Waits until nothing of the business is left to send. @returns statuses with their counts, and
   * the tries that were logged
   */
  drained(owner: Owner): Promise<{ states: Record<string, number>; tries: number }>
  startDispatcher(own?: Opened): Promise<void>
  stopDispatchers(): Promise<void>
  stop(): Promise<void>
}

export async function openDeliveries(): Promise<Deliveries> {
  const database = await newDatabase()
  const receiver = await startReceiver()
  const env = {
    PORT: '0',
    DATABASE_URL: database.url,
    BASE_URL: 'http://localhost:4000',
    SECRETS_KEY: 'ab'.repeat(32),
    RATE_LIMIT_MAX: '0',
    LOG_LEVEL: 'silent',
    WEBHOOK_ALLOW_PRIVATE_TARGETS: 'true',
    WEBHOOK_CA_FILE: receiver.caFile,
    // No endpoint that hangs may come to its end in the middle of a test.
    WEBHOOK_TIMEOUT: '1h',
  }
  const opened = await open(readConfig(env), 'api')
  const api = await serve(opened, 'api')
  const { db, clock } = opened.app
  const dispatchers: { workers: Workers; opened: Opened }[] = []
  const deliveries: Deliveries = {
    database,
    receiver,
    env,
    opened,
    async owner(paths) {
      const made = await createBusiness(opened.app, 'Owner')
      const ctx = outside(opened.app, await scopeOf(opened.app, made.business.id, false))
      for (const path of paths) {
        const checked = await prepareWebhook(ctx, { url: `${receiver.url}${path}` })
        await ctx.write((work) => createWebhook(work, checked))
      }
      return { id: made.business.id, call: makeCall(api.url, made.test_key) }
    },
    async tell({ id }, count) {
      const scope = { businessId: id, livemode: false, now: clock.now() }
      const one: News = { scope, type: 'payout.initiated', record: { metadata: {} } }
      await transaction(db, (tx) => emitMany(tx, Array(count).fill(one)))
    },
    queueOf: ({ id }) =>
      db.query<QueueRow>(
        'select * from webhook_queue where business_id = $1 order by delivery_id',
        [id],
      ),
    async drained(of) {
      await until(async () => (await deliveries.queueOf(of)).length === 0, 120_000)
      const states = await db.query<{ status: string; n: bigint }>(
        'select status, count(*) as n from webhook_deliveries where business_id = $1 group by status',
        [of.id],
      )
      const [tries] = await db.query<{ n: bigint }>(
        'select count(*) as n from webhook_attempts where business_id = $1',
        [of.id],
      )
      return {
        states: Object.fromEntries(states.map(({ status, n }) => [status, Number(n)])),
        tries: Number(tries?.n),
      }
    },
    async startDispatcher(own) {
      const worker = own ?? (await open(readConfig(env), 'worker'))
      dispatchers.push({ opened: worker, workers: await startWork(worker) })
    },
    async stopDispatchers() {
      for (const one of dispatchers.splice(0)) {
        await one.workers.stop()
        await one.opened.close()
      }
    },
    async stop() {
      await deliveries.stopDispatchers()
      await api.stop()
      await opened.close()
      await receiver.stop()
      await database.drop()
    },
  }
  return deliveries
}
