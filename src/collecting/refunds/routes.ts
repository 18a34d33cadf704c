import { type Route, readRoute, writeRoute } from '../../core/route.ts'
import { Page } from '../../lib/schema.ts'
import { create, get, list, prepare } from './refunds.ts'
import { RefundIn, RefundParams, RefundQuery, RefundRecord, SimulateRefundIn } from './schema.ts'
import { end, prepareEnd } from './settlement.ts'

const tag = 'Refunds'

export const refundRoutes: Route[] = [
  writeRoute({
    method: 'POST',
    path: '/refunds',
    tag,
    summary: 'Refund a payment',
    description: 'In whole or in part. The amount is held at once; one refund at a time a payment.',
    status: 201,
    schema: { body: RefundIn, data: RefundRecord },
    message: 'Refund initiated',
    prepare: (ctx, { body }) => prepare(ctx, body),
    run: create,
  }),
  readRoute({
    method: 'GET',
    path: '/refunds',
    tag,
    summary: 'List refunds',
    description: 'Newest first.',
    schema: { query: RefundQuery, data: Page(RefundRecord) },
    message: 'Refunds',
    read: (ctx, { query }) => list(ctx, query),
  }),
  readRoute({
    method: 'GET',
    path: '/refunds/{id}',
    tag,
    summary: 'Get a refund',
    schema: { params: RefundParams, data: RefundRecord },
    message: 'Refund',
    read: (ctx, { params }) => get(ctx, params.id),
  }),
  writeRoute({
    method: 'POST',
    path: '/refunds/{id}/simulate',
    tag,
    summary: 'End a test refund',
    mode: 'test',
    schema: { params: RefundParams, body: SimulateRefundIn, data: RefundRecord },
    message: 'Refund simulated',
    prepare: (ctx, { params, body }) => prepareEnd(ctx, params.id, body.outcome),
    run: end,
  }),
]
