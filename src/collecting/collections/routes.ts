import { type Ctx, route } from '../../core/context.ts'
import type { Route } from '../../core/route.ts'
import { Body, Page, pageQuery } from '../../lib/schema.ts'
import { PaymentRecord } from '../payments/payments.ts'
import { cancel, create, get, list, paymentsOf, update } from './collections.ts'
import { CollectionChange, CollectionIn, CollectionParams, CollectionQuery, CollectionRecord } from './schema.ts'

const tag = 'Collections'

export const collectionRoutes: Route<Ctx>[] = [
  route({
    method: 'POST',
    path: '/collections',
    tag,
    summary: 'Make a reusable checkout link',
    description: 'Share its `checkout_url`: each use makes a payment.',
    status: 201,
    schema: { body: CollectionIn, data: CollectionRecord },
    handler: async (ctx, { body }) => ({ message: 'Collection created', data: await create(ctx, body) }),
  }),
  route({
    method: 'GET',
    path: '/collections',
    tag,
    summary: 'List collections',
    description: 'Newest first.',
    schema: { query: CollectionQuery, data: Page(CollectionRecord) },
    handler: async (ctx, { query }) => ({ message: 'Collections', data: await list(ctx, query) }),
  }),
  route({
    method: 'GET',
    path: '/collections/{id}',
    tag,
    summary: 'Get a collection',
    schema: { params: CollectionParams, data: CollectionRecord },
    handler: async (ctx, { params }) => ({ message: 'Collection', data: await get(ctx, params.id) }),
  }),
  route({
    method: 'PUT',
    path: '/collections/{id}',
    tag,
    summary: 'Change a collection',
    description: 'Only what is given changes. Payments that payers have opened stay as they are.',
    schema: { params: CollectionParams, body: CollectionChange, data: CollectionRecord },
    handler: async (ctx, { params, body }) => ({
      message: 'Collection changed',
      data: await update(ctx, params.id, body),
    }),
  }),
  route({
    method: 'POST',
    path: '/collections/{id}/cancel',
    tag,
    summary: 'Cancel a collection',
    description: 'For good. Payers who have begun to pay can finish.',
    schema: { params: CollectionParams, data: CollectionRecord },
    handler: async (ctx, { params }) => ({ message: 'Collection canceled', data: await cancel(ctx, params.id) }),
  }),
  route({
    method: 'GET',
    path: '/collections/{id}/payments',
    tag,
    summary: 'List the payments of a collection',
    description: 'Newest first.',
    schema: { params: CollectionParams, query: Body(pageQuery), data: Page(PaymentRecord) },
    handler: async (ctx, { params, query }) => ({ message: 'Payments', data: await paymentsOf(ctx, params.id, query) }),
  }),
]
