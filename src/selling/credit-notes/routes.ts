import { csvExport } from '../../books/profiles/profiles.ts'
import { named, routesOf } from '../../core/route.ts'
import { Page, PdfFile } from '../../lib/schema.ts'
import { rowsByRate } from '../invoices/invoices.ts'
import { get, list, pdf } from './credit-notes.ts'
import { send } from './mailing.ts'
import { creditNoteRefusals } from './refusals.ts'
import {
  CreditNoteParams,
  CreditNoteQuery,
  CreditNoteRecord,
  exported,
  exportedByRate,
} from './schema.ts'

const route = routesOf('Invoices', creditNoteRefusals)

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
  sendCreditNote: route.post('/credit-notes/{id}/send', {
    scope: 'collect',
    summary: 'Mail a credit note',
    description:
      'To the customer’s address of today, with its PDF; ten times a day to one recipient. Test mode captures it as it does invoices.',
    schema: { params: CreditNoteParams, data: CreditNoteRecord },
    refuses: ['credit_note_void', 'customer_not_found', 'smtp_not_configured', 'too_many_mails'],
    message: 'Credit note sent',
    run: (work, { params }) => send(work, params.id),
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
