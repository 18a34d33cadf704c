import { csvExport } from '../../books/profiles/profiles.ts'
import { named, routesOf } from '../../core/route.ts'
import { Page } from '../../lib/schema.ts'
import { payingCodes } from '../../platform/destinations/destinations.ts'
import { create, get, list, prepare } from './refunds.ts'
import { refundRefusals } from './refusals.ts'
import {
  exported,
  RefundIn,
  RefundParams,
  RefundQuery,
  RefundRecord,
  SimulateRefundIn,
} from './schema.ts'
import { applySimulatedEnd, prepareSimulatedEnd } from './settlement.ts'

const route = routesOf('Refunds', refundRefusals)

export const refundRoutes = named({
  createRefund: route.post('/refunds', {
    scope: 'refund',
    summary: 'Refund a payment',
    description:
      'In whole or in part. The amount is held at once; one refund at a time a payment. To a `destination` that the money did not come from it goes by a payout, which limits, approval, beneficiaries and screening hold for as for any, and needs the scope `refund_elsewhere`.',
    status: 201,
    example: {
      payment: '6925f3a1c0ffee00c0ffee01',
      amount: 250_000,
      reason: 'One shoe was missing',
      reference: 'refund-0001',
    },
    schema: { body: RefundIn, data: RefundRecord },
    refuses: [
      ...payingCodes,
      'not_found',
      'payment_not_refundable',
      'refund_too_large',
      'refund_in_progress',
      'destination_required',
      'insufficient_funds',
      'duplicate_reference',
      'destination_not_allowed',
      'beneficiary_cooling_off',
      'operator_limit_exceeded',
      'limit_exceeded',
      'exchange_limit_exceeded',
      'amount_too_small',
      'unsupported_currency',
    ],
    message: 'Refund initiated',
    prepare: (ctx, { body }) => prepare(ctx, body),
    run: create,
  }),
  listRefunds: route.get('/refunds', {
    scope: 'read',
    summary: 'List refunds',
    description: 'Newest first.',
    schema: { query: RefundQuery, data: Page(RefundRecord) },
    message: 'Refunds',
    read: (ctx, { query }) => list(ctx, query),
  }),
  exportRefunds: route.get(
    '/refunds/export',
    csvExport('refunds', { query: RefundQuery, columns: exported, list }),
  ),
  getRefund: route.get('/refunds/{id}', {
    scope: 'read',
    summary: 'Get a refund',
    description: 'As it stands now: `initiated` until the rail says how it ended.',
    schema: { params: RefundParams, data: RefundRecord },
    message: 'Refund',
    read: (ctx, { params }) => get(ctx, params.id),
  }),
  simulateRefund: route.post('/refunds/{id}/simulate', {
    scope: 'refund',
    allowedWhenStopped: true,
    summary: 'End a test refund',
    description:
      'As if the rail had said so. `returned` is for a refund that is completed: its rail takes that back, and it is `failed`.',
    mode: 'test',
    example: { outcome: 'completed' },
    schema: { params: RefundParams, body: SimulateRefundIn, data: RefundRecord },
    refuses: [
      'refund_already_final',
      'refund_not_completed',
      'refund_not_simulated',
      'refund_under_review',
      'amount_too_large',
    ],
    message: 'Refund simulated',
    prepare: (ctx, { params, body }) => prepareSimulatedEnd(ctx, params.id, body.outcome),
    run: applySimulatedEnd,
  }),
})
