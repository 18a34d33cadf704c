import { momentsOf, type Story } from '../../core/story.ts'
import { payTask } from './batches.ts'
import { selectBatch } from './sql.ts'

export const batchStory: Story = {
  kind: 'payout_batch',
  async tell(view, id) {
    const row = await view.row(selectBatch, [id])
    if (!row) return null
    const { status, reference, line_count: lines, amount, currency, bad, created, refused, canceled } = row
    return {
      status,
      moments: momentsOf([
        { at: row.created_at, title: 'Batch created', detail: { reference, lines, bad, amount, currency } },
        { at: row.ended_at, title: `Batch ${status}`, detail: { created, refused, canceled } },
      ]),
    }
  },
  waits: { [payTask]: 'The next payouts of the batch are to be made' },
}
