import { momentsOf, type TimelineSource } from '../../core/timeline.ts'
import { selectCollection } from './sql.ts'

export const collectionTimeline: TimelineSource = {
  kind: 'collection',
  async read(view, id) {
    const row = await view.row(selectCollection, [id])
    if (!row) return null
    const { name, currency, amount, payments_count, amount_collected, created_at, canceled_at } =
      row
    return {
      status: canceled_at !== null ? 'canceled' : row.active ? 'active' : 'inactive',
      moments: momentsOf([
        { at: created_at, title: 'The collection was made', detail: { name, currency, amount } },
        {
          at: canceled_at,
          title: 'The collection was canceled for good',
          detail: { payments_count, amount_collected },
          event: 'collection.canceled',
        },
      ]),
      events: [{ type: 'collection.completed', about: id, between: [created_at, view.scope.now] }],
    }
  },
}
