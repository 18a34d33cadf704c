import { momentsOf, type Part, type TimelineSource } from '../../core/timeline.ts'
import { selectConversion } from './sql.ts'

export const conversionTimeline: TimelineSource = {
  kind: 'conversion',
  async read(view, id) {
    const row = await view.row(selectConversion, [id])
    if (!row) return null
    const { amount, currency, fee, rate, destination_amount, destination_currency, created_at } = row
    return {
      status: 'completed',
      moments: momentsOf([
        {
          at: created_at,
          title: 'The money was converted',
          detail: { amount, currency, fee, rate, destination_amount, destination_currency },
          ids: { conversion: id },
          event: 'conversion.completed',
        },
      ]),
      parts: [row.transaction_id, row.destination_transaction_id].map((of): Part => ({ kind: 'transaction', id: of })),
      related: { transaction: row.transaction_id, destination_transaction: row.destination_transaction_id },
    }
  },
}
