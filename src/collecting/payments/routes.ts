import { type Ctx, route } from '../../core/context.ts'
import type { Route } from '../../core/route.ts'
import { Page } from '../../lib/schema.ts'
import { cancel, create, get, getByReference, list } from './payments.ts'
import { PaymentIn, PaymentParams, PaymentQuery, PaymentRecord, PaymentReferenceParams } from './schema.ts'

const tag = 'Payments'

export const paymentRoutes: Route<Ctx>[] = [
  route({
    method: 'POST',
    path: '/payments',
    tag,
    summary: 'Open a payment',
    description: 'Send the payer to its `checkout_url`.',
    status: 201,
    schema: { body: PaymentIn, data: PaymentRecord },
    handler: async (ctx, { body }) => ({ message: 'Payment opened', data: await create(ctx, body) }),
  }),
  route({
    method: 'GET',
    path: '/payments',
    tag,
    summary: 'List payments',
    description: 'Newest first.',
    schema: { query: PaymentQuery, data: Page(PaymentRecord) },
    handler: async (ctx, { query }) => ({ message: 'Payments', data: await list(ctx, query) }),
  }),
  route({
    method: 'GET',
    path: '/payments/{id}',
    tag,
    summary: 'Get a payment',
    schema: { params: PaymentParams, data: PaymentRecord },
    handler: async (ctx, { params }) => ({ message: 'Payment', data: await get(ctx, params.id) }),
  }),
  route({
    method: 'GET',
    path: '/payments/reference/{reference}',
    tag,
    summary: 'Get a payment by its reference',
    schema: { params: PaymentReferenceParams, data: PaymentRecord },
    handler: async (ctx, { params }) => ({ message: 'Payment', data: await getByReference(ctx, params.reference) }),
  }),
  route({
    method: 'POST',
    path: '/payments/{id}/cancel',
    tag,
    summary: 'Cancel a pending payment',
    description: 'Money that still comes is booked, and marked late.',
    schema: { params: PaymentParams, data: PaymentRecord },
    handler: async (ctx, { params }) => ({ message: 'Payment canceled', data: await cancel(ctx, params.id) }),
  }),
]
