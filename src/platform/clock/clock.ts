/** The test clock: a business advances the time of its test mode, and due timers fire. */
import { setTimeout as sleep } from 'node:timers/promises'
import { forgetKeys, forgottenEverywhere } from '../../books/businesses/businesses.ts'
import type { Work } from '../../core/inside.ts'
import { type Ctx, outside } from '../../core/outside.ts'
import { sqlOfAll, sqlOfMany } from '../../db/db.ts'
import { later } from '../../lib/clock.ts'
import { parseDuration } from '../../lib/duration.ts'
import { refuseInput } from '../../lib/errors.ts'
import type { Static } from '../../lib/schema.ts'
import { type FiredTimer, fireTimersOf, notifyWorkers } from '../jobs/timers.ts'
import { wakeDeliveriesOf } from '../webhooks/webhooks.ts'
import type { ClockRecord } from './schema.ts'

/** A year per step is beyond any due date, and keeps the clock within four-digit years for long. */
const longestStepMs = 366 * 86_400_000
const furthestMs = 10 * longestStepMs

/** How long an answer waits for the fired jobs; they continue if it takes longer. */
const patienceMs = 5_000

const selectOffset = sqlOfMany<{ offset_ms: bigint }>(
  'clock.select_offset',
  'select offset_ms from test_clocks where business_id = $1',
)
const addOffset = sqlOfMany<{ offset_ms: bigint }>(
  'clock.add_offset',
  `insert into test_clocks as clock (business_id, offset_ms, moving_until) values ($1, $2, $3)
   on conflict (business_id) do update
     set offset_ms = clock.offset_ms + excluded.offset_ms, moving_until = excluded.moving_until
   returning offset_ms`,
)
const goOn = sqlOfMany(
  'clock.go_on',
  'update test_clocks set moving_until = $2 where business_id = $1',
)
const endMove = sqlOfMany(
  'clock.end_move',
  'update test_clocks set moving_until = null where business_id = $1',
)
const unfinished = sqlOfAll<{ count: bigint }>(
  'clock.unfinished',
  'select count(*) as count from graphile_worker.jobs where id = any($1::bigint[]) and attempts < 2',
)

type ClockState = Static<typeof ClockRecord>

/** Returns the state of the test clock. */
export async function readClock(ctx: Ctx): Promise<ClockState> {
  const row = await ctx.db.row(selectOffset, [ctx.scope.businessId])
  const offset = row?.offset_ms ?? 0n
  return {
    now: later(ctx.clock.now(), Number(offset)),
    offset_ms: Number(offset),
    livemode: false,
    fired: [],
  }
}

/** A move of the clock: its length, the machine's time, and the work after its commit. */
export type Move = {
  stepMs: number
  at: Date
  drain(state: ClockState, fired: FiredTimer[]): Promise<void>
}

/**
 * Reads a move of the test clock.
 * @throws {Refusal} `validation_failed` when `advance` is not a duration, or is over a year
 */
export async function prepareMove(ctx: Ctx, advance: string): Promise<Move> {
  return {
    stepMs: readStep(advance),
    at: ctx.clock.now(),
    drain: (state, fired) => drain(outside(ctx, { ...ctx.scope, now: state.now }), state, fired),
  }
}

/**
 * Advances the test clock and fires everything that becomes due.
 * @throws {Refusal} `validation_failed` when that leads more than ten years ahead
 */
export async function advanceClock(work: Work, { stepMs, at, drain }: Move): Promise<ClockState> {
  const row = await work.tx.row(addOffset, [work.scope.businessId, stepMs, movesUntil(at)])
  const offset = Number(row?.offset_ms ?? 0n)
  if (offset > furthestMs) refuseStep('advance must not lead more than ten years ahead')
  const now = later(at, offset)
  const fired = await fireTimersOf(work, now)
  const woken = await wakeDeliveriesOf(work, now)
  const state: ClockState = {
    now,
    offset_ms: offset,
    livemode: false,
    fired: [
      ...fired.map(shown),
      ...woken.map(({ delivery_id: subject, due_at }) => ({
        task: 'webhooks.retry',
        subject,
        due_at,
      })),
    ],
  }
  work.afterCommit(() => drain(state, fired))
  return state
}

/**
 * Waits for fired jobs, and fires what they made due before the clock's new time: a payout is
 * submitted, then settles.
 */
async function drain(ctx: Ctx, state: ClockState, first: FiredTimer[]): Promise<void> {
  forgetKeys()
  for (let fired = first; fired.length > 0 && (await finished(ctx, fired)); ) {
    // In each round of a long move: jobs that others fire meanwhile would run at the clock's new
    // time, not at their own.
    await ctx.db.rows(goOn, [ctx.scope.businessId, movesUntil(ctx.clock.now())])
    fired = await fireTimersOf(ctx, state.now)
    state.fired.push(...fired.map(shown))
  }
  await ctx.db.rows(endMove, [ctx.scope.businessId])
  // With several processes, the next request may reach one that still caches the previous time.
  if (ctx.role !== 'all') await forgottenEverywhere()
}

/**
 * Until when no other process fires this move's timers; if this process ends meanwhile, the others
 * continue afterwards.
 */
const movesUntil = (at: Date): Date => later(at, 2 * patienceMs)

function readStep(advance: string): number {
  try {
    const step = parseDuration(advance)
    if (step > 0 && step <= longestStepMs) return step
  } catch {
    // Reported below, in the contract's form.
  }
  return refuseStep('advance must be a duration such as 90s, 15m, 24h or 3d, of at most 366d')
}

function refuseStep(message: string): never {
  return refuseInput([{ path: 'advance', message, location: 'body' }])
}

const shown = ({ task, subject, due_at }: FiredTimer) => ({ task, subject, due_at })

/** Waits for the jobs of timers. @returns whether they ended in time; otherwise they continue */
async function finished(ctx: Ctx, timers: FiredTimer[]): Promise<boolean> {
  const ids = timers.map((timer) => timer.job_id)
  notifyWorkers()
  const start = performance.now()
  while (performance.now() - start < patienceMs) {
    const row = await ctx.db.row(unfinished, [ids])
    if (!row || row.count === 0n) return true
    await sleep(20)
  }
  return false
}
