import { type Ctx, route } from '../../core/context.ts'
import type { Route } from '../../core/route.ts'
import { oneByOne } from '../../db/batch.ts'
import { Page } from '../../lib/schema.ts'
import { createMany } from './creation.ts'
import { cancel, get, list, prepare, prepareQuote } from './payouts.ts'
import { PayoutIn, PayoutQuery, PayoutRecord, QuoteIn, QuoteRecord, ReferenceParams, SimulateIn } from './schema.ts'
import { simulate } from './settlement.ts'

const tag = 'Payouts'

export const payoutRoutes: Route<Ctx>[] = [
  route({
    method: 'POST',
    path: '/payouts/quote',
    tag,
    summary: 'Quote a payout',
    description: 'What it would cost and what would arrive. Nothing is debited; the price holds for five minutes.',
    schema: { body: QuoteIn, data: QuoteRecord },
    batch: { message: 'Quote', prepare: (ctx, { body }) => prepareQuote(ctx, body), run: oneByOne },
  }),
  route({
    method: 'POST',
    path: '/payouts',
    tag,
    summary: 'Create a payout',
    description:
      'Moves the amount from available to pending and hands the payout to the rail. One payout per reference.',
    status: 201,
    schema: { body: PayoutIn, data: PayoutRecord },
    batch: { message: 'Payout created', prepare: (ctx, { body }) => prepare(ctx, body), run: createMany },
  }),
  route({
    method: 'GET',
    path: '/payouts',
    tag,
    summary: 'List payouts',
    description: 'Newest first.',
    schema: { query: PayoutQuery, data: Page(PayoutRecord) },
    handler: async (ctx, { query }) => ({ message: 'Payouts', data: await list(ctx, query) }),
  }),
  route({
    method: 'GET',
    path: '/payouts/{reference}',
    tag,
    summary: 'Get a payout by its reference',
    schema: { params: ReferenceParams, data: PayoutRecord },
    handler: async (ctx, { params }) => ({ message: 'Payout', data: await get(ctx, params.reference) }),
  }),
  route({
    method: 'POST',
    path: '/payouts/{reference}/cancel',
    tag,
    summary: 'Cancel a pending payout',
    description: 'Possible until the rail is asked. The amount is available again.',
    schema: { params: ReferenceParams, data: PayoutRecord },
    handler: async (ctx, { params }) => ({ message: 'Payout canceled', data: await cancel(ctx, params.reference) }),
  }),
  route({
    method: 'POST',
    path: '/payouts/{reference}/simulate',
    tag,
    summary: 'End a test payout',
    mode: 'test',
    schema: { params: ReferenceParams, body: SimulateIn, data: PayoutRecord },
    handler: async (ctx, { params, body }) => ({
      message: 'Payout simulated',
      data: await simulate(ctx, params.reference, body.outcome, body.failure_reason ?? null),
    }),
  }),
]
