/**
 * What the types forbid: `npm run types` fails when a line that is marked here would compile.
 * Nothing of it runs.
 */
import type { Facts } from '../src/core/app.ts'
import type { View, Work } from '../src/core/inside.ts'
import type { Ctx } from '../src/core/outside.ts'
import { routesOf } from '../src/core/route.ts'
import type { OwnStatement, Statement, Tx } from '../src/db/db.ts'
import { Body, Text } from '../src/lib/schema.ts'

/** From inside a transaction nobody can be asked, and no other transaction can be opened. */
export const outOfReach = (work: Work) => [
  // @ts-expect-error
  work.rails,
  // @ts-expect-error
  work.clock,
  // @ts-expect-error
  work.db,
  // @ts-expect-error
  work.write,
  // @ts-expect-error
  work.snapshot,
  // @ts-expect-error
  work.tx.pool,
  // @ts-expect-error
  work.tx.query,
  // @ts-expect-error
  work.reader.pool,
]

/** What is known of a rail is data, which cannot be asked either. */
export const askingTerms = ({ terms }: Facts) => [
  // @ts-expect-error
  terms.test.accounts.sandbox?.ports.payout?.send,
  // @ts-expect-error
  terms.test.accounts.sandbox?.ports.lookup,
  // @ts-expect-error
  terms.test.sandbox.cards.charge,
  // @ts-expect-error
  terms.test.accounts.sandbox?.check,
  // @ts-expect-error
  terms.test.addresses?.address,
  // @ts-expect-error
  terms.chains.live.base?.ask,
]

/** Outside of a transaction there is none. */
export const noTransaction = (ctx: Ctx, view: View) => [
  // @ts-expect-error
  ctx.tx,
  // @ts-expect-error
  ctx.afterCommit,
  // @ts-expect-error
  view.tx,
  // @ts-expect-error
  view.rails,
]

/** Who is outside cannot pass for who is inside, nor the reverse; both can read. */
export function takenFor(
  { ctx, work, view }: { ctx: Ctx; work: Work; view: View },
  {
    inside,
    outside,
    either,
  }: { inside(work: Work): void; outside(ctx: Ctx): void; either(view: View): void },
): void {
  either(ctx)
  either(work)
  inside(work)
  outside(ctx)
  // @ts-expect-error
  inside(ctx)
  // @ts-expect-error
  inside(view)
  // @ts-expect-error
  outside(work)
  // @ts-expect-error
  outside(view)
  // @ts-expect-error
  inside({ ...ctx, tx: work.tx })
}

/**
 * A statement of one business and mode is run by whoever has a scope; one of many, on the pool or
 * the transaction.
 */
export const runOn = (
  { ctx, work, tx }: { ctx: Ctx; work: Work; tx: Tx },
  own: OwnStatement<{ id: string }>,
  ofMany: Statement<{ id: string }>,
) => [
  ctx.rows(own),
  work.row(own),
  tx.rows(ofMany),
  ctx.db.row(ofMany),
  // @ts-expect-error
  tx.rows(own),
  // @ts-expect-error
  tx.row(own),
  // @ts-expect-error
  ctx.db.rows(own),
  // @ts-expect-error
  work.reader.rows(own),
  // @ts-expect-error
  work.rows(ofMany),
  // @ts-expect-error
  ctx.row(ofMany),
]

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false

const route = routesOf('Notes')
const head = {
  scope: 'manage',
  summary: 'Write a note',
  message: 'Note',
  schema: { body: Body({ note: Text(1, 10) }), data: Body({ note: Text(1, 10) }) },
} as const

/** What a route does, it does inside; what it prepares, outside. */
export const routes = [
  route.post('/notes', {
    ...head,
    prepare: async (ctx, { body }) => {
      const outside: Same<typeof ctx, Ctx> = true
      return { outside, note: body.note }
    },
    run: async (work, order) => {
      const inside: Same<typeof work, Work> = true
      return { note: `${inside} ${order.note}` }
    },
  }),
  route.post('/notes', {
    ...head,
    // @ts-expect-error
    run: async (_ctx: Ctx) => ({ note: 'never' }),
  }),
  route.post('/notes', {
    ...head,
    // @ts-expect-error
    prepare: async (_work: Work) => 'never',
    run: async () => ({ note: 'never' }),
  }),
]
