import { momentsOf, type TimelineSource } from '../../core/timeline.ts'
import { payTask } from './batches.ts'
import { selectBatch } from './sql.ts'

export const batchTimeline: TimelineSource = {
  kind: 'payout_batch',
  async read(view, id) {
    const row = await view.row(selectBatch, [id])
    if (!row) return null
    const {
      status,
      reference,
      line_count: lines,
      amount,
      currency,
      bad,
      created,
      refused,
      canceled,
    } = row
    return {
      status,
      moments: momentsOf([
        {
          at: row.created_at,
          title: 'Batch created',
          detail: { reference, lines, bad, amount, currency },
        },
        {
          at: status === 'draft' ? row.created_at : null,
          title: 'The batch waits until somebody confirms it, or cancels it',
        },
        { at: row.ended_at, title: `Batch ${status}`, detail: { created, refused, canceled } },
      ]),
    }
  },
  jobs: { [payTask]: 'The next payouts of the batch are to be made' },
}
