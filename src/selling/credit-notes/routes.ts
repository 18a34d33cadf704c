import { csvExport } from '../../books/profiles/profiles.ts'
import { named, routesOf } from '../../core/route.ts'
import { Page } from '../../lib/schema.ts'
import { rowsByRate } from '../invoices/invoices.ts'
import { get, list, pdf } from './credit-notes.ts'
import {
  CreditNoteParams,
  CreditNoteQuery,
  CreditNoteRecord,
  exported,
  exportedByRate,
  PdfFile,
} from './schema.ts'

const route = routesOf('Invoices')

export const creditNoteRoutes = named({
  listCreditNotes: route.get('/credit-notes', {
    scope: 'read',
    summary: 'List credit notes',
    description: 'Newest first: one for each refund of a paid invoice that was completed.',
    schema: { query: CreditNoteQuery, data: Page(CreditNoteRecord) },
    message: 'Credit notes',
    read: (ctx, { query }) => list(ctx, query),
  }),
  exportCreditNotes: route.get(
    '/credit-notes/export',
    csvExport('credit notes', {
      query: CreditNoteQuery,
      columns: exported,
      list,
      byTaxRate: { columns: exportedByRate, rowsOf: rowsByRate },
    }),
  ),
  getCreditNote: route.get('/credit-notes/{id}', {
    scope: 'read',
    summary: 'Get a credit note',
    description: 'What of a paid invoice was given back by a refund.',
    schema: { params: CreditNoteParams, data: CreditNoteRecord },
    message: 'Credit note',
    read: (ctx, { params }) => get(ctx, params.id),
  }),
  getCreditNotePdf: route.get('/credit-notes/{id}/pdf', {
    scope: 'read',
    summary: 'Get a credit note as a PDF',
    description: 'Also one that is void: it says so.',
    file: { contentType: 'application/pdf', name: 'credit-note.pdf' },
    schema: { params: CreditNoteParams, data: PdfFile },
    message: 'Credit note',
    read: (ctx, { params }) => pdf(ctx, params.id),
  }),
})
