/** Attempts a delivery: sends the request, decides on a retry, and records attempts in batches. */
import type { App } from '../../core/app.ts'
import { gathered } from '../../db/batch.ts'
import { later } from '../../lib/clock.ts'
import { follow } from '../../lib/steps.ts'
import { type Exchange, isSuccess, post } from './http-client.ts'
import { type AttemptResult, type ClaimedDelivery, recordResults } from './queue.ts'
import { deliveryHeaders, type SigningSecrets } from './signing.ts'
import { signingSecrets } from './webhooks.ts'

/** When a delivery is retried that could not be signed. */
const brokenWaitMs = 30_000

/** The status by which a receiver rejects an event for good (RFC 9110, 15.5.11). */
const gone = 410

/** The longest `Retry-After` that is honoured. */
const longestWaitMs = 86_400_000

/**
 * Returns the wait that a receiver requests by `Retry-After`, in milliseconds, at most a day; 0
 * without a header in a form of RFC 9110 (10.2.3). Only 429 and 503 count, because a proxy's error
 * page may carry the header for any status.
 */
function retryAfterMs({ status, retryAfter }: Exchange, now: Date): number {
  if (retryAfter === null || (status !== 429 && status !== 503)) return 0
  const waitMs = /^\d{1,9}$/.test(retryAfter)
    ? Number(retryAfter) * 1_000
    : Date.parse(retryAfter) - now.getTime()
  return Number.isNaN(waitMs) ? 0 : Math.min(Math.max(waitMs, 0), longestWaitMs)
}

/** The result of an attempt. */
export type Attempt = {
  worker: string
  delivery: ClaimedDelivery
  /** The request and its answer; null if nothing was sent. */
  exchange: Exchange | null
  startedAt: Date
  endedAt: Date
  /** Null: undecided, retried at `dueAt`. */
  status: 'pending' | 'succeeded' | 'failed' | null
  dueAt: Date | null
}

/**
 * Attempts a delivery once.
 * @throws {Error} when `stopping` aborts meanwhile: the caller records nothing
 */
export async function attemptDelivery(
  app: App,
  worker: string,
  delivery: ClaimedDelivery,
  stopping: AbortSignal,
): Promise<Attempt> {
  const sentAt = app.clock.now()
  const now = later(sentAt, Number(delivery.offset_ms))
  const attempt = { worker, delivery, exchange: null, startedAt: now, endedAt: now, dueAt: null }
  if (!delivery.active) return { ...attempt, status: 'failed' }
  let secrets: SigningSecrets
  try {
    secrets = signingSecrets(app, delivery, now)
  } catch (error) {
    app.log.error(
      { err: error, webhook: delivery.webhook_id },
      'a webhook delivery cannot be signed',
    )
    return { ...attempt, status: null, dueAt: later(now, brokenWaitMs) }
  }
  const headers = deliveryHeaders({ ...delivery, attempt: delivery.tries + 1 }, secrets, sentAt)
  const about = () => ({
    name: `webhook ${delivery.type}`,
    attributes: {
      'server.address': new URL(delivery.url).hostname,
      'bursar.event': delivery.event_id,
      'bursar.webhook': delivery.webhook_id,
      'bursar.attempt': delivery.tries + 1,
    },
  })
  const exchange = await follow('delivery', about, async (step) => {
    const made = await post(
      app.config,
      { url: delivery.url, body: delivery.body, headers },
      stopping,
    )
    if (step) {
      if (made.status !== null) step.attributes['http.response.status_code'] = made.status
      if (!isSuccess(made)) step.failure = made.status === null ? 'no answer' : String(made.status)
    }
    return made
  })
  const endedAt = later(now, app.clock.now().getTime() - sentAt.getTime())
  if (isSuccess(exchange)) return { ...attempt, exchange, endedAt, status: 'succeeded' }
  const wait = app.config.WEBHOOK_RETRY_DELAYS[delivery.tries]
  if (wait !== undefined && exchange.status !== gone) {
    const waitMs = Math.max(
      Math.round(wait * (0.9 + Math.random() * 0.2)),
      retryAfterMs(exchange, app.clock.now()),
    )
    const dueAt = later(endedAt, waitMs)
    return { ...attempt, exchange, endedAt, status: 'pending', dueAt }
  }
  const { webhook_id: webhook, event_id: event } = delivery
  app.log.info({ webhook, event }, 'a webhook delivery failed for good')
  return { ...attempt, exchange, endedAt, status: 'failed' }
}

function resultOf({
  delivery,
  exchange,
  startedAt,
  status,
  dueAt,
  endedAt,
}: Attempt): AttemptResult {
  return {
    business_id: delivery.business_id,
    livemode: delivery.livemode,
    delivery_id: delivery.delivery_id,
    event_id: delivery.event_id,
    at: exchange ? startedAt : null,
    response_status: exchange?.status ?? null,
    response_body: exchange?.body ?? null,
    duration_ms: exchange?.durationMs ?? null,
    error: exchange?.error ?? null,
    status,
    url: exchange ? delivery.url : null,
    due_at: dueAt,
    ended_at: endedAt,
  }
}

const gatherAttempts = () =>
  gathered<Attempt, void>(
    async (db, attempts) => {
      // Attempts are recorded per claiming worker: two dispatchers may share a pool.
      for (const [worker, own] of Map.groupBy(attempts, (one) => one.worker))
        await recordResults(db, worker, own.map(resultOf))
      return attempts.map(() => ({ answer: undefined }))
    },
    { lanes: 1, max: 256 },
  )
const ofLive = gatherAttempts()
const ofTest = gatherAttempts()

/**
 * Logs the attempt and applies its result, batched with others of its mode that end at the same
 * time. Attempts of test mode wait while test data are emptied, so live mode has its own batch.
 */
export const recordAttempts: typeof ofLive = (db, attempt) =>
  (attempt.delivery.livemode ? ofLive : ofTest)(db, attempt)
