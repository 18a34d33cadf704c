import type { AnswerOf } from '../../../core/operations.ts'
import { html } from '../../../lib/html.ts'
import { actionsOn, type Resource } from '../resource.ts'
import { cells } from '../tables.ts'
import { code, type Field } from '../view/parts.ts'
import { wordOf } from '../view/strings.ts'

type Document = AnswerOf<'getOperatorDocument'>
const action = actionsOn<Document>()

const note: Field = {
  name: 'note',
  label: 'What was found',
  kind: 'area',
  maxLength: 500,
  hint: 'For those who look later. The business is not shown it.',
}
const waits = ({ status }: { status?: string }): boolean => status === 'pending'

/** Papers of customers that no rail verifies. */
export const documents: Resource<Document> = {
  path: 'documents',
  title: 'Papers to review',
  one: 'document',
  more: 'documents',
  group: 'in',
  list: 'listOperatorDocuments',
  get: 'getOperatorDocument',
  key: 'id',
  tabs: 'status',
  untold: true,
  about:
    'Identity documents of customers that no rail verifies: passports, licences, cards. Oldest first. Compare each with the paper that the merchant sends you.',
  columns: [
    { title: 'Document', cell: ({ id_type }) => wordOf(id_type) },
    { title: 'Status', cell: cells.status },
    { title: 'Name', cell: cells.text('customer_name') },
    { title: 'Given', cell: cells.created },
    { title: 'Number', cell: ({ id_number }) => code(id_number), less: true },
    { title: 'Mode', cell: ({ livemode }) => (livemode ? 'Live' : 'Test'), less: true },
  ],
  heading: ({ id_type }) => wordOf(id_type),
  called: ({ id_type }) => wordOf(id_type),
  status: ({ status }) => status,
  rows: (doc, { show, base }) => [
    ['Name it must show', html`<bdi>${doc.customer_name}</bdi>`],
    ['Kind', doc.customer_type === 'individual' ? 'A person' : 'A company'],
    ['Number', code(doc.id_number)],
    ['Business', html`<a href="${base}/businesses/${doc.business}">${code(doc.business)}</a>`],
    ['Mode', doc.livemode ? 'Live' : 'Test'],
    ['Customer', code(doc.customer)],
    [
      'Why a person',
      doc.reason === 'no_rail' && 'No rail of this server verifies documents of its type',
    ],
    ['Rejected as', doc.failure_reason && wordOf(doc.failure_reason)],
    [
      'Decided',
      doc.reviewed_at && html`${show.time(doc.reviewed_at)}, by <bdi>${doc.reviewed_by}</bdi>`,
    ],
    ['Note', doc.note && html`<bdi>${doc.note}</bdi>`],
  ],
  actions: [
    action({
      name: 'approve',
      title: 'Approve',
      operation: 'approveDocument',
      leads: true,
      when: waits,
      fields: () => [note],
      foresee: ({ doc }) => ({
        lines: [
          html`The document counts as that of <bdi>${doc.customer_name}</bdi>, and the business is notified.`,
          'It opens what a verified identity opens. It cannot be taken back here.',
        ],
      }),
      done: 'Document approved.',
    }),
    action({
      name: 'reject',
      title: 'Reject',
      operation: 'rejectDocument',
      danger: true,
      when: waits,
      fields: () => [
        {
          name: 'reason',
          label: 'Why',
          kind: 'select',
          required: true,
          options: [
            ['mismatch', 'It is someone else’s'],
            ['not_found', 'Its issuer knows no such number'],
            ['rejected', 'It is no such document, or cannot be looked at'],
          ],
        },
        note,
      ],
      foresee: () => ({
        lines: [
          'The business is notified of the reason, without the note, and can submit the document again.',
        ],
      }),
      done: 'Document rejected.',
    }),
    action({
      name: 'number',
      title: 'Show the number',
      operation: 'showDocumentNumber',
      when: waits,
      foresee: () => ({
        lines: ['The whole number is shown once. The audit log records that you looked.'],
      }),
      looks: true,
      reveals: ({ id_number }) => [['Number', id_number as string | null]],
      done: 'This is the document’s number.',
    }),
  ],
}
