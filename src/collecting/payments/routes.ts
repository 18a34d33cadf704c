import { exportList } from '../../books/profiles/profiles.ts'
import { type Route, routesOf } from '../../core/route.ts'
import { CsvFile, Page } from '../../lib/schema.ts'
import { cancel, create, get, getByReference, list } from './payments.ts'
import { paymentRefusals } from './refusals.ts'
import {
  exported,
  PaymentExportQuery,
  PaymentIn,
  PaymentParams,
  PaymentQuery,
  PaymentRecord,
  PaymentReferenceParams,
} from './schema.ts'

const route = routesOf('Payments', paymentRefusals)

export const paymentRoutes: Route[] = [
  route.post('/payments', {
    id: 'createPayment',
    summary: 'Open a payment',
    description: 'Send the payer to its `checkout_url`.',
    status: 201,
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
  route.get('/payments', {
    id: 'listPayments',
    summary: 'List payments',
    description: 'Newest first.',
    schema: { query: PaymentQuery, data: Page(PaymentRecord) },
    message: 'Payments',
    read: (ctx, { query }) => list(ctx, query),
  }),
  route.get('/payments/export', {
    id: 'exportPayments',
    summary: 'Export payments as CSV',
    description:
      'What the list gives for the same filters, newest first: amounts in minor and in major units, times in UTC and in your business’s time zone.',
    file: { contentType: 'text/csv; charset=utf-8', name: 'payments.csv' },
    schema: { query: PaymentExportQuery, data: CsvFile },
    message: 'Payments',
    read: (ctx, { query }) => exportList(ctx, exported, query, list),
  }),
  route.get('/payments/{id}', {
    id: 'getPayment',
    summary: 'Get a payment',
    description: 'As it stands now. Ask this when the payer comes back to your page.',
    schema: { params: PaymentParams, data: PaymentRecord },
    message: 'Payment',
    read: (ctx, { params }) => get(ctx, params.id),
  }),
  route.get('/payments/reference/{reference}', {
    id: 'getPaymentByReference',
    summary: 'Get a payment by its reference',
    description: 'By your own id, which you need not store ours for.',
    schema: { params: PaymentReferenceParams, data: PaymentRecord },
    message: 'Payment',
    read: (ctx, { params }) => getByReference(ctx, params.reference),
  }),
  route.post('/payments/{id}/cancel', {
    id: 'cancelPayment',
    summary: 'Cancel a pending payment',
    description: 'Money that still comes is booked, and marked late.',
    schema: { params: PaymentParams, data: PaymentRecord },
    refuses: ['payment_of_invoice', 'payment_not_pending', 'payment_processing'],
    message: 'Payment canceled',
    run: (work, { params }) => cancel(work, params.id),
  }),
]
