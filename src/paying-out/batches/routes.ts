import { named, routesOf } from '../../core/route.ts'
import { Page } from '../../lib/schema.ts'
import { cancel, confirm, create, get, list } from './batches.ts'
import { listLines } from './lines.ts'
import { ordersOf } from './pain001-out.ts'
import { batchRefusals } from './refusals.ts'
import { retry } from './retrying.ts'
import * as schemas from './schema.ts'

const route = routesOf('Payouts', batchRefusals)

export const batchRoutes = named({
  createPayoutBatch: route.post('/payouts/batch', {
    scope: 'payout',
    summary: 'Make payouts in a batch',
    description:
      'Up to 10,000, checked before any is made: a line that cannot be paid stops the batch, or is left out with `skip_bad`. They are ordinary payouts, made by and by: `GET /payout-batches/{id}` says how far it is. With `dry_run` it is a draft, which names each bad line and waits to be confirmed.',
    status: 201,
    example: {
      reference: 'wages-2026-11',
      currency: 'ngn',
      dry_run: true,
      lines: [
        { amount: 5_000_000, destination: { bank_code: '058', account_number: '0123456789' } },
        {
          reference: 'bonus-1',
          amount: 100_000,
          destination: { bank_code: '058', account_number: '0123456789' },
        },
      ],
    },
    schema: { body: schemas.BatchIn, data: schemas.BatchRecord },
    refuses: [
      'duplicate_reference',
      'batch_has_bad_lines',
      'insufficient_funds',
      'amount_too_large',
    ],
    message: 'Batch created',
    run: (work, { body }) => create(work, body),
  }),
  listPayoutBatches: route.get('/payout-batches', {
    scope: 'read',
    summary: 'List batches of payouts',
    description: 'Newest first.',
    schema: { query: schemas.BatchQuery, data: Page(schemas.BatchRecord) },
    message: 'Batches',
    read: (ctx, { query }) => list(ctx, query),
  }),
  getPayoutBatch: route.get('/payout-batches/{id}', {
    scope: 'read',
    summary: 'Get a batch of payouts',
    description: 'How many lines stand where, and how many of its payouts.',
    schema: { params: schemas.BatchParams, data: schemas.BatchRecord },
    message: 'Batch',
    read: (ctx, { params }) => get(ctx, params.id),
  }),
  listPayoutBatchLines: route.get('/payout-batches/{id}/lines', {
    scope: 'read',
    summary: 'List the lines of a batch',
    description:
      'In their order: whom each pays, and which payout it has become, or why it has not.',
    schema: {
      params: schemas.BatchParams,
      query: schemas.LinesQuery,
      data: Page(schemas.LineRecord),
    },
    message: 'Lines',
    read: (ctx, { params, query }) => listLines(ctx, params.id, query),
  }),
  exportPayoutBatch: route.get('/payout-batches/{id}/pain001', {
    scope: 'read',
    summary: 'Export a batch for a bank',
    description:
      'The lines that are not paid here, as payment orders of ISO 20022 (`pain.001.001.09`). Cancel a draft first, so that it cannot be confirmed here too.',
    file: { contentType: 'text/xml; charset=utf-8', name: 'payments.xml' },
    schema: {
      params: schemas.BatchParams,
      query: schemas.OrdersQuery,
      data: schemas.OrdersFile,
    },
    refuses: ['batch_not_exportable'],
    message: 'Payments',
    read: (ctx, { params, query }) => ordersOf(ctx, params.id, query),
  }),
  confirmPayoutBatch: route.post('/payout-batches/{id}/confirm', {
    scope: 'payout',
    summary: 'Confirm a draft of a batch',
    description: 'Has its payouts made, by who confirms it.',
    example: { skip_bad: true },
    schema: { params: schemas.BatchParams, body: schemas.ConfirmIn, data: schemas.BatchRecord },
    refuses: ['batch_not_draft', 'batch_has_bad_lines', 'insufficient_funds'],
    message: 'Batch confirmed',
    run: (work, { params, body }) => confirm(work, params.id, body),
  }),
  retryPayoutBatch: route.post('/payout-batches/{id}/retry', {
    scope: 'payout',
    summary: 'Pay again what failed of a batch',
    description:
      'Makes a draft of the lines that were refused, or whose payout failed, came back or was not approved in time. It pays nobody before you confirm it. A line is in one such batch at a time.',
    status: 201,
    example: { reference: 'wages-2026-11-again' },
    schema: { params: schemas.BatchParams, body: schemas.RetryIn, data: schemas.BatchRecord },
    refuses: ['batch_not_retriable', 'duplicate_reference'],
    message: 'Draft created',
    run: (work, { params, body }) => retry(work, params.id, body),
  }),
  cancelPayoutBatch: route.post('/payout-batches/{id}/cancel', {
    scope: 'payout',
    allowedWhenStopped: true,
    summary: 'Cancel remaining lines of a batch',
    description:
      'No more payouts are made of it. Those that were made stay, and can be canceled each while it is pending.',
    schema: { params: schemas.BatchParams, data: schemas.BatchRecord },
    refuses: ['batch_over'],
    message: 'Batch canceled',
    run: (work, { params }) => cancel(work, params.id),
  }),
})
