/**
 * One delivery: the request that is made of it, what follows from the answer, and the record of both, many in one commit.
 */
import type { App } from '../../core/context.ts'
import { gathered } from '../../db/batch.ts'
import { later } from '../../lib/clock.ts'
import type { Id } from '../../lib/ids.ts'
import { version } from '../../lib/version.ts'
import { type Claimed, recordResults } from './queue.ts'
import { type Exchange, isTaken, post } from './targets.ts'
import { signatures } from './webhooks.ts'

/** When a delivery is looked at again whose request could not even be made. */
const brokenWaitMs = 30_000

/** What came of a delivery. */
export type Result = {
  worker: string
  delivery: Claimed
  /** What was sent and came back; null where nothing was sent. */
  exchange: Exchange | null
  startedAt: Date
  endedAt: Date
  /** Null: nothing is decided. */
  status: 'pending' | 'succeeded' | 'failed' | null
  dueAt: Date | null
}

/**
 * Makes one try.
 * @throws {Error} when `stopping` is aborted meanwhile: nothing is to be recorded
 */
export async function deliver(app: App, worker: string, delivery: Claimed, stopping: AbortSignal): Promise<Result> {
  const now = later(app.clock.now(), Number(delivery.offset_ms))
  const made = { worker, delivery, exchange: null, startedAt: now, endedAt: now, dueAt: null }
  if (!delivery.open) return { ...made, status: 'failed' }
  let signed: Record<string, string>
  try {
    signed = signatures(app.config, delivery, now)
  } catch (error) {
    app.log.error({ err: error, webhook: delivery.webhook_id }, 'a webhook delivery cannot be signed')
    return { ...made, status: null, dueAt: later(now, brokenWaitMs) }
  }
  const started = app.clock.now().getTime()
  const headers = {
    'Content-Type': 'application/json',
    'User-Agent': `Bursar/${version}`,
    'X-Event-Id': delivery.event_id,
    'X-Event-Type': delivery.type,
    'X-Delivery-Attempt': String(delivery.tries + 1),
    ...signed,
  }
  const exchange = await post(app.config, { url: delivery.url, body: delivery.body, headers }, stopping)
  const endedAt = later(now, app.clock.now().getTime() - started)
  if (isTaken(exchange)) return { ...made, exchange, endedAt, status: 'succeeded' }
  const wait = app.config.WEBHOOK_RETRY_DELAYS[delivery.tries]
  if (wait !== undefined) {
    const dueAt = later(endedAt, Math.round(wait * (0.9 + Math.random() * 0.2)))
    return { ...made, exchange, endedAt, status: 'pending', dueAt }
  }
  const { webhook_id: webhook, event_id: event } = delivery
  app.log.info({ webhook, event }, 'a webhook delivery failed for good')
  return { ...made, exchange, endedAt, status: 'failed' }
}

/** Logs the try and applies what follows from it, in one statement with others that end at the time. */
export const record = gathered<Result, void>(
  async (db, results) => {
    const column = <T>(pick: (result: Result) => T): T[] => results.map(pick)
    await db.rows(recordResults, [
      results[0]?.worker,
      column(({ delivery }): Id => delivery.business_id),
      column(({ delivery }) => delivery.livemode),
      column(({ delivery }): Id => delivery.delivery_id),
      column(({ exchange, startedAt }) => (exchange ? startedAt : null)),
      column(({ exchange }) => exchange?.status ?? null),
      column(({ exchange }) => exchange?.body ?? null),
      column(({ exchange }) => exchange?.durationMs ?? null),
      column(({ exchange }) => exchange?.error ?? null),
      column(({ status }) => status),
      column(({ exchange, delivery }) => (exchange ? delivery.url : null)),
      column(({ dueAt }) => dueAt),
      column(({ endedAt }) => endedAt),
    ])
    return results.map(() => ({ answer: undefined }))
  },
  { lanes: 1, max: 256 },
)
