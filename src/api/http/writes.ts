/**
 * Answers write requests: prepares outside of a transaction, then runs inside one, at most once for
 * an `Idempotency-Key`. Concurrent orders of one route share a transaction where they may.
 */
import { requireActive, standingsIn } from '../../books/businesses/businesses.ts'
import type { App, Scope } from '../../core/app.ts'
import { inside } from '../../core/inside.ts'
import type { Ctx } from '../../core/outside.ts'
import type { RouteInput, RouteSchemas, WriteRoute } from '../../core/route.ts'
import { holdTestData } from '../../core/test-data.ts'
import { gather } from '../../db/batch.ts'
import { type Tx, transaction } from '../../db/db.ts'
import { answerOf, type Outcome, outcomeOf } from '../../lib/errors.ts'
import { recordRefusal } from '../../paying-out/limits/limits.ts'
import {
  claimKeys,
  type Finished,
  findAnswer,
  isKept,
  KeyBusy,
  type Keyed,
  keepAnswers,
  type WriteRequest,
} from './idempotency.ts'
import { isRefusedWhenStopped } from './scopes.ts'

/** Returns the written record; for a request with a key, the stored answer. */
export type Writer = (
  ctx: Ctx,
  input: RouteInput<RouteSchemas>,
  keyed: Keyed<unknown> | null,
) => Promise<{ data: unknown } | Finished>

/** A prepared request: its order, or the refusal of `prepare`. */
type Prepared<Order> = WriteRequest<unknown> & { ctx: Ctx; order: Outcome<Order> }

/** A route of a process, with the queue of its orders that share transactions. */
type Writing<Order> = {
  app: App
  route: WriteRoute<RouteSchemas, Order>
  push(request: Prepared<Order>): Promise<unknown>
}

/**
 * Makes the function that answers the requests of a route. It rejects with `overloaded` when too
 * many wait.
 */
export function writerOf<Order>(app: App, route: WriteRoute<RouteSchemas, Order>): Writer {
  // Orders of one business contend for its wallets.
  const push = gather((requests: Prepared<Order>[]) => commitTogether(app, route, requests), {
    groupOf: ({ scope }) => scope.businessId,
  })
  const writing = { app, route, push }
  return async (ctx, input, keyed) => {
    const stored = await findStoredAnswer(writing, ctx, keyed)
    if (stored) return answerOf(stored) as Finished
    if (isRefusedWhenStopped(route)) requireActive(ctx.scope)
    const { prepare } = route
    const order = prepare ? await outcomeOf(() => prepare(ctx, input)) : { answer: input as Order }
    const request = { ctx, scope: ctx.scope, keyed, order }
    if (keyed === null) return { data: await writeWithoutKey(writing, request) }
    return (await writeWithKey(writing, request)) as Finished
  }
}

/** Finds the answer of a repeated request that must not be prepared again. */
async function findStoredAnswer<Order>(
  { app, route }: Writing<Order>,
  ctx: Ctx,
  keyed: Keyed<unknown> | null,
) {
  const isStopped = isRefusedWhenStopped(route) && ctx.scope.stopped
  const isPreparedAlone = route.prepare && !route.together
  if (!keyed || !(isStopped || isPreparedAlone)) return null
  return findAnswer(ctx.reader, app.secrets, { scope: ctx.scope, keyed })
}

/**
 * Whether a request may share a transaction. A refusal that is not stored would undo the batch; but
 * the request may have been answered before, when it could be prepared.
 */
function mayShare<Order>(
  { together, mayShare: mayShareOrder = () => true }: WriteRoute<RouteSchemas, Order>,
  { order }: Prepared<Order>,
): boolean {
  if (!together) return false
  return 'answer' in order ? mayShareOrder(order.answer) : isKept(order.refusal)
}

async function writeWithoutKey<Order>(
  { app, route, push }: Writing<Order>,
  request: Prepared<Order>,
): Promise<unknown> {
  const { ctx, scope } = request
  const order = answerOf(request.order)
  if (mayShare(route, request)) return push(request)
  const outcome = await outcomeOf(() =>
    ctx.write(async (work) => {
      const requireStandings = askStandings(work.tx, route, [work])
      const outcome = await outcomeOf(() => route.run(work, order))
      await requireStandings([work])
      return answerOf(outcome)
    }),
  )
  // The refusal rolled everything back. The client gets it even if it cannot be counted.
  if ('refusal' in outcome) await recordRefusal(app.db, scope, outcome.refusal).catch(() => {})
  return answerOf(outcome)
}

async function writeWithKey<Order>(
  { app, route, push }: Writing<Order>,
  request: Prepared<Order>,
): Promise<unknown> {
  if (!mayShare(route, request)) return commitAlone(app, route, request)
  try {
    return await push(request)
  } catch (error) {
    // A refusal by PostgreSQL is not stored and undid the claim of the key: another request may
    // have claimed it since.
    if (!(error instanceof KeyBusy || isKept(error))) throw error
    return commitAlone(app, route, request)
  }
}

/** Commits requests that share a transaction. */
const commitTogether = <Order>(
  app: App,
  route: WriteRoute<RouteSchemas, Order>,
  requests: Prepared<Order>[],
): Promise<Outcome<unknown | Finished>[]> =>
  transaction(app.db, async (tx) => {
    const scopes = requests.map(({ scope }) => scope)
    holdTestData(tx, scopes)
    const requireStandings = askStandings(tx, route, requests)
    const claims = await claimKeys(tx, requests, false)
    const outcomes = await runTogether(tx, route, claims.fresh)
    await requireStandings(claims.fresh)
    return keepAnswers(tx, app.secrets, requests, claims, outcomes)
  })

async function runTogether<Order>(
  tx: Tx,
  { together }: WriteRoute<RouteSchemas, Order>,
  requests: Prepared<Order>[],
): Promise<Outcome<unknown>[]> {
  const orders = requests.flatMap(({ order }) => ('answer' in order ? [order.answer] : []))
  const outcomes = (orders.length > 0 && together ? await together(tx, orders) : []).values()
  return requests.map(({ order }) =>
    'refusal' in order ? order : (outcomes.next().value as Outcome<unknown>),
  )
}

/** Commits one request with a key in a transaction of its own. */
async function commitAlone<Order>(
  app: App,
  route: WriteRoute<RouteSchemas, Order>,
  request: Prepared<Order>,
): Promise<unknown> {
  const [outcome] = await transaction(app.db, async (tx) => {
    holdTestData(tx, [request.scope])
    const requireStandings = askStandings(tx, route, [request])
    const claims = await claimKeys(tx, [request], true)
    const outcomes = claims.fresh.length > 0 ? [await runAlone(tx, route, request)] : []
    for (const outcome of outcomes)
      if ('refusal' in outcome) await recordRefusal(tx, request.scope, outcome.refusal)
    await requireStandings(claims.fresh)
    return keepAnswers(tx, app.secrets, [request], claims, outcomes)
  })
  return answerOf(outcome as Outcome<unknown>)
}

/**
 * Runs a request in a savepoint. A refusal undoes all that the order wrote, and is stored by the
 * commit that claimed the key, so that no duplicate can run in between.
 */
const runAlone = <Order>(
  tx: Tx,
  { run }: WriteRoute<RouteSchemas, Order>,
  { ctx, scope, order }: Prepared<Order>,
): Promise<Outcome<unknown>> =>
  outcomeOf(() => tx.savepoint(async () => run(inside(ctx, tx, scope), answerOf(order))))

/**
 * Queries which of some businesses are stopped, as it stays until the commit. The query travels
 * with the statements that follow, so it adds no round trip.
 * @returns waits for the answer and rejects if a business of the requests that ran is stopped. A
 * rejected batch is rolled back, and each request then runs alone
 */
function askStandings<Order>(
  tx: Tx,
  route: WriteRoute<RouteSchemas, Order>,
  requests: { scope: Scope }[],
): (ran: { scope: Scope }[]) => Promise<void> {
  if (!isRefusedWhenStopped(route)) return async () => {}
  const businesses = requests.map(({ scope }) => scope.businessId)
  const asked = outcomeOf(() => standingsIn(tx, businesses))
  return async (ran) => {
    const stopped = answerOf(await asked)
    for (const { scope } of ran) requireActive({ stopped: stopped.get(scope.businessId) ?? null })
  }
}
