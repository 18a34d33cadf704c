/**
 * How a request to write is answered: prepared outside, then run in a transaction, at most once for
 * its Idempotency-Key; orders that may share a transaction, and come at the same time, do.
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

/**
 * Answers with the record that was written, or, for a request with a key, with what is kept of
 * that.
 */
export type Writer = (
  ctx: Ctx,
  input: RouteInput<RouteSchemas>,
  keyed: Keyed<unknown> | null,
) => Promise<{ data: unknown } | Finished>

/** A request whose order is known, or what it was refused with before there was one. */
type Prepared<Order> = WriteRequest<unknown> & { ctx: Ctx; order: Outcome<Order> }

/**
 * Makes the function that answers the requests of a route. It rejects with `overloaded` when too
 * many wait.
 */
export function writerOf<Order>(app: App, route: WriteRoute<RouteSchemas, Order>): Writer {
  const { secrets } = app
  const { prepare, run, together, mayShare = () => true } = route
  const beginsAnew = isRefusedWhenStopped(route)

  /**
   * Asks which of some businesses were stopped, as it stays until the commit. The question travels
   * with the statements that follow, so it is no wait of its own; the answer undoes what they have
   * done. Several that have one of them among them are run each alone.
   * @returns waits for the answer, for those that did not only get an answer that was kept; it
   * rejects with what is refused
   */
  const askStandings = (
    tx: Tx,
    requests: { scope: Scope }[],
  ): ((ran: { scope: Scope }[]) => Promise<void>) => {
    if (!beginsAnew) return async () => {}
    const businesses = requests.map(({ scope }) => scope.businessId)
    const asked = outcomeOf(() => standingsIn(tx, businesses))
    return async (ran) => {
      const stopped = answerOf(await asked)
      for (const { scope } of ran) requireActive({ stopped: stopped.get(scope.businessId) ?? null })
    }
  }

  /**
   * In a savepoint: a refusal undoes all it touched, and is kept by the commit that claimed the
   * key, so no duplicate can run in between.
   */
  const runAlone = (tx: Tx, { ctx, scope, order }: Prepared<Order>): Promise<Outcome<unknown>> =>
    outcomeOf(() => tx.savepoint(async () => run(inside(ctx, tx, scope), answerOf(order))))

  const runTogether = async (tx: Tx, requests: Prepared<Order>[]): Promise<Outcome<unknown>[]> => {
    const orders = requests.flatMap(({ order }) => ('answer' in order ? [order.answer] : []))
    const outcomes = (orders.length > 0 && together ? await together(tx, orders) : []).values()
    return requests.map(({ order }) =>
      'refusal' in order ? order : (outcomes.next().value as Outcome<unknown>),
    )
  }

  const commit = (requests: Prepared<Order>[]): Promise<Outcome<unknown | Finished>[]> =>
    transaction(app.db, async (tx) => {
      holdTestData(
        tx,
        requests.map(({ scope }) => scope),
      )
      const requireStandings = askStandings(tx, requests)
      const claims = await claimKeys(tx, requests, false)
      const outcomes = await runTogether(tx, claims.fresh)
      await requireStandings(claims.fresh)
      return keepAnswers(tx, secrets, requests, claims, outcomes)
    })

  const commitAlone = async (request: Prepared<Order>): Promise<unknown> => {
    const [outcome] = await transaction(app.db, async (tx) => {
      holdTestData(tx, [request.scope])
      const requireStandings = askStandings(tx, [request])
      const claims = await claimKeys(tx, [request], true)
      const outcomes = claims.fresh.length > 0 ? [await runAlone(tx, request)] : []
      for (const outcome of outcomes)
        if ('refusal' in outcome) await recordRefusal(tx, request.scope, outcome.refusal)
      await requireStandings(claims.fresh)
      return keepAnswers(tx, secrets, [request], claims, outcomes)
    })
    return answerOf(outcome as Outcome<unknown>)
  }

  // Those of one business contend for its wallets.
  const push = gather(commit, { groupOf: ({ scope }: Prepared<Order>) => scope.businessId })

  const write = async (
    ctx: Ctx,
    input: RouteInput<RouteSchemas>,
    keyed: Keyed<unknown> | null,
  ): Promise<unknown> => {
    const { scope } = ctx
    const stopped = beginsAnew && scope.stopped
    if (keyed && (stopped || (prepare && !together))) {
      const known = await findAnswer(ctx.reader, secrets, { scope, keyed })
      if (known) return answerOf(known)
    }
    if (stopped) requireActive(scope)
    const order = prepare ? await outcomeOf(() => prepare(ctx, input)) : { answer: input as Order }
    const request = { ctx, scope, keyed, order }
    // A refusal that is not kept would undo a batch; but the request may have been answered before,
    // when it could be prepared.
    const shares = together && ('answer' in order ? mayShare(order.answer) : isKept(order.refusal))
    if (keyed === null) {
      const ready = answerOf(order)
      if (shares) return push(request)
      const outcome = await outcomeOf(() =>
        ctx.write(async (work) => {
          const requireStandings = askStandings(work.tx, [work])
          const outcome = await outcomeOf(() => run(work, ready))
          await requireStandings([work])
          return answerOf(outcome)
        }),
      )
      // What it refused has undone all that it wrote. Who is refused is told so, whether or not it
      // can be counted.
      if ('refusal' in outcome) await recordRefusal(app.db, scope, outcome.refusal).catch(() => {})
      return answerOf(outcome)
    }
    if (!shares) return commitAlone(request)
    try {
      return await push(request)
    } catch (error) {
      // A refusal that is not kept yet was PostgreSQL's, which undid the claim with it: whoever was
      // quicker is seen now.
      if (!(error instanceof KeyBusy || isKept(error))) throw error
      return commitAlone(request)
    }
  }

  return async (ctx, input, keyed) => {
    const answer = await write(ctx, input, keyed)
    return keyed === null ? { data: answer } : (answer as Finished)
  }
}
