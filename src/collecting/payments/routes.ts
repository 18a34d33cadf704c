import { type Route, readRoute, writeRoute } from '../../core/route.ts'
import { Page } from '../../lib/schema.ts'
import { cancel, create, get, getByReference, list } from './payments.ts'
import { PaymentIn, PaymentParams, PaymentQuery, PaymentRecord, PaymentReferenceParams } from './schema.ts'

const tag = 'Payments'

export const paymentRoutes: Route[] = [
  writeRoute({
    method: 'POST',
    path: '/payments',
    tag,
    summary: 'Open a payment',
    description: 'Send the payer to its `checkout_url`.',
    status: 201,
    schema: { body: PaymentIn, data: PaymentRecord },
    message: 'Payment opened',
    run: (work, { body }) => create(work, body),
  }),
  readRoute({
    method: 'GET',
    path: '/payments',
    tag,
    summary: 'List payments',
    description: 'Newest first.',
    schema: { query: PaymentQuery, data: Page(PaymentRecord) },
    message: 'Payments',
    read: (ctx, { query }) => list(ctx, query),
  }),
  readRoute({
    method: 'GET',
    path: '/payments/{id}',
    tag,
    summary: 'Get a payment',
    schema: { params: PaymentParams, data: PaymentRecord },
    message: 'Payment',
    read: (ctx, { params }) => get(ctx, params.id),
  }),
  readRoute({
    method: 'GET',
    path: '/payments/reference/{reference}',
    tag,
    summary: 'Get a payment by its reference',
    schema: { params: PaymentReferenceParams, data: PaymentRecord },
    message: 'Payment',
    read: (ctx, { params }) => getByReference(ctx, params.reference),
  }),
  writeRoute({
    method: 'POST',
    path: '/payments/{id}/cancel',
    tag,
    summary: 'Cancel a pending payment',
    description: 'Money that still comes is booked, and marked late.',
    schema: { params: PaymentParams, data: PaymentRecord },
    message: 'Payment canceled',
    run: (work, { params }) => cancel(work, params.id),
  }),
]
