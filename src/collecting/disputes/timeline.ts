import { momentsOf, type Part, type TimelineSource } from '../../core/timeline.ts'
import { queryTask } from './disputes.ts'
import { selectDispute, selectIdsOfPayment } from './sql.ts'

export const disputeTimeline: TimelineSource = {
  kind: 'dispute',
  async read(view, id) {
    const row = await view.row(selectDispute, [id])
    if (!row) return null
    const {
      amount,
      currency,
      status,
      reason,
      evidence_due_at,
      held,
      taken,
      closed_at,
      provider_reference,
    } = row
    const ids = { dispute: id, payment: row.payment_id }
    return {
      status,
      moments: momentsOf([
        {
          at: row.created_at,
          title: 'The payer’s bank disputed the payment',
          detail: { amount, currency, reason, evidence_due_at, provider_reference },
          ids,
          event: 'dispute.opened',
        },
        {
          at: closed_at,
          title: status === 'won' ? 'The dispute was won' : 'The dispute was lost',
          detail: { amount, currency, held, taken },
          ids,
          event: 'dispute.closed',
        },
      ]),
      parts:
        row.hold_transaction_id === null
          ? []
          : [{ kind: 'transaction', id: row.hold_transaction_id }],
      related: {
        payment: row.payment_id,
        transaction: row.transaction_id,
        customer: row.customer_id,
      },
    }
  },
  jobs: { [queryTask]: 'The dispute’s provider is to be asked how it stands' },
  partsOf: {
    payment: async (view, payment, limit) =>
      (await view.rows(selectIdsOfPayment, [payment, limit])).map(
        ({ id }): Part => ({ kind: 'dispute', id }),
      ),
  },
}
