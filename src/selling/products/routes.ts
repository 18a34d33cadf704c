import { csvExport } from '../../books/profiles/profiles.ts'
import { type Route, routesOf } from '../../core/route.ts'
import { Page } from '../../lib/schema.ts'
import { create, get, list, setActive, update } from './products.ts'
import { productRefusals } from './refusals.ts'
import {
  exported,
  ProductChange,
  ProductIn,
  ProductParams,
  ProductQuery,
  ProductRecord,
} from './schema.ts'

const route = routesOf('Products', productRefusals)

export const productRoutes: Route[] = [
  route.post('/products', {
    id: 'createProduct',
    summary: 'Add a product',
    description: 'Something that lines of invoices name.',
    status: 201,
    example: {
      name: 'Running shoes',
      amount: 1_250_000,
      currency: 'ngn',
      tax_rate_bps: 750,
      distribution: '6925f3a1c0ffee00c0ffee01',
    },
    schema: { body: ProductIn, data: ProductRecord },
    refuses: ['invalid_distribution'],
    message: 'Product created',
    run: (work, { body }) => create(work, body),
  }),
  route.get('/products', {
    id: 'listProducts',
    summary: 'List products',
    description: 'Newest first.',
    schema: { query: ProductQuery, data: Page(ProductRecord) },
    message: 'Products',
    read: (ctx, { query }) => list(ctx, query),
  }),
  route.get(
    '/products/export',
    csvExport('products', { query: ProductQuery, columns: exported, list }),
  ),
  route.get('/products/{id}', {
    id: 'getProduct',
    summary: 'Get a product',
    description: 'Also one that is archived.',
    schema: { params: ProductParams, data: ProductRecord },
    message: 'Product',
    read: (ctx, { params }) => get(ctx, params.id),
  }),
  route.put('/products/{id}', {
    id: 'updateProduct',
    summary: 'Change a product',
    description: 'Only what is given changes. Lines of invoices stay as they are.',
    example: { name: 'Running shoes, blue', amount: 1_400_000 },
    schema: { params: ProductParams, body: ProductChange, data: ProductRecord },
    refuses: ['invalid_distribution'],
    message: 'Product changed',
    run: (work, { params, body }) => update(work, params.id, body),
  }),
  route.patch('/products/{id}/archive', {
    id: 'archiveProduct',
    summary: 'Archive a product',
    description: 'New lines cannot name it; lines that do stay.',
    schema: { params: ProductParams, data: ProductRecord },
    message: 'Product archived',
    run: (work, { params }) => setActive(work, params.id, false),
  }),
  route.patch('/products/{id}/unarchive', {
    id: 'unarchiveProduct',
    summary: 'Bring a product back',
    description: 'New lines can name it again.',
    schema: { params: ProductParams, data: ProductRecord },
    message: 'Product unarchived',
    run: (work, { params }) => setActive(work, params.id, true),
  }),
]
