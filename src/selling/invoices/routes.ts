import { type Ctx, route } from '../../core/context.ts'
import type { Route } from '../../core/route.ts'
import { Page, Type } from '../../lib/schema.ts'
import { create, finalize, get, list, pdf, remove, send, update, voidInvoice } from './invoices.ts'
import { InvoiceChange, InvoiceIn, InvoiceParams, InvoiceQuery, InvoiceRecord, PdfFile } from './schema.ts'

const tag = 'Invoices'

export const invoiceRoutes: Route<Ctx>[] = [
  route({
    method: 'POST',
    path: '/invoices',
    tag,
    summary: 'Draft an invoice',
    description: 'Lines copy name and amount of their products as they are now.',
    status: 201,
    schema: { body: InvoiceIn, data: InvoiceRecord },
    handler: async (ctx, { body }) => ({ message: 'Invoice drafted', data: await create(ctx, body) }),
  }),
  route({
    method: 'GET',
    path: '/invoices',
    tag,
    summary: 'List invoices',
    description: 'Newest first.',
    schema: { query: InvoiceQuery, data: Page(InvoiceRecord) },
    handler: async (ctx, { query }) => ({ message: 'Invoices', data: await list(ctx, query) }),
  }),
  route({
    method: 'GET',
    path: '/invoices/{id}',
    tag,
    summary: 'Get an invoice',
    schema: { params: InvoiceParams, data: InvoiceRecord },
    handler: async (ctx, { params }) => ({ message: 'Invoice', data: await get(ctx, params.id) }),
  }),
  route({
    method: 'PUT',
    path: '/invoices/{id}',
    tag,
    summary: 'Change a draft',
    description: 'Only what is given changes; `lines` as a whole, which copy their products anew.',
    schema: { params: InvoiceParams, body: InvoiceChange, data: InvoiceRecord },
    handler: async (ctx, { params, body }) => ({
      message: 'Invoice changed',
      data: await update(ctx, params.id, body),
    }),
  }),
  route({
    method: 'DELETE',
    path: '/invoices/{id}',
    tag,
    summary: 'Delete a draft',
    schema: { params: InvoiceParams, data: Type.Null() },
    handler: async (ctx, { params }) => ({ message: 'Invoice deleted', data: await remove(ctx, params.id) }),
  }),
  route({
    method: 'POST',
    path: '/invoices/{id}/finalize',
    tag,
    summary: 'Finalize an invoice',
    description:
      'It gets the next number, and the page where it is paid. It can be paid or voided, and not changed any more.',
    schema: { params: InvoiceParams, data: InvoiceRecord },
    handler: async (ctx, { params }) => ({ message: 'Invoice finalized', data: await finalize(ctx, params.id) }),
  }),
  route({
    method: 'POST',
    path: '/invoices/{id}/void',
    tag,
    summary: 'Void an open invoice',
    description: 'Its payment is canceled. Money that still comes is booked, and marked late.',
    schema: { params: InvoiceParams, data: InvoiceRecord },
    handler: async (ctx, { params }) => ({ message: 'Invoice voided', data: await voidInvoice(ctx, params.id) }),
  }),
  route({
    method: 'POST',
    path: '/invoices/{id}/send',
    tag,
    summary: 'Mail an open invoice',
    description:
      'With its PDF and the link to its page. Test mode without an SMTP server captures it: `npx bursar mail`.',
    schema: { params: InvoiceParams, data: InvoiceRecord },
    handler: async (ctx, { params }) => ({ message: 'Invoice sent', data: await send(ctx, params.id) }),
  }),
  route({
    method: 'GET',
    path: '/invoices/{id}/pdf',
    tag,
    summary: 'Get an invoice as a PDF',
    description: 'In any state: what it is stands on it.',
    file: { contentType: 'application/pdf', name: 'invoice.pdf' },
    schema: { params: InvoiceParams, data: PdfFile },
    handler: async (ctx, { params }) => ({ message: 'Invoice', data: await pdf(ctx, params.id) }),
  }),
]
