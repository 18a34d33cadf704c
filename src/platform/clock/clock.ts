/**
 * The test clock: a business moves the time of its test mode ahead, and what has become due fires.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { forgetKeys, forgottenEverywhere } from '../../books/businesses/businesses.ts'
import { type Ctx, inTransaction } from '../../core/context.ts'
import { sql } from '../../db/db.ts'
import { later } from '../../lib/clock.ts'
import { parseDuration } from '../../lib/duration.ts'
import { refuseInput } from '../../lib/errors.ts'
import type { Static } from '../../lib/schema.ts'
import { type FiredTimer, fireTimersOf } from '../jobs/timers.ts'
import { wakeDeliveriesOf } from '../webhooks/webhooks.ts'
import type { ClockRecord } from './schema.ts'

/** A year a step is more than any due date needs, and keeps the clock within four-digit years for a long while. */
const longestStepMs = 366 * 86_400_000
const furthestMs = 10 * longestStepMs

/** How long an answer waits for the fired jobs to finish; they go on by themselves if it takes longer. */
const patienceMs = 5_000

const selectOffset = sql<{ offset_ms: bigint }>(
  'clock.select_offset',
  'select offset_ms from test_clocks where business_id = $1',
)
const addOffset = sql<{ offset_ms: bigint }>(
  'clock.add_offset',
  `insert into test_clocks as clock (business_id, offset_ms, moving_until) values ($1, $2, $3)
   on conflict (business_id) do update
     set offset_ms = clock.offset_ms + excluded.offset_ms, moving_until = excluded.moving_until
   returning offset_ms`,
)
const endMove = sql('clock.end_move', 'update test_clocks set moving_until = null where business_id = $1')
const unfinished = sql<{ count: bigint }>(
  'clock.unfinished',
  'select count(*) as count from graphile_worker.jobs where id = any($1::bigint[]) and attempts < 2',
)

type ClockState = Static<typeof ClockRecord>

/** Where the test clock stands. */
export async function readClock(ctx: Ctx): Promise<ClockState> {
  const row = await (ctx.tx ?? ctx.db).row(selectOffset, [ctx.scope.businessId])
  const offset = row?.offset_ms ?? 0n
  return { now: later(ctx.clock.now(), Number(offset)), offset_ms: Number(offset), livemode: false, fired: [] }
}

/**
 * Moves the test clock ahead and fires everything that is due then.
 * @throws {Refusal} `validation_failed` when `advance` is not a duration, is over a year, or leads more than ten years ahead
 */
export function advanceClock(ctx: Ctx, advance: string): Promise<ClockState> {
  const step = readStep(advance)
  const { businessId } = ctx.scope
  return inTransaction(ctx, async (tx) => {
    const row = await tx.row(addOffset, [businessId, step, later(ctx.clock.now(), 2 * patienceMs)])
    const offset = Number(row?.offset_ms ?? 0n)
    if (offset > furthestMs) refuseStep('advance must not lead more than ten years ahead')
    const now = later(ctx.clock.now(), offset)
    const scope = { ...ctx.scope, now }
    const state: ClockState = { now, offset_ms: offset, livemode: false, fired: [] }
    let fired = await fireTimersOf(tx, scope)
    const woken = await wakeDeliveriesOf(tx, scope)
    state.fired.push(
      ...fired.map(shown),
      ...woken.map(({ delivery_id: subject, due_at }) => ({ task: 'webhooks.retry', subject, due_at })),
    )
    tx.afterCommit(async () => {
      forgetKeys()
      // What fires may make more due before `now`: a payout is submitted, then settles.
      while (fired.length > 0 && (await finished(ctx, fired))) {
        fired = await fireTimersOf(ctx.db, scope)
        state.fired.push(...fired.map(shown))
      }
      await ctx.db.rows(endMove, [businessId])
      // Where several processes answer, the next request may reach one that still remembers the time before.
      if (ctx.role !== 'all') await forgottenEverywhere()
    })
    return state
  })
}

function readStep(advance: string): number {
  try {
    const step = parseDuration(advance)
    if (step > 0 && step <= longestStepMs) return step
  } catch {
    // Said below, in the contract's form.
  }
  return refuseStep('advance must be a duration such as 90s, 15m, 24h or 3d, of at most 366d')
}

function refuseStep(message: string): never {
  return refuseInput([{ path: 'advance', message, location: 'body' }])
}

const shown = ({ task, subject, due_at }: FiredTimer) => ({ task, subject, due_at })

/** Waits for the jobs of timers. @returns whether they ended in time; they go on by themselves if not */
async function finished(ctx: Ctx, timers: FiredTimer[]): Promise<boolean> {
  const ids = timers.map((timer) => timer.job_id)
  const start = performance.now()
  while (performance.now() - start < patienceMs) {
    const row = await ctx.db.row(unfinished, [ids])
    if (!row || row.count === 0n) return true
    await sleep(20)
  }
  return false
}
