import { momentsOf, type TimelineSource } from '../../core/timeline.ts'
import { selectDistribution, selectShare } from './sql.ts'

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

/** A share has no times of its own: its distribution's timeline shows it. */
export const shareTimeline: TimelineSource = {
  kind: 'distribution_share',
  async read(view, id) {
    const row = await view.row(selectShare, [id])
    if (!row) return null
    return {
      status: row.removed ? 'removed' : 'active',
      moments: [],
      parts: [{ kind: 'distribution', id: row.distribution_id }],
    }
  },
}
