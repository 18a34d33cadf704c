import { type Ctx, route } from '../../core/context.ts'
import type { Route } from '../../core/route.ts'
import { Page } from '../../lib/schema.ts'
import { create, get, list } from './refunds.ts'
import { RefundIn, RefundParams, RefundQuery, RefundRecord, SimulateRefundIn } from './schema.ts'
import { simulate } from './settlement.ts'

const tag = 'Refunds'

export const refundRoutes: Route<Ctx>[] = [
  route({
    method: 'POST',
    path: '/refunds',
    tag,
    summary: 'Refund a payment',
    description: 'In whole or in part. The amount is held at once; one refund at a time a payment.',
    status: 201,
    schema: { body: RefundIn, data: RefundRecord },
    handler: async (ctx, { body }) => ({ message: 'Refund initiated', data: await create(ctx, body) }),
  }),
  route({
    method: 'GET',
    path: '/refunds',
    tag,
    summary: 'List refunds',
    description: 'Newest first.',
    schema: { query: RefundQuery, data: Page(RefundRecord) },
    handler: async (ctx, { query }) => ({ message: 'Refunds', data: await list(ctx, query) }),
  }),
  route({
    method: 'GET',
    path: '/refunds/{id}',
    tag,
    summary: 'Get a refund',
    schema: { params: RefundParams, data: RefundRecord },
    handler: async (ctx, { params }) => ({ message: 'Refund', data: await get(ctx, params.id) }),
  }),
  route({
    method: 'POST',
    path: '/refunds/{id}/simulate',
    tag,
    summary: 'End a test refund',
    mode: 'test',
    schema: { params: RefundParams, body: SimulateRefundIn, data: RefundRecord },
    handler: async (ctx, { params, body }) => ({
      message: 'Refund simulated',
      data: await simulate(ctx, params.id, body.outcome),
    }),
  }),
]
