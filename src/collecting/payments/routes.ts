import { csvExport } from '../../books/profiles/profiles.ts'
import { named, routesOf } from '../../core/route.ts'
import { Page } from '../../lib/schema.ts'
import { cancel, create, get, getByReference, list } from './payments.ts'
import { paymentRefusals } from './refusals.ts'
import {
  exported,
  PaymentIn,
  PaymentParams,
  PaymentQuery,
  PaymentRecord,
  PaymentReferenceParams,
} from './schema.ts'

const route = routesOf('Payments', paymentRefusals)

export const paymentRoutes = named({
  createPayment: route.post('/payments', {
    scope: 'collect',
    summary: 'Open a payment',
    description: 'Send the payer to its `checkout_url`.',
    status: 201,
    example: {
      reference: 'order-0001',
      amount: 1_250_000,
      currency: 'ngn',
      email: 'ada@example.com',
      description: 'Running shoes',
      redirect_url: 'https://shop.example/thanks',
      metadata: { cart: '8121' },
    },
    schema: { body: PaymentIn, data: PaymentRecord },
    refuses: [
      'duplicate_reference',
      'customer_not_found',
      'invalid_redirect_url',
      'rail_not_configured',
      'amount_too_large',
    ],
    message: 'Payment opened',
    run: (work, { body }) => create(work, body),
  }),
  listPayments: route.get('/payments', {
    scope: 'read',
    summary: 'List payments',
    description: 'Newest first.',
    schema: { query: PaymentQuery, data: Page(PaymentRecord) },
    message: 'Payments',
    read: (ctx, { query }) => list(ctx, query),
  }),
  exportPayments: route.get(
    '/payments/export',
    csvExport('payments', { query: PaymentQuery, columns: exported, list }),
  ),
  getPayment: route.get('/payments/{id}', {
    scope: 'read',
    summary: 'Get a payment',
    description: 'As it stands now. Ask this when the payer comes back to your page.',
    schema: { params: PaymentParams, data: PaymentRecord },
    message: 'Payment',
    read: (ctx, { params }) => get(ctx, params.id),
  }),
  getPaymentByReference: route.get('/payments/reference/{reference}', {
    scope: 'read',
    summary: 'Get a payment by its reference',
    description: 'By your own id, which you need not store ours for.',
    schema: { params: PaymentReferenceParams, data: PaymentRecord },
    message: 'Payment',
    read: (ctx, { params }) => getByReference(ctx, params.reference),
  }),
  cancelPayment: route.post('/payments/{id}/cancel', {
    scope: 'collect',
    allowedWhenStopped: true,
    summary: 'Cancel a pending payment',
    description: 'Money that still comes is booked, and marked late.',
    schema: { params: PaymentParams, data: PaymentRecord },
    refuses: ['payment_of_invoice', 'payment_not_pending', 'payment_processing'],
    message: 'Payment canceled',
    run: (work, { params }) => cancel(work, params.id),
  }),
})
