/**
 * What of paid invoices was given back, on paper.
 */
import type { AnswerOf } from '../../../core/operations.ts'
import { html } from '../../../lib/html.ts'
import type { Visit } from '../place.ts'
import { mailing } from '../readiness.ts'
import { linkTo } from '../related.ts'
import { actionsOn, type Resource } from '../resource.ts'
import { cells } from '../tables.ts'
import { en } from '../view/strings.ts'
import { taxRows } from './taxes.ts'

type CreditNote = AnswerOf<'getCreditNote'>

const titleOf = ({ number }: CreditNote): string => `Credit note ${number}`

export const creditNotes: Resource<CreditNote> = {
  path: 'credit-notes',
  title: 'Credit notes',
  one: 'credit note',
  more: 'credit notes',
  group: 'sell',
  list: 'listCreditNotes',
  get: 'getCreditNote',
  key: 'id',
  exports: 'exportCreditNotes',
  about: 'A completed refund of a paid invoice creates a credit note.',
  columns: [
    { title: 'Credit note', cell: titleOf },
    { title: 'Status', cell: cells.status },
    { title: 'Credited', cell: cells.money('amount'), right: true },
    { title: 'Created', cell: cells.created },
  ],
  heading: (doc, { show }) => `${titleOf(doc)} · ${show.money(doc.amount, doc.currency)}`,
  called: titleOf,
  status: ({ status }) => status,
  rows: (doc, seen: Visit) => [
    ['Invoice', linkTo(seen, 'invoices', doc.invoice, en.see('invoice'))],
    ['Refund', linkTo(seen, 'refunds', doc.refund, en.see('refund'))],
    ...taxRows(doc, seen),
    ['Last mailed', doc.sent_at && seen.show.time(doc.sent_at)],
    ['Voided', doc.voided_at && seen.show.time(doc.voided_at)],
    ['PDF', html`<a href="${seen.base}/credit-notes/${doc.id}/pdf">Download credit note</a>`],
  ],
  actions: [
    actionsOn<CreditNote>()({
      name: 'send',
      title: 'Send by email',
      operation: 'sendCreditNote',
      needs: mailing,
      when: ({ status }) => status === 'issued',
      foresee: ({ doc }, { show }) => ({
        lines: [
          'It is sent to the customer’s email address, with the PDF.',
          doc.sent_at ? `It was last sent: ${show.time(doc.sent_at)}.` : 'It was not sent before.',
        ],
      }),
      done: 'Credit note sent.',
    }),
  ],
}
