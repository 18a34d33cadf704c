import { type Ctx, route } from '../../core/context.ts'
import type { Route } from '../../core/route.ts'
import { Page } from '../../lib/schema.ts'
import { create, get, list, setActive, update } from './products.ts'
import { ProductChange, ProductIn, ProductParams, ProductQuery, ProductRecord } from './schema.ts'

const tag = 'Products'

export const productRoutes: Route<Ctx>[] = [
  route({
    method: 'POST',
    path: '/products',
    tag,
    summary: 'Add a product',
    status: 201,
    schema: { body: ProductIn, data: ProductRecord },
    handler: async (ctx, { body }) => ({ message: 'Product created', data: await create(ctx, body) }),
  }),
  route({
    method: 'GET',
    path: '/products',
    tag,
    summary: 'List products',
    description: 'Newest first.',
    schema: { query: ProductQuery, data: Page(ProductRecord) },
    handler: async (ctx, { query }) => ({ message: 'Products', data: await list(ctx, query) }),
  }),
  route({
    method: 'GET',
    path: '/products/{id}',
    tag,
    summary: 'Get a product',
    schema: { params: ProductParams, data: ProductRecord },
    handler: async (ctx, { params }) => ({ message: 'Product', data: await get(ctx, params.id) }),
  }),
  route({
    method: 'PUT',
    path: '/products/{id}',
    tag,
    summary: 'Change a product',
    description: 'Only what is given changes. Lines of invoices stay as they are.',
    schema: { params: ProductParams, body: ProductChange, data: ProductRecord },
    handler: async (ctx, { params, body }) => ({
      message: 'Product changed',
      data: await update(ctx, params.id, body),
    }),
  }),
  route({
    method: 'PATCH',
    path: '/products/{id}/archive',
    tag,
    summary: 'Archive a product',
    description: 'New lines cannot name it; lines that do stay.',
    schema: { params: ProductParams, data: ProductRecord },
    handler: async (ctx, { params }) => ({ message: 'Product archived', data: await setActive(ctx, params.id, false) }),
  }),
  route({
    method: 'PATCH',
    path: '/products/{id}/unarchive',
    tag,
    summary: 'Bring a product back',
    schema: { params: ProductParams, data: ProductRecord },
    handler: async (ctx, { params }) => ({
      message: 'Product unarchived',
      data: await setActive(ctx, params.id, true),
    }),
  }),
]
