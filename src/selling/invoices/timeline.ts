import { momentsOf, type TimelineSource } from '../../core/timeline.ts'
import { mailTask, remindTask } from './record.ts'
import { selectInvoice } from './sql.ts'

export const invoiceTimeline: TimelineSource = {
  kind: 'invoice',
  async read(view, id) {
    const row = await view.row(selectInvoice, [id])
    if (!row) return null
    const { status, number, currency, total, payment_id, due_date } = row
    return {
      status,
      moments: momentsOf([
        { at: row.created_at, title: 'The invoice was drafted', detail: { currency, total } },
        {
          at: row.finalized_at,
          title: 'The invoice was finalized',
          event: 'invoice.finalized',
          detail: {
            number,
            due_date,
            collect_currency: row.collect_currency,
            collect_amount: row.collect_amount,
          },
        },
        { at: row.sent_at, title: 'The invoice was mailed' },
        { at: row.paid_at, title: 'The invoice was paid', event: 'invoice.paid' },
        { at: row.voided_at, title: 'The invoice was voided', event: 'invoice.voided' },
      ]),
      // It may have been sent before.
      events:
        row.sent_at === null
          ? []
          : [{ type: 'invoice.sent', about: id, between: [row.created_at, row.sent_at] }],
      parts: payment_id === null ? [] : [{ kind: 'payment', id: payment_id }],
      related: { customer: row.customer_id, payment: payment_id },
    }
  },
  jobs: {
    [mailTask]: 'A mail is to be sent',
    [remindTask]: 'A reminder is to be sent, unless it is paid',
  },
}
