import { type Ctx, route } from '../../core/context.ts'
import type { Route } from '../../core/route.ts'
import { Page, Type } from '../../lib/schema.ts'
import { create, get, list, remove, update } from './customers.ts'
import { listDocuments, verifyDocument } from './documents.ts'
import {
  CustomerIn,
  CustomerParams,
  CustomerQuery,
  CustomerRecord,
  CustomerUpdate,
  DocumentIn,
  DocumentRecord,
  VerifiedDocumentRecord,
} from './schema.ts'

const tag = 'Customers'

export const customerRoutes: Route<Ctx>[] = [
  route({
    method: 'POST',
    path: '/customers',
    tag,
    summary: 'Create a customer',
    description: 'Give `name`, or `first_name` and `last_name`. A reference is one customer’s until it is deleted.',
    status: 201,
    schema: { body: CustomerIn, data: CustomerRecord },
    handler: async (ctx, { body }) => ({ message: 'Customer created', data: await create(ctx, body) }),
  }),
  route({
    method: 'GET',
    path: '/customers',
    tag,
    summary: 'List customers',
    description: 'Newest first.',
    schema: { query: CustomerQuery, data: Page(CustomerRecord) },
    handler: async (ctx, { query }) => ({ message: 'Customers', data: await list(ctx, query) }),
  }),
  route({
    method: 'GET',
    path: '/customers/{id}',
    tag,
    summary: 'Get a customer',
    schema: { params: CustomerParams, data: CustomerRecord },
    handler: async (ctx, { params }) => ({ message: 'Customer', data: await get(ctx, params.id) }),
  }),
  route({
    method: 'PUT',
    path: '/customers/{id}',
    tag,
    summary: 'Change a customer',
    description:
      'Fields that are left out stay as they are; null clears one. New parts of the name make `name` anew, unless it is given; one part alone does not make it.',
    schema: { params: CustomerParams, body: CustomerUpdate, data: CustomerRecord },
    handler: async (ctx, { params, body }) => ({
      message: 'Customer changed',
      data: await update(ctx, params.id, body),
    }),
  }),
  route({
    method: 'DELETE',
    path: '/customers/{id}',
    tag,
    summary: 'Delete a customer',
    description: 'It reads as not found from now on, and its reference is free. The records of its money stay.',
    schema: { params: CustomerParams, data: Type.Null() },
    handler: async (ctx, { params }) => {
      await remove(ctx, params.id)
      return { message: 'Customer deleted', data: null }
    },
  }),
  route({
    method: 'GET',
    path: '/customers/{id}/documents',
    tag,
    summary: 'List a customer’s verified identity documents',
    schema: { params: CustomerParams, data: Type.Array(VerifiedDocumentRecord) },
    handler: async (ctx, { params }) => ({
      message: 'Identity documents',
      data: await listDocuments(ctx, params.id),
    }),
  }),
  route({
    method: 'POST',
    path: '/customers/{id}/documents',
    tag,
    summary: 'Verify an identity document',
    description:
      'Replaces the customer’s document of the type, but a failed one never replaces a verified one. Test keys: a number whose digits are 1 fails as `mismatch`, 2 as `not_found`; any other is verified.',
    status: 201,
    schema: { params: CustomerParams, body: DocumentIn, data: DocumentRecord },
    handler: async (ctx, { params, body }) => {
      const document = await verifyDocument(ctx, params.id, body)
      return { message: document.status === 'verified' ? 'Document verified' : 'Document not verified', data: document }
    },
  }),
]
