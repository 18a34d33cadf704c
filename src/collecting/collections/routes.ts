import { csvExport } from '../../books/profiles/profiles.ts'
import { named, routesOf } from '../../core/route.ts'
import { Body, Page, pageQuery } from '../../lib/schema.ts'
import { PaymentRecord } from '../payments/payments.ts'
import { cancel, create, get, list, paymentsOf, update } from './collections.ts'
import { collectionRefusals } from './refusals.ts'
import {
  CollectionChange,
  CollectionIn,
  CollectionParams,
  CollectionQuery,
  CollectionRecord,
  exported,
} from './schema.ts'

const route = routesOf('Collections', collectionRefusals)

export const collectionRoutes = named({
  createCollection: route.post('/collections', {
    scope: 'collect',
    summary: 'Make a reusable checkout link',
    description: 'Share its `checkout_url`: each use makes a payment.',
    status: 201,
    example: {
      name: 'School fees',
      description: 'First term',
      currency: 'ngn',
      amount: 5_000_000,
      max_payments: 200,
    },
    schema: { body: CollectionIn, data: CollectionRecord },
    refuses: ['invalid_redirect_url', 'rail_not_configured'],
    message: 'Collection created',
    run: (work, { body }) => create(work, body),
  }),
  listCollections: route.get('/collections', {
    scope: 'read',
    summary: 'List collections',
    description: 'Newest first.',
    schema: { query: CollectionQuery, data: Page(CollectionRecord) },
    message: 'Collections',
    read: (ctx, { query }) => list(ctx, query),
  }),
  exportCollections: route.get(
    '/collections/export',
    csvExport('collections', { query: CollectionQuery, columns: exported, list }),
  ),
  getCollection: route.get('/collections/{id}', {
    scope: 'read',
    summary: 'Get a collection',
    description: 'With what its payments have brought in so far.',
    schema: { params: CollectionParams, data: CollectionRecord },
    message: 'Collection',
    read: (ctx, { params }) => get(ctx, params.id),
  }),
  updateCollection: route.put('/collections/{id}', {
    scope: 'collect',
    summary: 'Change a collection',
    description: 'Only what is given changes. Payments that payers have opened stay as they are.',
    example: { name: 'School fees, second term', amount: 5_500_000 },
    schema: { params: CollectionParams, body: CollectionChange, data: CollectionRecord },
    refuses: ['collection_canceled', 'invalid_redirect_url'],
    message: 'Collection changed',
    run: (work, { params, body }) => update(work, params.id, body),
  }),
  cancelCollection: route.post('/collections/{id}/cancel', {
    scope: 'collect',
    allowedWhenStopped: true,
    summary: 'Cancel a collection',
    description: 'For good. Payers who have started to pay can finish.',
    schema: { params: CollectionParams, data: CollectionRecord },
    refuses: ['collection_canceled'],
    message: 'Collection canceled',
    run: (work, { params }) => cancel(work, params.id),
  }),
  listCollectionPayments: route.get('/collections/{id}/payments', {
    scope: 'read',
    summary: 'List the payments of a collection',
    description: 'Newest first.',
    schema: { params: CollectionParams, query: Body(pageQuery), data: Page(PaymentRecord) },
    message: 'Payments',
    read: (ctx, { params, query }) => paymentsOf(ctx, params.id, query),
  }),
})
