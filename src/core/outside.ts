/**
 * Outside of any transaction: here rails, names and the world may be asked. What is to be written
 * is written by `write`, whose work is all committed or none of it.
 */
import { byAsker, gatheredReads } from '../db/batch.ts'
import {
  type Database,
  type Queryable,
  snapshot as snapshotOf,
  sqlOfMany,
  type Tx,
  transaction,
} from '../db/db.ts'
import { later } from '../lib/clock.ts'
import type { Id } from '../lib/ids.ts'
import type { Log } from '../lib/log.ts'
import type { App, Scope } from './app.ts'
import { inside, readingOf, type View, type Work } from './inside.ts'
import { holdTestData } from './test-data.ts'

/** A business and mode, with all that a server has. */
export type Ctx = App &
  View & {
    reader: Database
    /** Runs `work` in a transaction: all of it is committed, or, when it throws, none of it. */
    write<T>(work: (work: Work) => Promise<T>): Promise<T>
    /**
     * Runs reads that must agree with each other: all of them see what was committed when the first
     * began.
     */
    snapshot<T>(read: (view: View) => Promise<T>): Promise<T>
  }

/**
 * The log of what is done in test mode, where a key has failures simulated: what would be an error
 * is a warning.
 */
const logOfTest = (log: Log): Log =>
  Object.create(log, {
    error: { value: (fields: object, message: string) => log.warn(fields, message) },
  })

/** A request's or a job's view. */
export function outside(app: App, scope: Scope, log: Log = app.log): Ctx {
  const { db } = app
  const ctx: Ctx = {
    ...app,
    log: scope.livemode ? log : logOfTest(log),
    ...readingOf(db, scope),
    scope,
    pricing: app.prices.of(scope.businessId, scope.now),
    reader: db,
    write: (work) =>
      transaction(db, (tx) => {
        holdTestData(tx, [scope])
        return work(inside(ctx, tx, scope))
      }),
    snapshot: (read) => snapshotOf(db, (tx) => read(inside(ctx, tx, scope))),
  }
  return ctx
}

/** The same, read elsewhere: what is written is written at the primary. */
export function readElsewhere(ctx: Ctx, reader: Database): Ctx {
  const { scope } = ctx
  const snapshot: Ctx['snapshot'] = (read) =>
    snapshotOf(reader, (tx) => read(inside(ctx, tx, scope)))
  return { ...ctx, ...readingOf(reader, scope), reader, snapshot }
}

type Offset = { offset_ms: bigint; emptied: number }

/** In the form of `readByIds`, for its reasons. */
const selectOffsets = sqlOfMany<Offset & { asker: number }>(
  'core.clock_offsets',
  `select asked.asker::integer, clock.*
     from unnest((select $1::text[])) with ordinality as asked (business_id, asker)
    cross join lateral (select offset_ms, emptied from test_clocks where business_id = asked.business_id limit 1) clock`,
)

const readOffsets = async (reader: Queryable, businesses: Id[]): Promise<(Offset | null)[]> =>
  byAsker(await reader.rows(selectOffsets, [businesses]), businesses.length)
const offsetOf = gatheredReads(readOffsets)

/**
 * The scope of a job or a command: live data lives in the clock's time, test data in the business's
 * own.
 */
export async function scopeOf(
  app: Pick<App, 'clock' | 'prices' | 'db'>,
  businessId: Id,
  livemode: boolean,
): Promise<Scope> {
  return scopeWith(app, businessId, livemode, livemode ? null : await offsetOf(app.db, businessId))
}

/**
 * The same in a transaction, whose connection reads the test clock: another may not be free while
 * it holds its own.
 */
export async function scopeIn(
  { clock, prices }: Pick<App, 'clock' | 'prices'>,
  tx: Tx,
  businessId: Id,
  livemode: boolean,
): Promise<Scope> {
  const [offset = null] = livemode ? [] : await readOffsets(tx, [businessId])
  return scopeWith({ clock, prices }, businessId, livemode, offset)
}

async function scopeWith(
  { clock, prices }: Pick<App, 'clock' | 'prices'>,
  businessId: Id,
  livemode: boolean,
  offset: Offset | null,
): Promise<Scope> {
  const now = clock.now()
  await prices.upTo(now)
  const time = later(now, Number(offset?.offset_ms ?? 0n))
  return { businessId, livemode, now: time, emptied: offset?.emptied ?? 0 }
}

/**
 * The time that a rail's waits count from. The sandbox lives in the business's test time; a chain
 * or a bank does not, and a job that a test clock replays at an earlier time would ask it once for
 * each wait until now.
 */
export async function railTime(ctx: Ctx, rail: string): Promise<Date> {
  const { businessId, livemode, now } = ctx.scope
  return rail === ctx.terms.test.sandbox.cards.name
    ? now
    : (await scopeOf(ctx, businessId, livemode)).now
}
