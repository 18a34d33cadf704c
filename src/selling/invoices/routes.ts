import { csvExport } from '../../books/profiles/profiles.ts'
import { named, routesOf } from '../../core/route.ts'
import { Page, PdfFile } from '../../lib/schema.ts'
import {
  create,
  finalize,
  get,
  list,
  pdf,
  preview,
  remove,
  rowsByRate,
  send,
  update,
  voidInvoice,
} from './invoices.ts'
import { invoiceRefusals } from './refusals.ts'
import {
  exported,
  exportedByRate,
  InvoiceChange,
  InvoiceIn,
  InvoiceParams,
  InvoiceQuery,
  InvoiceRecord,
  PreviewIn,
  PreviewRecord,
} from './schema.ts'

const route = routesOf('Invoices', invoiceRefusals)

export const invoiceRoutes = named({
  createInvoice: route.post('/invoices', {
    scope: 'collect',
    summary: 'Draft an invoice',
    description:
      'Lines copy their products as they are now, but for what they say themselves: name, amount, taxes. A line without a product has a name and an amount.',
    status: 201,
    example: {
      customer: '6925f3a1c0ffee00c0ffee01',
      lines: [{ product: '6925f3a1c0ffee00c0ffee01', quantity: 2 }],
      due_date: '2099-12-01',
      memo: 'Thank you',
      reminders: { days_before: [3], days_after: [1, 7] },
    },
    schema: { body: InvoiceIn, data: InvoiceRecord },
    refuses: [
      'customer_not_found',
      'product_not_found',
      'product_archived',
      'mixed_currencies',
      'amount_too_large',
    ],
    message: 'Invoice drafted',
    run: (work, { body }) => create(work, body),
  }),
  previewInvoice: route.post('/invoices/preview', {
    scope: 'collect',
    summary: 'Work out the total of an invoice',
    description: 'With discounts and taxes, by the rules of `POST /invoices`. Nothing is stored.',
    example: { currency: 'ngn', lines: [{ name: 'Repair', amount: 500_000, quantity: 1 }] },
    schema: { body: PreviewIn, data: PreviewRecord },
    refuses: ['product_not_found', 'product_archived', 'mixed_currencies', 'amount_too_large'],
    message: 'Total',
    run: (work, { body }) => preview(work, body),
  }),
  listInvoices: route.get('/invoices', {
    scope: 'read',
    summary: 'List invoices',
    description: 'Newest first.',
    schema: { query: InvoiceQuery, data: Page(InvoiceRecord) },
    message: 'Invoices',
    read: (ctx, { query }) => list(ctx, query),
  }),
  exportInvoices: route.get(
    '/invoices/export',
    csvExport('invoices', {
      query: InvoiceQuery,
      columns: exported,
      list,
      byTaxRate: { columns: exportedByRate, rowsOf: rowsByRate },
    }),
  ),
  getInvoice: route.get('/invoices/{id}', {
    scope: 'read',
    summary: 'Get an invoice',
    description: 'In any state, with its lines.',
    schema: { params: InvoiceParams, data: InvoiceRecord },
    message: 'Invoice',
    read: (ctx, { params }) => get(ctx, params.id),
  }),
  updateInvoice: route.put('/invoices/{id}', {
    scope: 'collect',
    summary: 'Change a draft',
    description: 'Only what is given changes; `lines` as a whole, which copy their products anew.',
    example: { memo: 'Thank you for your order', due_date: '2099-12-15' },
    schema: { params: InvoiceParams, body: InvoiceChange, data: InvoiceRecord },
    refuses: [
      'invoice_not_draft',
      'product_not_found',
      'product_archived',
      'mixed_currencies',
      'amount_too_large',
    ],
    message: 'Invoice changed',
    run: (work, { params, body }) => update(work, params.id, body),
  }),
  deleteInvoice: route.delete('/invoices/{id}', {
    scope: 'collect',
    allowedWhenStopped: true,
    summary: 'Delete a draft',
    description:
      'What was finalized is voided, not deleted. The answer is the draft as it was last.',
    schema: { params: InvoiceParams, data: InvoiceRecord },
    refuses: ['invoice_not_draft'],
    message: 'Invoice deleted',
    run: (work, { params }) => remove(work, params.id),
  }),
  finalizeInvoice: route.post('/invoices/{id}/finalize', {
    scope: 'collect',
    summary: 'Finalize an invoice',
    description:
      'It gets the next number, and the page where it is paid. It can be paid or voided, and not changed any more.',
    schema: { params: InvoiceParams, data: InvoiceRecord },
    refuses: [
      'invoice_not_draft',
      'customer_not_found',
      'unsupported_currency',
      'rail_not_configured',
      'amount_too_large',
    ],
    message: 'Invoice finalized',
    run: (work, { params }) => finalize(work, params.id),
  }),
  voidInvoice: route.post('/invoices/{id}/void', {
    scope: 'collect',
    allowedWhenStopped: true,
    summary: 'Void an open invoice',
    description: 'Its payment is canceled. Money that still comes is booked, and marked late.',
    schema: { params: InvoiceParams, data: InvoiceRecord },
    refuses: ['invoice_not_open', 'payment_processing'],
    message: 'Invoice voided',
    run: (work, { params }) => voidInvoice(work, params.id),
  }),
  sendInvoice: route.post('/invoices/{id}/send', {
    scope: 'collect',
    summary: 'Mail an open invoice',
    description:
      'To the customer’s address of today, with its PDF and the link to its page; ten times a day to one recipient. Test mode captures it, but for what goes to people of your team: `npx bursar mail`.',
    schema: { params: InvoiceParams, data: InvoiceRecord },
    refuses: ['invoice_not_open', 'customer_not_found', 'smtp_not_configured', 'too_many_mails'],
    message: 'Invoice sent',
    run: (work, { params }) => send(work, params.id),
  }),
  getInvoicePdf: route.get('/invoices/{id}/pdf', {
    scope: 'read',
    summary: 'Get an invoice as a PDF',
    description: 'In any state: what it is stands on it.',
    file: { contentType: 'application/pdf', name: 'invoice.pdf' },
    schema: { params: InvoiceParams, data: PdfFile },
    message: 'Invoice',
    read: (ctx, { params }) => pdf(ctx, params.id),
  }),
})
