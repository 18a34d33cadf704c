import { momentsOf, type TimelineSource } from '../../core/timeline.ts'
import { selectDistribution } from './sql.ts'

export const distributionTimeline: TimelineSource = {
  kind: 'distribution',
  async read(view, id) {
    const row = await view.row(selectDistribution, [id])
    if (!row) return null
    const { name, currency, active, created_at, updated_at } = row
    return {
      status: active ? 'active' : 'inactive',
      moments: momentsOf([
        { at: created_at, title: 'The distribution was made', detail: { name, currency } },
        {
          at: updated_at > created_at ? updated_at : null,
          title: 'The distribution was last changed',
          detail: { active },
        },
      ]),
    }
  },
}
