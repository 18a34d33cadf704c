/**
 * Requests of one route that share their database transactions, those with an Idempotency-Key among them.
 */
import type { App, Ctx } from '../context.ts'
import { gather } from '../db/batch.ts'
import { type Tx, transaction } from '../db/db.ts'
import type { Outcome } from '../lib/errors.ts'
import type { Answer, Batch, RouteInput, RouteSchemas } from '../lib/route.ts'
import { type Asked, type Finished, isKept, type Keyed, onceEach } from './idempotency.ts'

/** How a request is answered: with what its route says, or, for one with a key, with what is kept of that. */
export type Answering = (
  ctx: Ctx,
  input: RouteInput<RouteSchemas>,
  keyed: Keyed<Answer<unknown>> | null,
) => Promise<Answer<unknown> | Finished>

/** Makes the function that answers the requests of a route, in batches. It rejects with `overloaded` when too many wait. */
export function batched<Order>(app: App, { message, prepare, run }: Batch<Ctx, RouteSchemas, Order>): Answering {
  const sealKey = app.config.SECRETS_KEY as Buffer
  const runPrepared = async (tx: Tx, all: Outcome<Order>[]): Promise<Outcome<Answer<unknown>>[]> => {
    const orders = all.flatMap((one) => ('answer' in one ? [one.answer] : []))
    const outcomes = (orders.length > 0 ? await run(tx, orders) : []).values()
    return all.map((one) => {
      const outcome = 'refusal' in one ? one : (outcomes.next().value as Outcome<unknown>)
      return 'refusal' in outcome ? outcome : { answer: { message, data: outcome.answer } }
    })
  }
  const push = gather(
    (asked: Asked<Outcome<Order>, Answer<unknown>>[]) =>
      transaction(app.db, (tx) => onceEach(tx, sealKey, asked, (all) => runPrepared(tx, all))),
    // Those of one business contend for its wallets.
    { groupOf: ({ scope }) => scope.businessId },
  )
  return async (ctx, input, keyed) => {
    let order: Outcome<Order>
    try {
      order = { answer: await prepare(ctx, input) }
    } catch (refusal) {
      // One with a key may have been answered before; else its refusal is kept.
      if (keyed === null || !isKept(refusal)) throw refusal
      order = { refusal }
    }
    return push({ scope: ctx.scope, order, keyed })
  }
}
