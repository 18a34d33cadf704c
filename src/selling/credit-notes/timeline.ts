import { momentsOf, type TimelineSource } from '../../core/timeline.ts'
import { mailTask } from './mailing.ts'
import { selectCreditNote, selectIdsOfRefund } from './sql.ts'

export const creditNoteTimeline: TimelineSource = {
  kind: 'credit_note',
  async read(view, id) {
    const row = await view.row(selectCreditNote, [id])
    if (!row) return null
    const { status, number, amount, currency, invoice_id, refund_id } = row
    return {
      status,
      moments: momentsOf([
        {
          at: row.created_at,
          title: 'A credit note was issued',
          detail: { number, amount, currency },
        },
        { at: row.sent_at, title: 'The credit note was mailed' },
        { at: row.voided_at, title: 'The credit note was voided: the refund came back' },
      ]),
      related: { invoice: invoice_id, refund: refund_id },
    }
  },
  jobs: { [mailTask]: 'The credit note is to be mailed' },
  partsOf: {
    refund: async (view, id, limit) => {
      const rows = await view.rows(selectIdsOfRefund, [id, limit])
      return rows.map((row) => ({ kind: 'credit_note', id: row.id }))
    },
  },
}
