import { type Route, readRoute, writeRoute } from '../../core/route.ts'
import { Page } from '../../lib/schema.ts'
import { create, get, list, setActive, update } from './products.ts'
import { ProductChange, ProductIn, ProductParams, ProductQuery, ProductRecord } from './schema.ts'

const tag = 'Products'

export const productRoutes: Route[] = [
  writeRoute({
    method: 'POST',
    path: '/products',
    tag,
    summary: 'Add a product',
    status: 201,
    schema: { body: ProductIn, data: ProductRecord },
    message: 'Product created',
    run: (work, { body }) => create(work, body),
  }),
  readRoute({
    method: 'GET',
    path: '/products',
    tag,
    summary: 'List products',
    description: 'Newest first.',
    schema: { query: ProductQuery, data: Page(ProductRecord) },
    message: 'Products',
    read: (ctx, { query }) => list(ctx, query),
  }),
  readRoute({
    method: 'GET',
    path: '/products/{id}',
    tag,
    summary: 'Get a product',
    schema: { params: ProductParams, data: ProductRecord },
    message: 'Product',
    read: (ctx, { params }) => get(ctx, params.id),
  }),
  writeRoute({
    method: 'PUT',
    path: '/products/{id}',
    tag,
    summary: 'Change a product',
    description: 'Only what is given changes. Lines of invoices stay as they are.',
    schema: { params: ProductParams, body: ProductChange, data: ProductRecord },
    message: 'Product changed',
    run: (work, { params, body }) => update(work, params.id, body),
  }),
  writeRoute({
    method: 'PATCH',
    path: '/products/{id}/archive',
    tag,
    summary: 'Archive a product',
    description: 'New lines cannot name it; lines that do stay.',
    schema: { params: ProductParams, data: ProductRecord },
    message: 'Product archived',
    run: (work, { params }) => setActive(work, params.id, false),
  }),
  writeRoute({
    method: 'PATCH',
    path: '/products/{id}/unarchive',
    tag,
    summary: 'Bring a product back',
    schema: { params: ProductParams, data: ProductRecord },
    message: 'Product unarchived',
    run: (work, { params }) => setActive(work, params.id, true),
  }),
]
