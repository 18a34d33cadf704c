import { csvExport } from '../../books/profiles/profiles.ts'
import { type Route, routesOf } from '../../core/route.ts'
import { Page, Type } from '../../lib/schema.ts'
import { create, get, list, remove, update } from './customers.ts'
import { listDocuments, verifyDocument } from './documents.ts'
import { customerRefusals } from './refusals.ts'
import * as schemas from './schema.ts'

const route = routesOf('Customers', customerRefusals)

const messages = {
  pending: 'Document is being verified',
  verified: 'Document verified',
  failed: 'Document not verified',
}

export const customerRoutes: Route[] = [
  route.post('/customers', {
    id: 'createCustomer',
    summary: 'Create a customer',
    description: 'Give `name`, or `first_name` and `last_name`. A reference is one customer’s until it is deleted.',
    status: 201,
    example: {
      first_name: 'Ada',
      last_name: 'Okafor',
      email: 'ada@example.com',
      phone: '+2348012345678',
      reference: 'customer-0001',
      address: { line1: '1 Marina Road', city: 'Lagos', country: 'ng' },
    },
    schema: { body: schemas.CustomerIn, data: schemas.CustomerRecord },
    refuses: ['duplicate_reference'],
    message: 'Customer created',
    run: (work, { body }) => create(work, body),
  }),
  route.get('/customers', {
    id: 'listCustomers',
    summary: 'List customers',
    description: 'Newest first.',
    schema: { query: schemas.CustomerQuery, data: Page(schemas.CustomerRecord) },
    message: 'Customers',
    read: (ctx, { query }) => list(ctx, query),
  }),
  route.get('/customers/export', csvExport('customers', schemas.CustomerQuery, schemas.exported, list)),
  route.get('/customers/{id}', {
    id: 'getCustomer',
    summary: 'Get a customer',
    description: 'Not one that was deleted.',
    schema: { params: schemas.CustomerParams, data: schemas.CustomerRecord },
    message: 'Customer',
    read: (ctx, { params }) => get(ctx, params.id),
  }),
  route.put('/customers/{id}', {
    id: 'updateCustomer',
    summary: 'Change a customer',
    description:
      'Fields that are left out stay as they are; null clears one. New parts of the name make `name` anew, unless it is given; one part alone does not make it.',
    example: { phone: '+2348087654321' },
    schema: { params: schemas.CustomerParams, body: schemas.CustomerUpdate, data: schemas.CustomerRecord },
    refuses: ['duplicate_reference'],
    message: 'Customer changed',
    run: (work, { params, body }) => update(work, params.id, body),
  }),
  route.delete('/customers/{id}', {
    id: 'deleteCustomer',
    summary: 'Delete a customer',
    description:
      'It reads as not found from now on, and its reference is free. The records of its money stay. The answer is the customer as it was last.',
    schema: { params: schemas.CustomerParams, data: schemas.CustomerRecord },
    message: 'Customer deleted',
    run: (work, { params }) => remove(work, params.id),
  }),
  route.get('/customers/{id}/documents', {
    id: 'listCustomerDocuments',
    summary: 'List a customer’s verified identity documents',
    description: 'A plain array. Numbers are hidden but for their last characters.',
    schema: { params: schemas.CustomerParams, data: Type.Array(schemas.VerifiedDocumentRecord) },
    message: 'Identity documents',
    read: (ctx, { params }) => listDocuments(ctx, params.id),
  }),
  route.post('/customers/{id}/documents', {
    id: 'verifyCustomerDocument',
    summary: 'Verify an identity document',
    description:
      'Replaces the customer’s document of the type, but a failed one never replaces a verified one. Where a rail verifies it, the document is `pending`, and `customer.document.verified` or `.failed` tells what came of it; some rails hold the number against an account of its holder, and then `bank_code` and `account_number` are required. Test keys without such a rail: a number whose digits are 1 fails as `mismatch`, 2 as `not_found`; any other is verified.',
    status: 201,
    example: { id_type: 'bvn', id_number: '22222222222' },
    schema: { params: schemas.CustomerParams, body: schemas.DocumentIn, data: schemas.DocumentRecord },
    refuses: ['rail_not_configured', 'customer_incomplete', 'unknown_bank', 'document_pending', 'document_verified'],
    message: ({ status }) => messages[status],
    run: (work, { params, body }) => verifyDocument(work, params.id, body),
  }),
]
