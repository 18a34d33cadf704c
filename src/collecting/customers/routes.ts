import { csvExport } from '../../books/profiles/profiles.ts'
import { named, routesOf } from '../../core/route.ts'
import { Page, Type } from '../../lib/schema.ts'
import { create, get, list, remove, update } from './customers.ts'
import { listDocuments, verifyDocument } from './documents.ts'
import { erase, exportData } from './erasing.ts'
import { customerRefusals } from './refusals.ts'
import { approve, getReview, listReviews, prepareReview, reject, showNumber } from './reviews.ts'
import * as schemas from './schema.ts'

const route = routesOf('Customers', customerRefusals)

const messages = {
  pending: 'Document is being verified',
  verified: 'Document verified',
  failed: 'Document not verified',
}

export const customerRoutes = named({
  createCustomer: route.post('/customers', {
    scope: 'collect',
    summary: 'Create a customer',
    description:
      'Give `name`, or `first_name` and `last_name`. A reference is one customer’s until it is deleted.',
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
  listCustomers: route.get('/customers', {
    scope: 'read',
    summary: 'List customers',
    description: 'Newest first.',
    schema: { query: schemas.CustomerQuery, data: Page(schemas.CustomerRecord) },
    message: 'Customers',
    read: (ctx, { query }) => list(ctx, query),
  }),
  exportCustomers: route.get(
    '/customers/export',
    csvExport('customers', { query: schemas.CustomerQuery, columns: schemas.exported, list }),
  ),
  getCustomer: route.get('/customers/{id}', {
    scope: 'read',
    summary: 'Get a customer',
    description: 'Not one that was deleted.',
    schema: { params: schemas.CustomerParams, data: schemas.CustomerRecord },
    message: 'Customer',
    read: (ctx, { params }) => get(ctx, params.id),
  }),
  updateCustomer: route.put('/customers/{id}', {
    scope: 'collect',
    summary: 'Change a customer',
    description:
      'Fields that are left out stay as they are; null clears one. New parts of the name rebuild `name`, unless it is given too; one part alone does not.',
    example: { phone: '+2348087654321' },
    schema: {
      params: schemas.CustomerParams,
      body: schemas.CustomerUpdate,
      data: schemas.CustomerRecord,
    },
    refuses: ['duplicate_reference'],
    message: 'Customer changed',
    run: (work, { params, body }) => update(work, params.id, body),
  }),
  deleteCustomer: route.delete('/customers/{id}', {
    scope: 'collect',
    allowedWhenStopped: true,
    summary: 'Delete a customer',
    description:
      'It reads as not found from now on, and its reference is free. The records of its money stay. The answer is the customer as it was last.',
    schema: { params: schemas.CustomerParams, data: schemas.CustomerRecord },
    message: 'Customer deleted',
    run: (work, { params }) => remove(work, params.id),
  }),
  exportCustomerData: route.get('/customers/{id}/export', {
    scope: 'read',
    summary: 'Export what is kept of a customer',
    description:
      'Also of one that was deleted, to answer a customer who asks for their data: the customer, identity documents (without their numbers), payments, refunds, invoices, accounts, mails and events.',
    schema: { params: schemas.CustomerParams, data: schemas.CustomerData },
    message: 'What is kept of the customer',
    read: (ctx, { params }) => exportData(ctx, params.id),
  }),
  eraseCustomer: route.post('/customers/{id}/erase', {
    scope: 'manage',
    summary: 'Erase a customer for good',
    description:
      'Everything personal is emptied: names, addresses, identity documents, email addresses of payments, bill-to of invoices, senders of money, mails, and what events say of them. Amounts, times and ids stay. It cannot be undone; download first what the law has you keep, such as invoices. Refused while something is open that needs the customer. Also of one that was deleted; again, it changes nothing. What providers keep, erase there.',
    schema: { params: schemas.CustomerParams, data: schemas.CustomerErasure },
    refuses: ['customer_in_use'],
    message: 'Customer erased',
    run: (work, { params }) => erase(work, params.id),
  }),
  listCustomerDocuments: route.get('/customers/{id}/documents', {
    scope: 'read',
    summary: 'List a customer’s verified identity documents',
    description: 'A plain array. Numbers are hidden but for their last characters.',
    schema: { params: schemas.CustomerParams, data: Type.Array(schemas.VerifiedDocumentRecord) },
    message: 'Identity documents',
    read: (ctx, { params }) => listDocuments(ctx, params.id),
  }),
  verifyCustomerDocument: route.post('/customers/{id}/documents', {
    scope: 'collect',
    summary: 'Verify an identity document',
    description:
      'Replaces the customer’s document of the type, but a failed one never replaces a verified one. Where a rail verifies it, the document is `pending`, and `customer.document.verified` or `.failed` tells what came of it; some rails compare the number with an account of its holder, and then `bank_code` and `account_number` are required. What no rail verifies and is on a paper (any type but a `bvn`), a person of the operator’s looks at: `review` says so. Test keys without such a rail: a number whose digits are 1 fails as `mismatch`, 2 as `not_found`; any other is verified.',
    status: 201,
    example: { id_type: 'bvn', id_number: '22222222222' },
    schema: {
      params: schemas.CustomerParams,
      body: schemas.DocumentIn,
      data: schemas.DocumentRecord,
    },
    refuses: [
      'rail_not_configured',
      'customer_incomplete',
      'unknown_bank',
      'document_pending',
      'document_verified',
    ],
    message: ({ status }) => messages[status],
    run: (work, { params, body }) => verifyDocument(work, params.id, body),
  }),
})

const ofOperator = routesOf('Operator', customerRefusals)

export const reviewRoutes = named({
  listOperatorDocuments: ofOperator.get('/operator/documents', {
    scope: 'review',
    summary: 'List documents that a person looks at',
    description:
      'Those that wait, the one that waits longest first; then those that were decided, the newest first. At most 1,000 of each. For keys that were made with `reviews`.',
    schema: { query: schemas.ReviewQuery, data: Page(schemas.ReviewRecord) },
    message: 'Documents',
    read: (ctx, { query }) => listReviews(ctx, query),
  }),
  getOperatorDocument: ofOperator.get('/operator/documents/{id}', {
    scope: 'review',
    summary: 'Get a document that a person looks at',
    schema: { params: schemas.ReviewParams, data: schemas.ReviewRecord },
    message: 'Document',
    read: (ctx, { params }) => getReview(ctx, params.id),
  }),
  showDocumentNumber: ofOperator.post('/operator/documents/{id}/number', {
    scope: 'review',
    givesPower: true,
    summary: 'Show the number of a document that waits',
    description:
      'Whole, once for each time that it is asked for, which is written down in the audit log.',
    once: ['id_number'],
    schema: { params: schemas.ReviewParams, data: schemas.ShownNumber },
    refuses: ['document_reviewed'],
    message: 'Number',
    prepare: (ctx, { params }) => prepareReview(ctx, params.id),
    run: (work, order) => showNumber(work, order),
  }),
  approveDocument: ofOperator.post('/operator/documents/{id}/approve', {
    scope: 'review',
    givesPower: true,
    summary: 'Approve a document',
    description: 'It is verified, and `customer.document.verified` tells the business.',
    schema: { params: schemas.ReviewParams, body: schemas.Approval, data: schemas.ReviewRecord },
    refuses: ['document_reviewed'],
    message: 'Document approved',
    prepare: async (ctx, { params, body }) => ({
      ...(await prepareReview(ctx, params.id)),
      ...body,
    }),
    run: (work, order) => approve(work, order),
  }),
  rejectDocument: ofOperator.post('/operator/documents/{id}/reject', {
    scope: 'review',
    givesPower: true,
    summary: 'Reject a document',
    description:
      'It has failed for the reason that is given, and `customer.document.failed` tells the business. It can be given again.',
    example: { reason: 'mismatch', note: 'The paper bears another name.' },
    schema: { params: schemas.ReviewParams, body: schemas.Rejection, data: schemas.ReviewRecord },
    refuses: ['document_reviewed'],
    message: 'Document rejected',
    prepare: async (ctx, { params, body }) => ({
      ...(await prepareReview(ctx, params.id)),
      ...body,
    }),
    run: (work, order) => reject(work, order),
  }),
})
