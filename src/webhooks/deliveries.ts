/**
 * The way of an event to its endpoints, as jobs. Each can run twice: a delivery is sent only by the job that carries the
 * time it is due at, and that time changes with every try and every resend.
 */

import { type Ctx, inTransaction } from '../context.ts'
import type { Tx } from '../db/db.ts'
import { dispatchTask } from '../events/events.ts'
import type { JobPayload, Task } from '../jobs/jobs.ts'
import { enqueue, schedule } from '../jobs/timers.ts'
import { later } from '../lib/clock.ts'
import { type Id, newId } from '../lib/ids.ts'
import { sha256 } from '../lib/secrets.ts'
import { version } from '../lib/version.ts'
import * as statements from './sql.ts'
import { isTaken, post } from './targets.ts'
import { maxWebhooks, signatures } from './webhooks.ts'

const deliverTask = 'webhooks.deliver'
const retryTask = 'webhooks.retry'

/** Queues an endpoint's deliveries are spread over: as many of them run at once, however slow it is. */
const queuesPerWebhook = 2

/** What the jobs of a delivery carry. `due_at` is the delivery's `next_attempt_at` at the time they were made. */
type DeliveryJob = { delivery_id: Id; webhook_id: Id; due_at: string }

const jobOf = (due: statements.DueRow): DeliveryJob => ({
  delivery_id: due.id,
  webhook_id: due.webhook_id,
  due_at: due.next_attempt_at.toISOString(),
})

/** All jobs of a delivery share a queue, so no two tries of it run at once. */
function queueOf(job: DeliveryJob): string {
  return `wh:${job.webhook_id}:${(sha256(job.delivery_id)[0] as number) % queuesPerWebhook}`
}

/** Queues deliveries that are due now, in the transaction that made them so. */
export function enqueueDeliveries(tx: Tx, ctx: Ctx, due: statements.DueRow[]): Promise<void> {
  const jobs = due.map(jobOf).map((payload) => ({
    task: deliverTask,
    subject: payload.delivery_id,
    payload,
    queue: queueOf(payload),
  }))
  return enqueue(tx, ctx.scope, jobs)
}

/** Makes one delivery per endpoint that wants the event. */
async function dispatch(ctx: Ctx, payload: JobPayload): Promise<void> {
  const { businessId, livemode, now } = ctx.scope
  const ids = Array.from({ length: maxWebhooks }, () => newId(now))
  await inTransaction(ctx, async (tx) => {
    const made = await tx.rows(statements.insertDeliveries, [businessId, livemode, payload.event_id, ids, now])
    await enqueueDeliveries(tx, ctx, made)
  })
}

async function retry(ctx: Ctx, payload: JobPayload): Promise<void> {
  const job = payload as DeliveryJob
  await inTransaction(ctx, (tx) =>
    enqueue(tx, ctx.scope, [{ task: deliverTask, subject: job.delivery_id, payload: job, queue: queueOf(job) }]),
  )
}

/**
 * Sends a delivery once and logs the try.
 * @throws {Error} when the server stops meanwhile: nothing is logged, and the job is run again
 */
async function deliver(ctx: Ctx, payload: JobPayload, signal: AbortSignal): Promise<void> {
  const { businessId, livemode, now } = ctx.scope
  const job = payload as DeliveryJob
  const key = [businessId, livemode, job.delivery_id, job.due_at]
  const delivery = await ctx.db.row(statements.selectToDeliver, key)
  if (!delivery) return
  if (!delivery.open) {
    await ctx.db.rows(statements.closeDelivery, [...key, now])
    return
  }

  const started = ctx.clock.now().getTime()
  const exchange = await post(
    ctx.config,
    {
      url: delivery.url,
      body: delivery.body,
      headers: {
        'Content-Type': 'application/json',
        'User-Agent': `Bursar/${version}`,
        'X-Event-Id': delivery.event_id,
        'X-Event-Type': delivery.type,
        'X-Delivery-Attempt': String(delivery.tries + 1),
        ...signatures(ctx, delivery.webhook_id, delivery, delivery.body),
      },
    },
    signal,
  )

  const taken = isTaken(exchange)
  const endedAt = later(now, ctx.clock.now().getTime() - started)
  const wait = taken ? undefined : ctx.config.WEBHOOK_RETRY_DELAYS[delivery.tries]
  const dueAt = wait === undefined ? null : later(endedAt, Math.round(wait * (0.9 + Math.random() * 0.2)))
  const record = [
    ...key,
    now,
    exchange.status,
    exchange.body,
    exchange.durationMs,
    exchange.error,
    taken ? 'succeeded' : dueAt ? 'pending' : 'failed',
    delivery.url,
    dueAt,
    endedAt,
  ]
  await inTransaction(ctx, async (tx) => {
    const current = await tx.row(statements.recordAttempt, record)
    if (!current || !dueAt) return
    const next = jobOf({ id: job.delivery_id, webhook_id: delivery.webhook_id, next_attempt_at: dueAt })
    await schedule(tx, ctx.scope, { task: retryTask, subject: job.delivery_id, dueAt, payload: next })
  })
  if (!taken && !dueAt)
    ctx.log.info({ webhook: delivery.webhook_id, event: delivery.event_id }, 'a webhook delivery failed for good')
}

/** The quick tasks, which touch the database only. */
export const dispatchTasks: Record<string, Task> = { [dispatchTask]: dispatch, [retryTask]: retry }

/** The slow task, which waits for targets: it needs workers of its own. */
export const deliveryTasks: Record<string, Task> = { [deliverTask]: deliver }
