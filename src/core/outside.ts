/**
 * Code outside of any transaction, where rails and the network may be called. Writes go through
 * `write`, which is atomic.
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

/** A business and mode with all dependencies of the server. */
export type Ctx = App &
  View & {
    reader: Database
    /** Runs `work` in one atomic transaction: if it throws, nothing is written. */
    write<T>(work: (work: Work) => Promise<T>): Promise<T>
    /** Runs reads in one snapshot: all see the data as committed when the first read began. */
    snapshot<T>(read: (view: View) => Promise<T>): Promise<T>
  }

/**
 * Returns a log for test mode that writes errors as warnings, because test keys simulate failures.
 */
const logOfTest = (log: Log): Log =>
  Object.create(log, {
    error: { value: (fields: object, message: string) => log.warn(fields, message) },
  })

/** Creates the context of a request or job. */
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

/**
 * Returns the context with its reads on another database, such as a replica. Writes stay on the
 * primary.
 */
export function readElsewhere(ctx: Ctx, reader: Database): Ctx {
  const { scope } = ctx
  const snapshot: Ctx['snapshot'] = (read) =>
    snapshotOf(reader, (tx) => read(inside(ctx, tx, scope)))
  return { ...ctx, ...readingOf(reader, scope), reader, snapshot }
}

type Offset = { offset_ms: bigint; emptied: number }

/** One row per requested business, by the same plan as `readByIds` (`db/table.ts`). */
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
 * Returns the scope of a job or command. Live data follow the machine's clock, test data the test
 * clock of their business.
 */
export async function scopeOf(
  app: Pick<App, 'clock' | 'prices' | 'db'>,
  businessId: Id,
  livemode: boolean,
): Promise<Scope> {
  return scopeWith(app, businessId, livemode, livemode ? null : await offsetOf(app.db, businessId))
}

/**
 * Returns the same scope inside a transaction. It reads the test clock on the transaction's
 * connection, because waiting for a second connection could deadlock the pool.
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
 * Returns the time from which waits for a rail are counted. The sandbox follows the test clock;
 * chains and banks follow the machine's. A replayed job with an earlier test time would otherwise
 * query the rail once for each wait until now.
 */
export async function railTime(ctx: Ctx, rail: string): Promise<Date> {
  const { businessId, livemode, now } = ctx.scope
  return rail === ctx.terms.test.sandbox.cards.name
    ? now
    : (await scopeOf(ctx, businessId, livemode)).now
}
