/**
 * Requests of one route that share their database transactions, those with an Idempotency-Key among them.
 */
import type { App, Ctx } from '../../core/context.ts'
import type { Answer, Batch, RouteInput, RouteSchemas } from '../../core/route.ts'
import { gather } from '../../db/batch.ts'
import { type Tx, transaction } from '../../db/db.ts'
import { answerOf, type Outcome, outcomeOf } from '../../lib/errors.ts'
import { type Asked, type Finished, isKept, KeyBusy, type Keyed, onceEach } from './idempotency.ts'

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
  type One = Asked<Outcome<Order>, Answer<unknown>>
  const runOnce = (asked: One[], wait: boolean) =>
    transaction(app.db, (tx) => onceEach(tx, sealKey, asked, wait, (all) => runPrepared(tx, all)))
  // Those of one business contend for its wallets.
  const push = gather((asked: One[]) => runOnce(asked, false), { groupOf: ({ scope }) => scope.businessId })
  return async (ctx, input, keyed) => {
    const { scope } = ctx
    const order = await outcomeOf(() => prepare(ctx, input))
    if (keyed === null) return push({ scope, order: { answer: answerOf(order) }, keyed })
    const one: One = { scope, order, keyed }
    const alone = async () => answerOf((await runOnce([one], true))[0] as Outcome<Finished>)
    // What is not kept would undo a batch; but the request may have been answered before, when it could be prepared.
    if ('refusal' in order && !isKept(order.refusal)) return alone()
    try {
      return await push(one)
    } catch (error) {
      // A refusal that is not kept yet was PostgreSQL's, which undid the claim with it: whoever was quicker is seen now.
      if (!(error instanceof KeyBusy || isKept(error))) throw error
      return alone()
    }
  }
}
