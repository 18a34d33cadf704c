import { csvExport } from '../../books/profiles/profiles.ts'
import { named, routesOf } from '../../core/route.ts'
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

export const productRoutes = named({
  createProduct: route.post('/products', {
    scope: 'collect',
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
  listProducts: route.get('/products', {
    scope: 'read',
    summary: 'List products',
    description: 'Newest first.',
    schema: { query: ProductQuery, data: Page(ProductRecord) },
    message: 'Products',
    read: (ctx, { query }) => list(ctx, query),
  }),
  exportProducts: route.get(
    '/products/export',
    csvExport('products', { query: ProductQuery, columns: exported, list }),
  ),
  getProduct: route.get('/products/{id}', {
    scope: 'read',
    summary: 'Get a product',
    description: 'Also one that is archived.',
    schema: { params: ProductParams, data: ProductRecord },
    message: 'Product',
    read: (ctx, { params }) => get(ctx, params.id),
  }),
  updateProduct: route.put('/products/{id}', {
    scope: 'collect',
    summary: 'Change a product',
    description: 'Only what is given changes. Lines of invoices stay as they are.',
    example: { name: 'Running shoes, blue', amount: 1_400_000 },
    schema: { params: ProductParams, body: ProductChange, data: ProductRecord },
    refuses: ['invalid_distribution'],
    message: 'Product changed',
    run: (work, { params, body }) => update(work, params.id, body),
  }),
  archiveProduct: route.patch('/products/{id}/archive', {
    scope: 'collect',
    allowedWhenStopped: true,
    summary: 'Archive a product',
    description: 'New lines cannot name it; lines that do stay.',
    schema: { params: ProductParams, data: ProductRecord },
    message: 'Product archived',
    run: (work, { params }) => setActive(work, params.id, false),
  }),
  unarchiveProduct: route.patch('/products/{id}/unarchive', {
    scope: 'collect',
    summary: 'Bring a product back',
    description: 'New lines can name it again.',
    schema: { params: ProductParams, data: ProductRecord },
    message: 'Product unarchived',
    run: (work, { params }) => setActive(work, params.id, true),
  }),
})
