import { momentsOf, type TimelineSource } from '../../core/timeline.ts'
import { selectProduct } from './sql.ts'

export const productTimeline: TimelineSource = {
  kind: 'product',
  async read(view, id) {
    const row = await view.row(selectProduct, [id])
    if (!row) return null
    const { name, amount, currency, active, created_at, updated_at } = row
    return {
      status: active ? 'active' : 'archived',
      moments: momentsOf([
        { at: created_at, title: 'The product was made' },
        {
          at: updated_at > created_at ? updated_at : null,
          title: 'The product was last changed',
          detail: { name, amount, currency, active },
        },
      ]),
      related: { distribution: row.distribution_id },
    }
  },
}
