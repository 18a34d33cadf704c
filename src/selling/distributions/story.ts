import { momentsOf, type Story } from '../../core/story.ts'
import { selectDistribution } from './sql.ts'

export const distributionStory: Story = {
  kind: 'distribution',
  async tell(view, id) {
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
